import type { KubeObject } from "@cloudwright/kube";
import { Fault } from "@cloudwright/platform";
import { Worker } from "node:worker_threads";
import { deployerFaults } from "../faults.ts";

export interface ParseOptions {
  readonly signal: AbortSignal;
  /** Maximum time for parsing. Default: one minute. */
  readonly timeoutMs?: number;
}

const maxHeapMiB = 512;
const usualMs = 60_000;

/**
 * Parses the objects in a manifest. The cluster's administrators can change the manifest that helm stored, and hostile YAML can take
 * minutes to parse. Parsing therefore runs in a separate thread with a time limit, so that it cannot block the agent's other tasks.
 */
export async function parseManifest(yaml: string, { signal, timeoutMs = usualMs }: ParseOptions): Promise<readonly KubeObject[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const thread = new Worker(new URL("manifest-thread.ts", import.meta.url), {
    workerData: yaml,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMiB },
  });
  try {
    return await new Promise<readonly KubeObject[]>((resolve, reject) => {
      const fail = (why: string): void =>
        reject(new Fault(deployerFaults.helm_failed, `the manifest of the release cannot be parsed: ${why}`));
      thread.once("message", resolve);
      thread.once("error", (error: unknown) => fail(error instanceof Error ? error.message : "unknown error"));
      thread.once("exit", () => fail("the parser ended early"));
      limit.addEventListener("abort", () => fail(`it takes longer than ${timeoutMs / 1000} s`), { once: true });
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await thread.terminate();
  }
}
