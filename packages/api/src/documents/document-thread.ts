import type { JsonObject } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import type { JudgedChange } from "../entities/judge.ts";
import { parsePlan } from "../runs/parse-plan.ts";
import { parseStateHead } from "../states/parse-state.ts";
import type { ChangePair, Parsed, ParseJob, PlanBatch } from "./parse-documents.ts";

/** Entry point of the thread that parses large documents. It handles one job at a time. */
parentPort?.on("message", (message: ParseJob | "next") => {
  if (message !== "next") batches = undefined;
  const [answer, transferred] = message === "next" ? [takeBatch(), []] : handle(message);
  // The cast is needed because the declared type of transferable objects does not cover all buffers.
  parentPort?.postMessage(answer, transferred as never);
});

/** JSON size of one batch. The main thread needs about 5 ms to receive a batch of this size. */
const batchBytes = 512 * 1024;
let batches: Generator<ChangePair[]> | undefined;

function handle({ kind, bytes, maxDetailBytes }: ParseJob): [Parsed, ArrayBuffer[]] {
  try {
    if (kind === "state") {
      const content = Buffer.from(bytes);
      const md5 = createHash("md5").update(content).digest("hex");
      return [{ kind, head: parseStateHead(content), md5, bytes }, [bytes]];
    }
    const { judged, changes, dependencies, parcel, ...rest } = parsePlan(Buffer.from(bytes));
    const [changesText, dependenciesText] = [JSON.stringify(changes), JSON.stringify(dependencies)];
    const detailBytes = changesText.length + dependenciesText.length + JSON.stringify([rest.drift, judged]).length;
    if (detailBytes > maxDetailBytes) return [{ kind: "too-large" }, []];
    batches = split(changes, judged);
    const own = parcel.buffer.slice(parcel.byteOffset, parcel.byteOffset + parcel.byteLength) as ArrayBuffer;
    return [{ kind, ...rest, changesText, dependenciesText, parcel: own }, [own]];
  } catch (error) {
    const { code = "", message } = error instanceof Fault ? error : { message: String(error) };
    return [{ kind: "failed", code, message }, []];
  }
}

function takeBatch(): PlanBatch {
  const next = batches?.next();
  return { kind: "batch", pairs: next?.done === false ? next.value : undefined };
}

function* split(changes: readonly JsonObject[], judged: readonly JudgedChange[]): Generator<ChangePair[]> {
  let batch: ChangePair[] = [];
  let size = 0;
  for (const [index, change] of changes.entries()) {
    const pair = [change, judged[index] as JudgedChange] as const;
    batch.push(pair);
    size += JSON.stringify(pair).length;
    if (size < batchBytes) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}
