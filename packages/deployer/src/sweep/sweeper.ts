import { describeRef, refOf, waitUntilGone, type KubeClient, type KubeKind, type KubeObject } from "@cloudwright/kube";
import { describeError, type Clock } from "@cloudwright/platform";
import type { DeployerTask } from "../task.ts";

/** Deletes objects in a cluster and waits until they no longer exist. One deadline applies to all objects. */
export interface Sweeper {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** Lists all objects of a kind. Returns an empty list if the cluster does not serve the kind. */
  list(kind: KubeKind): Promise<readonly KubeObject[]>;
  /** Starts the deletion of an object without waiting for it to finish. */
  remove(object: KubeObject): Promise<void>;
  /** Makes `awaitGone` also wait for an object that is deleted indirectly. */
  expectGone(object: KubeObject): void;
  /** Waits until all deleted objects have disappeared. Logs the objects that remain at the deadline. */
  awaitGone(): Promise<void>;
}

const leastMs = 1000;

/** Creates a sweeper. Its deadline is counted from this call. */
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
      task.log(`deleted ${describeRef(refOf(object))} before the cluster`);
      going.push(object);
    },
    expectGone: (object) => void going.push(object),
    async awaitGone() {
      const all = going;
      going = [];
      for (const [index, object] of all.entries()) {
        task.progress(5, `waiting until ${describeRef(refOf(object))} is deleted (${index + 1} of ${all.length})`);
        const { uid } = object.metadata;
        const ref = { ...refOf(object), ...(uid === undefined ? {} : { uid }) };
        // Waits a minimum time for every object, even if the deadline passed while waiting for an earlier one.
        const deadlineMs = Math.max(leastMs, until - clock.now());
        await waitUntilGone(client, ref, { deadlineMs, signal, clock }).catch((error: unknown) => {
          signal.throwIfAborted();
          task.log(describeError(error));
        });
      }
    },
  };
}
