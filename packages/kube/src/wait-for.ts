import { Fault, systemClock, type Clock } from "@cloudwright/platform";
import type { KubeClient, KubeSelection } from "./create-client.ts";
import { kubeFaults } from "./faults.ts";
import type { KubeKind, KubeObject, KubeRef } from "./kube-object.ts";
import { describeRef } from "./kube-object.ts";
import type { KubeEvent } from "./watch-events.ts";

/** How long is waited, and for what. */
export interface WaitOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/** What a look at the objects says: done, or in words what is still missing. */
export type Look = true | string;

const pauseMs = 1000;

/**
 * Waits until a look at all objects of a selection says that it is done: at once, and after each change, by a watch. An API that is gone for a
 * while is asked again until the deadline, which is a fault with what was missing at last.
 */
export async function waitForObjects(
  client: KubeClient,
  kind: KubeKind,
  which: KubeSelection,
  look: (objects: readonly KubeObject[]) => Look,
  { deadlineMs, signal, clock = systemClock }: WaitOptions,
): Promise<void> {
  const over = new AbortController();
  const either = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
  const giveUp = new AbortController();
  clock.sleep(deadlineMs, giveUp.signal).then(
    () => over.abort(),
    () => undefined,
  );
  let missing = "";
  try {
    for (;;) {
      try {
        const { items, resourceVersion } = await client.list(kind, which, either);
        const objects = new Map(items.map((object) => [keyOf(object), object]));
        const isDone = (): boolean => {
          const said = look([...objects.values()]);
          if (said !== true) missing = said;
          return said === true;
        };
        if (isDone()) return;
        for await (const event of client.watch(kind, which, resourceVersion, either)) {
          takeOver(objects, event);
          if (event.type !== "BOOKMARK" && isDone()) return;
        }
      } catch (error) {
        if (either.aborted || !canPass(error)) throw error;
        missing = error instanceof Fault ? error.message : missing;
        await clock.sleep(pauseMs, either);
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!over.signal.aborted) throw error;
    const seconds = Math.round(deadlineMs / 1000);
    throw new Fault(kubeFaults.not_in_time, `${missing || `${kind.kind} cannot be seen`} after ${seconds} s`);
  } finally {
    giveUp.abort();
  }
}

/** The same for one object, which is undefined while it is not there. */
export async function waitForObject(
  client: KubeClient,
  ref: KubeRef,
  look: (object: KubeObject | undefined) => Look,
  options: WaitOptions,
): Promise<void> {
  const which = { fields: `metadata.name=${ref.name}`, ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }) };
  await waitForObjects(client, ref, which, ([object]) => look(object), options);
}

/** Waits until an object is gone, or another has taken its name. */
export async function waitUntilGone(
  client: KubeClient,
  ref: KubeRef & { readonly uid?: string },
  options: WaitOptions,
): Promise<void> {
  const look = (object: KubeObject | undefined): Look => {
    if (object === undefined || (ref.uid !== undefined && object.metadata.uid !== ref.uid)) return true;
    const held = object.metadata.finalizers ?? [];
    return `${describeRef(ref)} is still there${held.length === 0 ? "" : `, held by ${held.join(", ")}`}`;
  };
  await waitForObject(client, ref, look, options);
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

function takeOver(objects: Map<string, KubeObject>, { type, object }: KubeEvent): void {
  if (type === "DELETED") objects.delete(keyOf(object));
  else if (type !== "BOOKMARK") objects.set(keyOf(object), object);
}

// A watch that is too old (410) begins anew; a connection that broke off is no Fault, but nothing else either.
function canPass(error: unknown): boolean {
  if (!(error instanceof Fault)) return true;
  return error.retry === "backoff" || error.code === kubeFaults.conflict.code;
}
