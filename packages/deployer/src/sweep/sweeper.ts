import { describeRef, refOf, waitUntilGone, type KubeClient, type KubeKind, type KubeObject } from "@cloudwright/kube";
import { describeError, type Clock } from "@cloudwright/platform";
import type { DeployerTask } from "../task.ts";

/** Deletes objects of a cluster and waits until they are gone, all within one deadline. */
export interface Sweeper {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** Lists all objects of a kind. Empty if the cluster does not serve the kind. */
  list(kind: KubeKind): Promise<readonly KubeObject[]>;
  /** Deletes an object without waiting for its end. */
  remove(object: KubeObject): Promise<void>;
  /** Adds an object that disappears with a removed one to those that `awaitGone` waits for. */
  expectGone(object: KubeObject): void;
  /** Waits until all removed objects are gone. Logs those that are not gone in time. */
  awaitGone(): Promise<void>;
}

const leastMs = 1000;

/** Starts a sweep. The deadline counts from now. */
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
        task.progress(5, `waiting for the removal of ${describeRef(refOf(object))}, ${index + 1} of ${all.length}`);
        const { uid } = object.metadata;
        const ref = { ...refOf(object), ...(uid === undefined ? {} : { uid }) };
        // An object that used up the deadline must not prevent a check of the others.
        const deadlineMs = Math.max(leastMs, until - clock.now());
        await waitUntilGone(client, ref, { deadlineMs, signal, clock }).catch((error: unknown) => {
          signal.throwIfAborted();
          task.log(describeError(error));
        });
      }
    },
  };
}
