import { Fault, systemClock, type Clock } from "@cloudwright/platform";
import type { KubeClient, KubeSelection } from "./create-client.ts";
import { kubeFaults } from "./faults.ts";
import type { KubeKind, KubeObject, KubeRef } from "./kube-object.ts";
import { describeRef } from "./kube-object.ts";
import type { KubeEvent } from "./watch-events.ts";

/** Limits for a wait. */
export interface WaitOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/** The result of a check: true if the objects are ready, or a description of what is missing. */
export type Look = true | string;

const pauseMs = 1000;

/**
 * Waits until a check of the selected objects succeeds. Checks immediately and after each change that a watch reports. Retries while the
 * API is unavailable. At the deadline, throws a fault that describes what was still missing.
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
        // Prevents a tight loop if the server ends watches immediately.
        await clock.sleep(pauseMs, either);
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
    throw new Fault(kubeFaults.not_in_time, `${missing || `${kind.kind} cannot be listed`} after ${seconds} s`);
  } finally {
    giveUp.abort();
  }
}

/** Waits for one object. The check receives undefined while the object does not exist. */
export async function waitForObject(
  client: KubeClient,
  ref: KubeRef,
  look: (object: KubeObject | undefined) => Look,
  options: WaitOptions,
): Promise<void> {
  const which = { fields: `metadata.name=${ref.name}`, ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }) };
  await waitForObjects(client, ref, which, ([object]) => look(object), options);
}

/** Waits until an object no longer exists. If `ref` has a uid, a new object with the same name is ignored. */
export async function waitUntilGone(
  client: KubeClient,
  ref: KubeRef & { readonly uid?: string },
  options: WaitOptions,
): Promise<void> {
  const look = (object: KubeObject | undefined): Look => {
    if (object === undefined || (ref.uid !== undefined && object.metadata.uid !== ref.uid)) return true;
    const held = object.metadata.finalizers ?? [];
    return `${describeRef(ref)} still exists${held.length === 0 ? "" : `, held by ${held.join(", ")}`}`;
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

// Returns whether to retry after an error. Errors that are not faults come from broken connections. A conflict fault means that the
// resource version of a watch is too old (HTTP 410).
function canPass(error: unknown): boolean {
  if (!(error instanceof Fault)) return true;
  return error.retry === "backoff" || error.code === kubeFaults.conflict.code;
}
