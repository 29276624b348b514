import { createUid, Fault, systemClock, type Clock, type Secret } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import type { CloudRecord, RecordKey } from "./inventory.ts";

/** How a run reaches the clouds that the control plane keeps: what it was given for its state will do. */
export interface WireOptions {
  /** Where the server is, or where the run's state is on it. */
  readonly address: string;
  readonly username: string;
  readonly password: Secret;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  /** Aborted when nobody waits for answers any more. */
  readonly signal?: AbortSignal;
}

/** One thing that is asked of a cloud. */
export type WireAct =
  | ({ readonly do: "find" | "delete" } & RecordKey)
  | { readonly do: "list"; readonly type?: string }
  | ({ readonly do: "create" | "put" } & CloudRecord)
  | { readonly do: "take"; readonly operation: string; readonly type?: string };

/** The door to the clouds of the control plane; it opens for the run's own tenant only. */
export interface WireDoor {
  ask(tenant: string, act: WireAct): Promise<unknown>;
  /** False when an answer of just now has told that nothing is planned to go wrong: then a call need not be counted. */
  mayGoWrong(tenant: string): boolean;
}

interface Waiting {
  readonly act: WireAct;
  readonly size: number;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

// A body may have a MiB.
const maxActs = 500;
const maxCharacters = 400_000;
// Every call asks whether it goes wrong, and nearly none does: asking each time would be two requests of three.
const knownForMs = 100;
const giveUpAfterMs = 60_000;
const attemptMs = 20_000;
const firstPauseMs = 50;
const longestPauseMs = 5_000;

/**
 * Opens the door. What is asked within one turn of the event loop goes together: Terraform asks for ten things at a time. Changes are
 * sent under a name by which the server knows them again, so that one whose answer was lost is safely sent once more.
 */
export function openWireDoor(options: WireOptions): WireDoor {
  const { fetch = globalThis.fetch, clock = systemClock, signal } = options;
  const base = options.address.replace(/\/(v1\/states\/[^/]+)?$/, "");
  const authorization = `Basic ${Buffer.from(`${options.username}:${options.password.reveal()}`).toString("base64")}`;
  const queues = new Map<string, Waiting[]>();
  const calmUntilMs = new Map<string, number>();

  const flush = (): void => {
    for (const [tenant, waiting] of queues) {
      const url = `${base}/v1/simulator/${encodeURIComponent(tenant)}/batch`;
      // Apart, so that the server need not remember for long what was only looked at.
      for (const part of split(waiting.filter(({ act }) => isReading(act)))) void carry(tenant, url, part, undefined);
      for (const part of split(waiting.filter(({ act }) => !isReading(act)).toSorted(byPlace)))
        void carry(tenant, url, part, createUid(clock.now()));
    }
    queues.clear();
  };

  const carry = async (tenant: string, url: string, part: readonly Waiting[], request: string | undefined): Promise<void> => {
    try {
      const body = JSON.stringify({ ...(request === undefined ? {} : { request }), acts: part.map(({ act }) => act) });
      const { answers, faults, sentAtMs } = await send(url, body);
      calmUntilMs.set(tenant, faults ? 0 : sentAtMs + knownForMs);
      if (answers.length !== part.length)
        throw new Fault(simulatorFaults.door_refused, `${answers.length} answers came to ${part.length} questions`);
      part.forEach(({ resolve }, index) => resolve(answers[index]));
    } catch (error) {
      for (const { reject } of part) reject(error);
    }
  };

  /** Sends until there is an answer that counts, for as long as it can be hoped for. */
  const send = async (url: string, body: string): Promise<Answered & { readonly sentAtMs: number }> => {
    const startedMs = clock.now();
    for (let tries = 0; ; tries += 1) {
      signal?.throwIfAborted();
      const sentAtMs = clock.now();
      const outcome = await attempt(url, body);
      if ("answers" in outcome) return { ...outcome, sentAtMs };
      if (!outcome.again) throw new Fault(simulatorFaults[outcome.reason], outcome.why);
      if (clock.now() - startedMs > giveUpAfterMs) throw new Fault(simulatorFaults.door_unavailable, outcome.why);
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** tries) * (0.75 + Math.random() / 2);
      await clock.sleep(Math.max(pauseMs, outcome.afterMs), signal);
    }
  };

  const attempt = async (url: string, body: string): Promise<Outcome> => {
    try {
      const timeout = AbortSignal.timeout(attemptMs);
      const response = await fetch(url, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body,
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
      return await readOutcome(response);
    } catch (error) {
      signal?.throwIfAborted();
      return { again: true, afterMs: 0, why: `the control plane does not answer: ${describe(error)}` };
    }
  };

  return {
    ask: (tenant, act) =>
      new Promise((resolve, reject) => {
        if (queues.size === 0) setImmediate(flush);
        const waiting = queues.get(tenant) ?? [];
        // Copied at once: what was handed in may be changed by whoever handed it in.
        const text = JSON.stringify(act);
        waiting.push({ act: JSON.parse(text) as WireAct, size: text.length, resolve, reject });
        queues.set(tenant, waiting);
      }),
    mayGoWrong: (tenant) => clock.now() >= (calmUntilMs.get(tenant) ?? 0),
  };
}

interface Answered {
  readonly answers: readonly unknown[];
  /** Whether anything is planned to go wrong. */
  readonly faults: boolean;
}

type Outcome =
  | Answered
  | { readonly again: true; readonly afterMs: number; readonly why: string }
  | { readonly again: false; readonly reason: "door_closed" | "door_refused"; readonly why: string };

async function readOutcome(response: Response): Promise<Outcome> {
  const { status, headers } = response;
  if (status === 200) return (await response.json()) as Answered;
  const text = await response.text();
  const why = `the control plane answered ${status} ${codeOf(text)}`;
  if (status === 401) return { again: false, reason: "door_closed", why };
  if (status !== 429 && status < 500) return { again: false, reason: "door_refused", why };
  return { again: true, afterMs: 1000 * (Number(headers.get("retry-after")) || 0), why };
}

function codeOf(text: string): string {
  try {
    return (JSON.parse(text) as { code?: string }).code ?? "";
  } catch {
    return "";
  }
}

/** Of the cause, which says more than "fetch failed", and neither quotes what was sent. */
function describe(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? "no reason given";
}

function isReading({ do: verb }: WireAct): boolean {
  return verb === "find" || verb === "list";
}

// Whoever takes things in one and the same order never waits for one who waits for him.
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
