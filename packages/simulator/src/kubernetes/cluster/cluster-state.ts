import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../../faults.ts";
import type { KubernetesObjects, ObjectChange, ObjectKey, ObjectSnapshot } from "../objects/kubernetes-objects.ts";
import { createBudgets, defaultLimits, type ClusterBudget } from "./cluster-budget.ts";
import { isSame, type KubeObject } from "./kube-object.ts";

/** A change as watchers see it. */
export interface WatchedChange {
  readonly version: number;
  readonly resource: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The new object. For a deletion: the last state of the object, with the version of the deletion. */
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
}

/** A stored object with its key. Its JSON is rendered once per version. */
export interface Kept {
  readonly key: ObjectKey;
  /** Namespace and name, the sort key of lists. */
  readonly place: string;
  object: KubeObject;
  json: string | undefined;
  /** Size of the JSON, as counted against the cluster's budget. */
  size: number;
}

/**
 * The objects of a cluster in memory. Reads see changes immediately. Watchers see a change only after it is saved, and `kept` waits until
 * all changes are saved.
 */
export interface ClusterState {
  version(): number;
  find(resource: string, namespace: string, name: string): KubeObject | undefined;
  /** Returns a new list, ordered by namespace and name. */
  list(resource: string, namespace?: string): KubeObject[];
  listKept(resource: string, namespace?: string): readonly Kept[];
  listAll(): Iterable<Kept>;
  /**
   * Adds or replaces an object and returns it with its new version. If nothing has changed, the version stays the same. Throws if the
   * budget is exceeded.
   */
  put(resource: string, object: KubeObject): KubeObject;
  remove(resource: string, namespace: string, name: string): KubeObject | undefined;
  kept(): Promise<void>;
  onChange(listener: (change: WatchedChange) => void): () => void;
  /** Returns the changes after a version, or undefined if some of them are no longer available. */
  changesAfter(version: number): readonly WatchedChange[] | undefined;
  /** Ends watches and stops saving changes. */
  end(): void;
  /** Aborted after `end`, or when a change could not be saved. In either case, the cluster must be loaded again. */
  readonly ended: AbortSignal;
}

interface Shelf {
  readonly objects: Map<string, Kept>;
  /** The same objects, ordered by place. Built on first use and maintained from then on. */
  sorted: Kept[] | undefined;
}

const remembered = 2_000;

