import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import type { JudgedChange } from "../entities/judge.ts";
import { parsePlan } from "../runs/parse-plan.ts";
import { parseStateHead } from "../states/parse-state.ts";
import type { Batch, ChangePair, Parsed, ParseJob, ReadJob } from "./parse-documents.ts";
import { mergeText, readInstances, renderDifference, renderText, restoreState } from "./read-documents.ts";

/** Entry point of the thread that parses large documents. It handles one job at a time. */
parentPort?.on("message", (message: ParseJob | ReadJob | "next") => {
  if (message !== "next") batches = undefined;
  const [answer, transferred] = message === "next" ? [takeBatch(), []] : handle(message);
  // The cast is needed because the declared type of transferable objects does not cover all buffers.
  parentPort?.postMessage(answer, transferred as never);
});

/** JSON size of one batch. The main thread needs about 5 ms to receive a batch of this size. */
const batchBytes = 512 * 1024;
let batches: Generator<unknown[]> | undefined;

function handle(job: ParseJob | ReadJob): [Parsed, ArrayBuffer[]] {
  try {
    return "maxDetailBytes" in job ? parse(job) : read(job);
  } catch (error) {
    const { code = "", message } = error instanceof Fault ? error : { message: String(error) };
    return [{ kind: "failed", code, message }, []];
  }
}

function read(job: ReadJob): [Parsed, ArrayBuffer[]] {
  const wrap = (value: unknown): [Parsed, ArrayBuffer[]] => [{ kind: "read", value }, []];
  if (job.kind === "difference") return wrap(renderDifference(job.from && Buffer.from(job.from), job.to && Buffer.from(job.to)));
  if (job.kind === "merge") return wrap(mergeText(job.members, job.text));
  if (job.kind === "text") return wrap(renderText(Buffer.from(job.bytes)));
  if (job.kind === "restore") {
    const restored = restoreState(Buffer.from(job.bytes), job.serial);
    return [{ kind: "read", value: restored }, [restored.content.buffer as ArrayBuffer]];
  }
  const instances = readInstances(Buffer.from(job.bytes));
  batches = split(instances ?? []);
  return wrap(instances?.length);
}

function parse({ kind, bytes, maxDetailBytes }: ParseJob): [Parsed, ArrayBuffer[]] {
  if (kind === "state") {
    const content = Buffer.from(bytes);
    const md5 = createHash("md5").update(content).digest("hex");
    return [{ kind, head: parseStateHead(content), md5, bytes }, [bytes]];
  }
  const { judged, changes, drift, dependencies, parcel, ...rest } = parsePlan(Buffer.from(bytes));
  const [changesText, dependenciesText] = [JSON.stringify(changes), JSON.stringify(dependencies)];
  const detailBytes = changesText.length + dependenciesText.length + JSON.stringify([drift, judged]).length;
  if (detailBytes > maxDetailBytes) return [{ kind: "too-large" }, []];
  batches = split([...changes.map((change, index): ChangePair => [change, judged[index] as JudgedChange]), ...drift]);
  const own = parcel.buffer.slice(parcel.byteOffset, parcel.byteOffset + parcel.byteLength) as ArrayBuffer;
  return [{ kind, ...rest, changeCount: changes.length, changesText, dependenciesText, parcel: own }, [own]];
}

function takeBatch(): Batch<unknown> {
  const next = batches?.next();
  return { kind: "batch", items: next?.done === false ? next.value : undefined };
}

function* split<Item>(items: readonly Item[]): Generator<Item[]> {
  let batch: Item[] = [];
  let size = 0;
  for (const item of items) {
    batch.push(item);
    size += JSON.stringify(item).length;
    if (size < batchBytes) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}
