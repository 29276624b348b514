import type { JsonObject } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { setImmediate } from "node:timers/promises";
import type { JudgedChange } from "../entities/judge.ts";
import { apiFaults } from "../faults.ts";
import { countValues } from "../entities/count-values.ts";
import { parsePlan, type SentPlan } from "../runs/parse-plan.ts";
import { parseStateHead, type StateHead } from "../states/parse-state.ts";
import { md5Of } from "../states/state-content.ts";
import { createDocumentWorker, type Ask } from "./document-worker.ts";
import {
  mergeText,
  readInstances,
  renderDifference,
  renderText,
  restoreState,
  type InstanceHead,
  type RestoredState,
} from "./read-documents.ts";

/** A plan that is ready for the policy check and for storage. The parts that are stored unchanged are also rendered as JSON text. */
export interface ParsedPlan extends Omit<SentPlan, "dependencies"> {
  readonly changesText: string;
  readonly dependenciesText: string;
}

export interface ParsedState {
  readonly head: StateHead;
  readonly md5: Buffer;
  readonly content: Buffer;
}

/**
 * Parses documents that agents upload and users read. Large documents are parsed in another thread, so that they do not delay other
 * requests. The thread serves the projects in turn. Methods throw `documents_busy` if too many of the project's documents are waiting.
 */
export interface DocumentParser {
  parsePlan(project: string, body: Buffer, maxDetailBytes: number): Promise<ParsedPlan>;
  parseState(project: string, content: Buffer): Promise<ParsedState>;
  /**
   * Returns the resource instances in a state, without their attributes. Returns undefined if the state lists none, for example because it
   * is encrypted. Pass `upload` if an upload needs the result, so that it is not queued behind reads.
   */
  listInstances(project: string, content: Buffer, reason?: "read" | "upload"): Promise<readonly InstanceHead[] | undefined>;
  /** Compares two states and renders the differences as JSON. Undefined represents a missing state. */
  renderDifference(project: string, from: Buffer | undefined, to: Buffer | undefined): Promise<string>;
  /** Renders a document as a JSON string. */
  renderText(project: string, content: Buffer): Promise<string>;
  /** Returns an earlier version of a state with a new serial number. */
  restoreState(project: string, former: Buffer, serial: number): Promise<RestoredState>;
  /** Adds members to the JSON text of an object. Members that the text already contains take precedence. */
  mergeText(project: string, members: JsonObject, text: string): Promise<string>;
  close(): Promise<void>;
}

/** A message to the thread. Ownership of `bytes` moves to the thread. */
export interface ParseJob {
  readonly kind: "plan" | "state";
  readonly bytes: ArrayBuffer;
  readonly maxDetailBytes: number;
}

/** A message to the thread that reads a stored document. Ownership of the bytes moves to the thread. */
export type ReadJob =
  | { readonly kind: "instances" | "text"; readonly bytes: ArrayBuffer }
  | { readonly kind: "difference"; readonly from: ArrayBuffer | undefined; readonly to: ArrayBuffer | undefined }
  | { readonly kind: "restore"; readonly bytes: ArrayBuffer; readonly serial: number }
  | { readonly kind: "merge"; readonly members: JsonObject; readonly text: string };

/**
 * A message from the thread. A plan's changes and then its drift follow in batches, because receiving large objects would block the main thread for too long.
 */
export type Parsed =
  | { readonly kind: "state"; readonly head: StateHead; readonly md5: string; readonly bytes: ArrayBuffer }
  | ({ readonly kind: "plan"; readonly parcel: ArrayBuffer; readonly changeCount: number } & Omit<
      ParsedPlan,
      "parcel" | "changes" | "judged" | "drift"
    >)
  | { readonly kind: "read"; readonly value: unknown }
  | { readonly kind: "too-large" }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };

export type ChangePair = readonly [change: JsonObject, judged: JudgedChange];

/** One batch of a list that is too large for a single message. */
export interface Batch<Item> {
  readonly kind: "batch";
  /** Undefined after the last batch. */
  readonly items: readonly Item[] | undefined;
}

/**
 * Documents up to this size, with at most this many values, are parsed in the main thread, because another thread would cost more than it
 * saves. Parsing such a document takes a few milliseconds. Plans take longer than states, because each change is decoded.
 */
const smallBytes = 256 * 1024;
const fewValues = { state: 10_000, plan: 2500 };

/** Returns whether a document is parsed in the main thread. Text cannot contain more values than characters. */
function isSmall(content: Uint8Array | undefined, most = fewValues.state): boolean {
  if (content === undefined || content.length <= most) return true;
  return content.length <= smallBytes && countValues(content, most) <= most;
}

/**
 * Creates the parser for one server. Large uploads share one thread, and large reads share another. Parsing therefore uses at most two
 * cores, and reads do not delay uploads.
 */