/** Creates the state of a cluster from its stored objects. */
export function createClusterState(
  store: Pick<KubernetesObjects, "commit">,
  id: string,
  snapshot: ObjectSnapshot,
  budget: ClusterBudget = createBudgets(defaultLimits).open(""),
): ClusterState {
  const shelves = new Map<string, Shelf>();
  const listeners = new Set<(change: WatchedChange) => void>();
  let history: { readonly change: WatchedChange; readonly size: number }[] = [];
  let historySize = 0;
  let forgottenUpTo = snapshot.version;
  let version = snapshot.version;
  let keptVersion = snapshot.version;
  let waiting: WatchedChange[] = [];
  let writing: Promise<void> | undefined;
  let failure: Error | undefined;
  const ending = new AbortController();

  let loadedBytes = 0;
  for (const { key, object } of snapshot.objects) {
    const place = placeOf(key);
    const size = sizeOf(object);
    loadedBytes += size;
    shelfOf(key.resource).objects.set(place, { key, place, object, json: undefined, size });
  }

  budget.load(snapshot.objects.length, loadedBytes);

  function shelfOf(resource: string): Shelf {
    let shelf = shelves.get(resource);
    if (shelf === undefined) shelves.set(resource, (shelf = { objects: new Map(), sorted: undefined }));
    return shelf;
  }

  function listKept(resource: string, namespace?: string): readonly Kept[] {
    const shelf = shelves.get(resource);
    if (shelf === undefined) return [];
    shelf.sorted ??= [...shelf.objects.values()].toSorted(byPlace);
    return shelf.sorted.filter(({ key }) => namespace === undefined || key.namespace === namespace);
  }

  function note(change: WatchedChange): void {
    // After a failed write, later changes must not be saved, because they build on the lost ones.
    if (ending.signal.aborted) return;
    waiting.push(change);
    if (writing !== undefined) return;
    writing = Promise.resolve().then(write);
    // Not every writer awaits the write. Those that do get the error through `kept`.
    writing.catch(() => undefined);
  }

  // Changes that arrive during a write are batched into the next one.
  async function write(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        await store.commit(id, keptVersion, batch.map(toStored));
        keptVersion = batch.at(-1)?.version ?? keptVersion;
        announce(batch);
      }
    } catch (error) {
      failure = error as Error;
      budget.release();
      ending.abort();
      throw error;
    } finally {
      writing = undefined;
    }
  }

  function announce(batch: readonly WatchedChange[]): void {
    for (const change of batch) {
      const size = sizeOf(change.object);
      history.push({ change, size });
      historySize += size;
    }
    if (history.length > remembered * 2 || historySize > budget.limits.bytes) forgetOldest();
    for (const change of batch) for (const listener of listeners) listener(change);
  }

  function forgetOldest(): void {
    let dropped = Math.max(0, history.length - remembered);
    for (const { size } of history.slice(0, dropped)) historySize -= size;
    for (; historySize > budget.limits.bytes / 2 && dropped < history.length; dropped++)
      historySize -= history[dropped]?.size ?? 0;
    forgottenUpTo = history[dropped - 1]?.change.version ?? forgottenUpTo;
    history = history.slice(dropped);
  }

  return {
    version: () => version,
    find: (resource, namespace, name) => shelves.get(resource)?.objects.get(`${namespace}/${name}`)?.object,
    list: (resource, namespace) => listKept(resource, namespace).map(({ object }) => object),
    listKept,
    *listAll() {
      for (const shelf of shelves.values()) yield* shelf.objects.values();
    },
    put(resource, object) {
      const key = { resource, namespace: object.metadata.namespace ?? "", name: object.metadata.name };
      const shelf = shelfOf(resource);
      const place = placeOf(key);
      const known = shelf.objects.get(place);
      const previous = known?.object;
      if (previous !== undefined && isSameBut(previous, object)) return previous;
      const size = sizeOf(object);
      budget.charge(known === undefined ? 1 : 0, size - (known?.size ?? 0));
      const stamped = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
      if (known === undefined) {
        const kept = { key, place, object: stamped, json: undefined, size };
        shelf.objects.set(place, kept);
        shelf.sorted?.splice(positionIn(shelf.sorted, place), 0, kept);
      } else {
        known.object = stamped;
        known.json = undefined;
        known.size = size;
      }
      note({ version, resource, type: previous === undefined ? "ADDED" : "MODIFIED", object: stamped, previous });
      return stamped;
    },
    remove(resource, namespace, name) {
      const shelf = shelfOf(resource);
      const known = shelf.objects.get(`${namespace}/${name}`);
      if (known === undefined) return undefined;
      const previous = known.object;
      budget.remove(known.size);
      shelf.objects.delete(`${namespace}/${name}`);
      shelf.sorted?.splice(positionIn(shelf.sorted, `${namespace}/${name}`), 1);
      const object = { ...previous, metadata: { ...previous.metadata, resourceVersion: String(++version) } };
      note({ version, resource, type: "DELETED", object, previous });
      return object;
    },
    kept: async () => {
      await writing;
      if (ending.signal.aborted)
        throw failure ?? new Fault(simulatorFaults.objects_stale, `this process no longer serves cluster ${id}`);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    changesAfter: (after) =>
      after < forgottenUpTo ? undefined : history.flatMap(({ change }) => (change.version > after ? [change] : [])),
    end() {
      budget.release();
      ending.abort();
    },
    ended: ending.signal,
  };
}

/** Returns the JSON of a stored object. */
export function jsonOf(kept: Kept): string {
  return (kept.json ??= JSON.stringify(kept.object));
}

function toStored({ version, resource, type, object }: WatchedChange): ObjectChange {
  const key = { resource, namespace: object.metadata.namespace ?? "", name: object.metadata.name };
  return { version, key, object: type === "DELETED" ? undefined : object };
}

// The version is left out, because it is assigned after the size is checked.
function sizeOf(object: KubeObject): number {
  return JSON.stringify(object).length;
}

function isSameBut(previous: KubeObject, next: KubeObject): boolean {
  const { resourceVersion: _, ...metadata } = next.metadata;
  const { resourceVersion: __, ...was } = previous.metadata;
  return isSame({ ...next, metadata }, { ...previous, metadata: was });
}

function placeOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}

function byPlace(left: Kept, right: Kept): number {
  return left.place < right.place ? -1 : left.place > right.place ? 1 : 0;
}

// Returns the index of an entry in an ordered list, or the index at which it belongs.
function positionIn(sorted: readonly Kept[], place: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as Kept).place < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
