import type { JsonObject } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { JudgedChange } from "../entities/judge.ts";
import { apiFaults } from "../faults.ts";
import { parsePlan, type SentPlan } from "../runs/parse-plan.ts";
import { parseStateHead, type StateHead } from "../states/parse-state.ts";
import { md5Of } from "../states/state-content.ts";

/** A plan, ready to be judged and stored. The parts that are stored unchanged are also rendered as JSON text. */
export interface ParsedPlan extends Omit<SentPlan, "dependencies"> {
  readonly changesText: string;
  readonly dependenciesText: string;
}

export interface ParsedState {
  readonly head: StateHead;
  readonly md5: Buffer;
  readonly content: Buffer;
}

/** Parses documents that agents upload. Large documents are parsed in another thread, so that they do not delay other requests. */
export interface DocumentParser {
  parsePlan(body: Buffer, maxDetailBytes: number): Promise<ParsedPlan>;
  parseState(content: Buffer): Promise<ParsedState>;
  close(): Promise<void>;
}

/** A message to the thread. Ownership of `bytes` moves to the thread. */
export interface ParseJob {
  readonly kind: "plan" | "state";
  readonly bytes: ArrayBuffer;
  readonly maxDetailBytes: number;
}

/**
 * A message from the thread. A plan's changes follow in batches, because receiving large objects would block the main thread for too long.
 */
export type Parsed =
  | { readonly kind: "state"; readonly head: StateHead; readonly md5: string; readonly bytes: ArrayBuffer }
  | ({ readonly kind: "plan"; readonly parcel: ArrayBuffer } & Omit<ParsedPlan, "parcel" | "changes" | "judged">)
  | { readonly kind: "too-large" }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };

export type ChangePair = readonly [change: JsonObject, judged: JudgedChange];

export interface PlanBatch {
  readonly kind: "batch";
  /** A batch of changes, each as callers see it and as policies see it. Undefined after the last batch. */
  readonly pairs: readonly ChangePair[] | undefined;
}

/** Documents up to this size are parsed in the main thread, because another thread would cost more than it saves. */
const smallBytes = 1024 * 1024;
/** A document that takes longer than this to parse is treated as malicious, and its thread is stopped. */
const maxParseMs = 60_000;
/** A thread uses about 60 MB, so an idle thread ends after this time. */
const idleMs = 60_000;
const maxHeapMiB = 2048;

/** Creates the parser of one server. All large documents share one thread, so that parsing uses at most one core. */
export function createDocumentParser(): DocumentParser {
  let thread: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;

  const stop = async (): Promise<void> => {
    const stopped = thread;
    thread = undefined;
    await stopped?.terminate();
  };
  const start = (): Worker => {
    const started = new Worker(new URL("document-thread.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMiB },
      env: {},
    });
    started.unref();
    started.on("error", () => undefined);
    started.once("exit", () => {
      if (thread === started) thread = undefined;
    });
    return started;
  };
  /** Sends a message and waits for the response. Only one message is in flight at a time. */
  const ask = <Answer>(worker: Worker, message: unknown, transferred: ArrayBuffer[] = []): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(() => reject(malformedBecause("it takes too long to parse"))), maxParseMs);
      const onMessage = (answer: Answer): void => finish(() => resolve(answer));
      const onEnd = (): void => finish(() => reject(malformedBecause("it needs too much memory to be parsed")));
      const finish = (settle: () => void): void => {
        clearTimeout(timer);
        worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd);
        settle();
      };
      worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd);
      worker.postMessage(message, transferred);
    });
  const inThread = async <Result>(work: (worker: Worker) => Promise<Result>): Promise<Result> => {
    clearTimeout(idle);
    try {
      return await work((thread ??= start()));
    } catch (error) {
      // Stops the thread, because its late response could be mistaken for the response to the next job.
      await stop();
      throw error;
    } finally {
      idle = setTimeout(() => void stop(), idleMs).unref();
    }
  };
  const inTurn = <Result>(work: (worker: Worker) => Promise<Result>): Promise<Result> => {
    const turn = last.then(() => inThread(work));
    last = turn.catch(() => undefined);
    return turn;
  };
  const send = async (worker: Worker, job: Omit<ParseJob, "bytes">, content: Buffer): Promise<Parsed> => {
    const bytes = toOwnBuffer(content);
    return ask<Parsed>(worker, { ...job, bytes } satisfies ParseJob, [bytes]);
  };

  return {
    parsePlan: async (body, maxDetailBytes) => {
      if (body.length <= smallBytes) return parseSmallPlan(body);
      const [answer, pairs] = await inTurn(async (worker) => {
        const first = await send(worker, { kind: "plan", maxDetailBytes }, body);
        return [first, first.kind === "plan" ? await collectBatches(worker, ask) : []] as const;
      });
      if (answer.kind !== "plan") throw toFault(answer, maxDetailBytes);
      const { kind: _, parcel, ...rest } = answer;
      const changes = pairs.map(([change]) => change);
      return { ...rest, changes, judged: pairs.map(([, judged]) => judged), parcel: Buffer.from(parcel) };
    },
    parseState: async (content) => {
      if (content.length <= smallBytes) return { head: parseStateHead(content), md5: md5Of(content), content };
      const answer = await inTurn((worker) => send(worker, { kind: "state", maxDetailBytes: 0 }, content));
      if (answer.kind !== "state") throw toFault(answer, 0);
      return { head: answer.head, md5: Buffer.from(answer.md5, "hex"), content: Buffer.from(answer.bytes) };
    },
    async close() {
      clearTimeout(idle);
      await stop();
    },
  };
}

function parseSmallPlan(body: Buffer): ParsedPlan {
  const { dependencies, ...rest } = parsePlan(body);
  return { ...rest, changesText: JSON.stringify(rest.changes), dependenciesText: JSON.stringify(dependencies) };
}

async function collectBatches(
  worker: Worker,
  ask: <Answer>(worker: Worker, message: unknown) => Promise<Answer>,
): Promise<readonly ChangePair[]> {
  const all: ChangePair[] = [];
  for (;;) {
    const { pairs } = await ask<PlanBatch>(worker, "next");
    if (pairs === undefined) return all;
    for (const pair of pairs) all.push(pair);
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
    return new Fault(apiFaults.body_too_large, `the changes of the plan are larger than ${maxDetailBytes} bytes`);
  if (answer.kind !== "failed") return new Error(`the thread returned an unexpected ${answer.kind}`);
  const spec = [apiFaults.plan_malformed, apiFaults.state_malformed].find(({ code }) => code === answer.code);
  return spec === undefined ? new Error(answer.message) : new Fault(spec, answer.message);
}

function malformedBecause(why: string): Fault {
  return new Fault(apiFaults.plan_malformed, `the document is malformed: ${why}`);
}