export function createDocumentParser(): DocumentParser {
  const [uploads, reads] = [createDocumentWorker(), createDocumentWorker()];
  const read = <Value>(project: string, job: ReadJob, transferred: ArrayBuffer[]): Promise<Value> =>
    reads.run(project, async (ask) => {
      const answer = await ask<Parsed>(job, transferred);
      if (answer.kind !== "read") throw toFault(answer, 0);
      return answer.value as Value;
    });
  return {
    parsePlan: async (project, body, maxDetailBytes) => {
      if (isSmall(body, fewValues.plan)) return parseSmallPlan(body);
      const bytes = toOwnBuffer(body);
      const [answer, items] = await uploads.run(project, async (ask) => {
        const first = await ask<Parsed>({ kind: "plan", bytes, maxDetailBytes } satisfies ParseJob, [bytes]);
        return [first, first.kind === "plan" ? await collectBatches<ChangePair | JsonObject>(ask) : []] as const;
      });
      if (answer.kind !== "plan") throw toFault(answer, maxDetailBytes);
      const { kind: _, parcel, changeCount, ...rest } = answer;
      const pairs = items.slice(0, changeCount) as ChangePair[];
      return {
        ...rest,
        changes: pairs.map(([change]) => change),
        judged: pairs.map(([, judged]) => judged),
        drift: items.slice(changeCount) as JsonObject[],
        parcel: Buffer.from(parcel),
      };
    },
    parseState: async (project, content) => {
      if (isSmall(content)) return { head: parseStateHead(content), md5: md5Of(content), content };
      const bytes = toOwnBuffer(content);
      const answer = await uploads.run(project, (ask) =>
        ask<Parsed>({ kind: "state", bytes, maxDetailBytes: 0 } satisfies ParseJob, [bytes]),
      );
      if (answer.kind !== "state") throw toFault(answer, 0);
      return { head: answer.head, md5: Buffer.from(answer.md5, "hex"), content: Buffer.from(answer.bytes) };
    },
    listInstances: async (project, content, reason = "read") => {
      if (isSmall(content)) return readInstances(content);
      const bytes = toOwnBuffer(content);
      return (reason === "upload" ? uploads : reads).run(project, async (ask) => {
        const answer = await ask<Parsed>({ kind: "instances", bytes } satisfies ReadJob, [bytes]);
        if (answer.kind !== "read") throw toFault(answer, 0);
        return answer.value === undefined ? undefined : collectBatches<InstanceHead>(ask);
      });
    },
    renderDifference: async (project, from, to) => {
      if (isSmall(from) && isSmall(to)) return renderDifference(from, to);
      const given = [from, to].map((content) => content && toOwnBuffer(content));
      const job = { kind: "difference", from: given[0], to: given[1] } satisfies ReadJob;
      return read(
        project,
        job,
        given.filter((bytes) => bytes !== undefined),
      );
    },
    renderText: async (project, content) => {
      if (content.length <= smallBytes) return renderText(content);
      const bytes = toOwnBuffer(content);
      return read(project, { kind: "text", bytes }, [bytes]);
    },
    restoreState: async (project, former, serial) => {
      if (isSmall(former)) return restoreState(former, serial);
      const bytes = toOwnBuffer(former);
      const restored = await read<{ head: StateHead; md5: Uint8Array; content: Uint8Array }>(
        project,
        { kind: "restore", bytes, serial },
        [bytes],
      );
      return { head: restored.head, md5: Buffer.from(restored.md5), content: Buffer.from(restored.content) };
    },
    mergeText: async (project, members, text) =>
      text.length <= smallBytes ? mergeText(members, text) : read(project, { kind: "merge", members, text }, []),
    async close() {
      await Promise.all([uploads.close(), reads.close()]);
    },
  };
}

function parseSmallPlan(body: Buffer): ParsedPlan {
  const { dependencies, ...rest } = parsePlan(body);
  return { ...rest, changesText: JSON.stringify(rest.changes), dependenciesText: JSON.stringify(dependencies) };
}

async function collectBatches<Item>(ask: Ask): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const { items } = await ask<Batch<Item>>("next");
    if (items === undefined) return all;
    for (const item of items) all.push(item);
    await setImmediate();
  }
}

/** Returns a buffer that can be transferred to the thread. Copies the bytes if they share a buffer with other data. */
function toOwnBuffer({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  const isWhole = byteOffset === 0 && byteLength === buffer.byteLength;
  return (isWhole ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)) as ArrayBuffer;
}

function toFault(answer: Parsed, maxDetailBytes: number): Error {
  if (answer.kind === "too-large")
    return new Fault(apiFaults.body_too_large, `the changes in the plan are larger than ${maxDetailBytes} bytes`);
  if (answer.kind !== "failed") return new Error(`the thread returned an unexpected ${answer.kind}`);
  const spec = [apiFaults.plan_malformed, apiFaults.state_malformed, apiFaults.state_sealed].find(
    ({ code }) => code === answer.code,
  );
  return spec === undefined ? new Error(answer.message) : new Fault(spec, answer.message);
}
