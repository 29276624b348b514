import { createUid, Fault, systemClock } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import type { CloudRecord, RecordKey } from "./inventory.ts";
import { createWireSender, type WireOptions } from "./wire-sender.ts";

/** An action on a tenant's simulated cloud. */
export type WireAct =
  | ({ readonly do: "find" | "delete" | "trail" } & RecordKey)
  | { readonly do: "list"; readonly type?: string; readonly after?: RecordKey }
  | ({ readonly do: "create" | "put" } & CloudRecord)
  | { readonly do: "take"; readonly operation: string; readonly type?: string };

/** A connection to the simulated clouds that the control plane hosts. A run can access only its own tenant. */
export interface WireConnection {
  ask(tenant: string, act: WireAct): Promise<unknown>;
  /** Returns false if a recent response reported that no fault is planned. In that case, calls need not be counted. */
  mayHaveFaults(tenant: string): boolean;
}

interface Waiting {
  readonly act: WireAct;
  readonly size: number;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

// Keeps request bodies below the server's limit of 1 MiB.
const maxActs = 500;
const maxCharacters = 400_000;
// How long to rely on a response that reported no planned fault. Faults are rare, but checking for one before every call would account for
// two thirds of all requests.
const knownForMs = 100;

/**
 * Opens a connection. Terraform makes up to ten calls at a time, so actions in the same turn of the event loop share a request. Changes
 * carry a request id, so that the server recognises a change that is sent again after a lost response.
 */
export function openWireConnection(options: WireOptions): WireConnection {
  const { clock = systemClock } = options;
  const send = createWireSender(options);
  const queues = new Map<string, Waiting[]>();
  const calmUntilMs = new Map<string, number>();

  const flush = (): void => {
    for (const [tenant, waiting] of queues) {
      // Reads are sent separately, so that the server does not have to store their responses.
      for (const part of split(waiting.filter(({ act }) => isReading(act)))) void carry(tenant, part, undefined);
      for (const part of split(waiting.filter(({ act }) => !isReading(act)).toSorted(byPlace)))
        void carry(tenant, part, createUid(clock.now()));
    }
    queues.clear();
  };

  const carry = async (tenant: string, part: readonly Waiting[], request: string | undefined): Promise<void> => {
    try {
      const body = JSON.stringify({ ...(request === undefined ? {} : { request }), acts: part.map(({ act }) => act) });
      const { body: answered, sentAtMs } = await send(tenant, "batch", body);
      const { answers, faults } = answered as Answered;
      calmUntilMs.set(tenant, faults ? 0 : sentAtMs + knownForMs);
      if (answers.length !== part.length)
        throw new Fault(
          simulatorFaults.door_refused,
          `the control plane sent ${answers.length} answers to ${part.length} actions`,
        );
      part.forEach(({ resolve }, index) => resolve(answers[index]));
    } catch (error) {
      for (const { reject } of part) reject(error);
    }
  };

  return {
    ask: (tenant, act) =>
      new Promise((resolve, reject) => {
        if (queues.size === 0) setImmediate(flush);
        const waiting = queues.get(tenant) ?? [];
        // Copies the action immediately, because the caller may modify it later.
        const text = JSON.stringify(act);
        waiting.push({ act: JSON.parse(text) as WireAct, size: text.length, resolve, reject });
        queues.set(tenant, waiting);
      }),
    mayHaveFaults: (tenant) => clock.now() >= (calmUntilMs.get(tenant) ?? 0),
  };
}

interface Answered {
  readonly answers: readonly unknown[];
  /** Whether any fault is planned for the tenant. */
  readonly faults: boolean;
}

function isReading({ do: verb }: WireAct): boolean {
  return verb === "find" || verb === "list" || verb === "trail";
}

// A fixed order of changes prevents deadlocks between concurrent batches.
function byPlace(a: Waiting, b: Waiting): number {
  const [first, second] = [placeOf(a.act), placeOf(b.act)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function placeOf(act: WireAct): string {
  if (act.do === "take") return `0 ${act.operation} ${act.type ?? ""}`;
  return act.do === "list" ? "" : `1 ${act.type} ${act.id}`;
}

function split(waiting: readonly Waiting[]): Waiting[][] {
  const parts: Waiting[][] = [];
  let size = 0;
  for (const each of waiting) {
    const last = parts.at(-1);
    if (last === undefined || last.length === maxActs || size + each.size > maxCharacters) {
      parts.push([each]);
      size = each.size;
    } else {
      last.push(each);
      size += each.size;
    }
  }
  return parts;
}
