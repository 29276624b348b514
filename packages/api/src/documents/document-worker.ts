import { Fault } from "@cloudwright/platform";
import { Worker } from "node:worker_threads";
import { apiFaults } from "../faults.ts";
import { createFairQueue } from "./fair-queue.ts";

/** Sends a message to the thread and waits for the response. Only one message is in flight at a time. */
export type Ask = <Answer>(message: unknown, transferred?: ArrayBuffer[]) => Promise<Answer>;

/** A thread for large documents. It starts on demand and ends when it has been idle for a while. */
export interface DocumentWorker {
  /** Runs `work` when it is the project's turn. Projects take turns, so that no project delays the others for long. */
  run<Result>(project: string, work: (ask: Ask) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** A document that takes longer to process is treated as malicious, and its thread is stopped. */
const maxParseMs = 60_000;
/** A thread uses about 60 MB, so an idle thread ends after this time. */
const idleMs = 60_000;
const maxHeapMiB = 2048;
/** Maximum number of waiting documents per project. Each of them is held in memory. */
const mostWaiting = 8;
const busyRetryMs = 5000;

/** The file that a thread runs, and the data that it starts with. */
export interface ThreadEntry {
  readonly file: URL;
  readonly data?: unknown;
}

const parser: ThreadEntry = { file: new URL("document-thread.ts", import.meta.url) };

export function createDocumentWorker({ file, data }: ThreadEntry = parser): DocumentWorker {
  let thread: Worker | undefined;
  const queue = createFairQueue({ waiting: mostWaiting, refuse });
  let idle: NodeJS.Timeout | undefined;

  const stop = async (): Promise<void> => {
    const stopped = thread;
    thread = undefined;
    await stopped?.terminate();
  };
  const start = (): Worker => {
    const started = new Worker(file, {
      workerData: data,
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
  const askIn =
    (worker: Worker): Ask =>
    <Answer>(message: unknown, transferred: ArrayBuffer[] = []) =>
      new Promise<Answer>((resolve, reject) => {
        const timer = setTimeout(() => finish(() => reject(malformedBecause("it takes too long to process"))), maxParseMs);
        const onMessage = (answer: Answer): void => finish(() => resolve(answer));
        const onEnd = (): void => finish(() => reject(malformedBecause("it needs too much memory to be processed")));
        const finish = (settle: () => void): void => {
          clearTimeout(timer);
          worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd);
          settle();
        };
        worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd);
        worker.postMessage(message, transferred);
      });
  const inThread = async <Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> => {
    clearTimeout(idle);
    try {
      return await work(askIn((thread ??= start())));
    } catch (error) {
      // Stops a thread that did not respond. Otherwise, the next job could mistake a late response for its own.
      await stop();
      throw error;
    } finally {
      idle = setTimeout(() => void stop(), idleMs).unref();
    }
  };
  return {
    run: (project, work) => queue.run(project, () => inThread(work)),
    async close() {
      clearTimeout(idle);
      await stop();
    },
  };
}

function refuse(project: string): Fault {
  const message = `too many large states and plans in project ${project} are waiting to be processed`;
  return new Fault(apiFaults.documents_busy, message, { retryAfterMs: busyRetryMs });
}

function malformedBecause(why: string): Fault {
  return new Fault(apiFaults.plan_malformed, `the document is malformed: ${why}`);
}
