import { describeRef, refOf, waitUntilGone, type KubeClient, type KubeKind, type KubeObject } from "@cloudwright/kube";
import { describeError, type Clock } from "@cloudwright/platform";
import type { DeployerTask } from "../task.ts";

/** Deletes objects of a cluster and waits for their end, all within one deadline. */
export interface Sweeper {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** All objects of a kind; none where the cluster does not serve it. */
  list(kind: KubeKind): Promise<readonly KubeObject[]>;
  /** Asks for an object to go; its end is waited for later. */
  remove(object: KubeObject): Promise<void>;
  /** Waits for the end of something that goes with what was removed. */
  expectGone(object: KubeObject): void;
  /** Waits until all is gone; what is not in time is noted. */
  awaitGone(): Promise<void>;
}

const leastMs = 1000;

/** Begins a sweep; the deadline counts from here. */
export function createSweeper(
  { client, clock }: { readonly client: KubeClient; readonly clock: Clock },
  task: DeployerTask,
  sweepMs: number,
): Sweeper {
  const { signal } = task;
  const until = clock.now() + sweepMs;
  let going: KubeObject[] = [];
  return {
    client,
    signal,
    list: async (kind) => ((await client.isServed(kind, signal)) ? (await client.list(kind, {}, signal)).items : []),
    async remove(object) {
      const { uid } = object.metadata;
      await client.delete(refOf(object), uid === undefined ? {} : { uid }, signal);
      task.log(`${describeRef(refOf(object))} goes with the cluster`);
      going.push(object);
    },
    expectGone: (object) => void going.push(object),
    async awaitGone() {
      const all = going;
      going = [];
      for (const [index, object] of all.entries()) {
        task.progress(5, `${describeRef(refOf(object))} is removed before the cluster, ${index + 1} of ${all.length}`);
        const { uid } = object.metadata;
        const ref = { ...refOf(object), ...(uid === undefined ? {} : { uid }) };
        // One that has held up the others is no reason not to look at them.
        const deadlineMs = Math.max(leastMs, until - clock.now());
        await waitUntilGone(client, ref, { deadlineMs, signal, clock }).catch((error: unknown) => {
          signal.throwIfAborted();
          task.log(describeError(error));
        });
      }
    },
  };
}
