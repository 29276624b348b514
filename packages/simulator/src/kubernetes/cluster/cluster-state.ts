import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../../faults.ts";
import type { KubernetesObjects, ObjectChange, ObjectKey, ObjectSnapshot } from "../objects/kubernetes-objects.ts";
import { createBudgets, defaultLimits, type ClusterBudget } from "./cluster-budget.ts";
import { isSame, type KubeObject } from "./kube-object.ts";
import { weighObject } from "./object-weight.ts";

/** A change as watchers see it. */
export interface WatchedChange {
  readonly version: number;
  readonly resource: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The new object. For a deletion: the last state of the object, with the version of the deletion. */
  readonly object: KubeObject;
  readonly previous: KubeObject | undefined;
  /** Length of the object as JSON, without its version. */
  readonly size: number;
  /** Memory occupied by the previous version, which is kept as long as the history contains this change. */
  readonly previousMemory: number;
}

/** A stored object with its key. Its JSON is rendered once per version. */
export interface Kept {
  readonly key: ObjectKey;
  /** Namespace and name, the sort key of lists. */
  readonly place: string;
  object: KubeObject;
  json: string | undefined;
  /** Length of the JSON, without the version. */
  size: number;
  /** The object's memory, as counted against the cluster's budget. */
  memory: number;
}

/**
 * Marks a version whose objects are still being read. Older versions of objects count against the budget until the mark moves past them.
 */
export interface Reading {
  /** Moves the mark to a later version. Pass Infinity if nothing is currently being read. */
  version: number;
  /** Called if the reader keeps too much memory in use. The reader must then release all objects. */
  readonly end: () => void;
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
  /**
   * Maintains an index. Calls the listener for every stored object and then for each change, before the change is saved. `before` is
   * undefined for a creation, and `after` is undefined for a deletion.
   */
  follow(listener: (change: IndexedChange) => void): void;
  /** Returns the changes after a version, or undefined if some of them are no longer available. */
  changesAfter(version: number): readonly WatchedChange[] | undefined;
  /** Marks the current version as being read. The reader must call `endReading`, and stop reading when `end` is called. */
  startReading(end: () => void): Reading;
  endReading(reading: Reading): void;
  /** Ends watches and stops saving changes. */
  end(): void;
  /** Aborted after `end`, or when a change could not be saved. In either case, the cluster must be loaded again. */
  readonly ended: AbortSignal;
}

/** A change as an index sees it. */
export interface IndexedChange {
  readonly kept: Kept;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

interface Shelf {
  readonly objects: Map<string, Kept>;
  /** The same objects, ordered by namespace and name. Built on first use and maintained from then on. */
  sorted: Kept[] | undefined;
}

const remembered = 2_000;
/** At most this many changes are saved and announced together, so that other clusters are served in between. */
const mostChanges = 200;
const mostChangedBytes = 8 * 1024 * 1024;
/** The history may use the cluster's memory limit divided by this number. */
const historyPart = 4;

/** Creates the state of a cluster from its stored objects. */
export function createClusterState(
  store: Pick<KubernetesObjects, "commit">,
  id: string,
  snapshot: ObjectSnapshot,
  budget: ClusterBudget = createBudgets(defaultLimits).open(""),
): ClusterState {
  const shelves = new Map<string, Shelf>();
  const listeners = new Set<(change: WatchedChange) => void>();
  const followers: ((change: IndexedChange) => void)[] = [];
  let history: WatchedChange[] = [];
  /** The memory that the previous versions in the history and in waiting changes occupy. */
  let historyMemory = 0;
  /** Previous versions that the history no longer contains but that readers may still use. */
  const unread: { readonly version: number; readonly memory: number }[] = [];
  const readings = new Set<Reading>();
  let forgottenUpTo = snapshot.version;
  let version = snapshot.version;
  let keptVersion = snapshot.version;
  let waiting: WatchedChange[] = [];
  let writing: Promise<void> | undefined;
  let failure: Error | undefined;
  const ending = new AbortController();
  const mostHistory = budget.limits.bytes / historyPart;

  try {
    // The store parses each object only when it is read here, so a cluster that does not fit is rejected before it is completely in
    // memory.
    for (const { key, object } of snapshot.objects) {
      const { bytes, memory } = weighObject(object);
      budget.load(memory);
      const place = placeOf(key);
      shelfOf(key.resource).objects.set(place, { key, place, object, json: undefined, size: bytes, memory });
    }
  } catch (error) {
    budget.release();
    throw error;
  }

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
    historyMemory += change.previousMemory;
    budget.hold(change.previousMemory);
    if (writing !== undefined) return;
    writing = Promise.resolve().then(write);
    // Prevents an unhandled rejection. Writers that wait for the write get the error through `kept`.
    writing.catch(() => undefined);
  }

  // The first write contains all initial objects, so that a cluster has all of them or none.
  function takeBatch(): WatchedChange[] {
    if (keptVersion === 0) return waiting.splice(0);
    let count = 0;
    for (let bytes = 0; count < Math.min(waiting.length, mostChanges) && bytes < mostChangedBytes; count++)
      bytes += waiting[count]?.size ?? 0;
    return waiting.splice(0, count);
  }

  // Changes that arrive during a write are batched into the next one.
  async function write(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const batch = takeBatch();
        await store.commit(id, keptVersion, batch.map(toStored));
        keptVersion = batch.at(-1)?.version ?? keptVersion;
        announce(batch);
        if (waiting.length > 0) await new Promise((resolve) => setImmediate(resolve));
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
    for (const change of batch) history.push(change);
    if (history.length > remembered * 2 || historyMemory > mostHistory) forgetOldest(mostHistory / 2);
    for (const change of batch) for (const listener of listeners) listener(change);
  }

  // Discards old changes until the remaining ones occupy at most this much memory.
  function forgetOldest(most: number): void {
    let dropped = Math.max(0, history.length - remembered);
    let memory = history.slice(0, dropped).reduce((sum, change) => sum + change.previousMemory, 0);
    for (; historyMemory - memory > most && dropped < history.length; dropped++) memory += history[dropped]?.previousMemory ?? 0;
    for (const { version: at, previousMemory } of history.slice(0, dropped)) unread.push({ version: at, memory: previousMemory });
    historyMemory -= memory;
    forgottenUpTo = history[dropped - 1]?.version ?? forgottenUpTo;
    history = history.slice(dropped);
    releaseUnread();
  }

  // A reader of version 5 may still use the objects that change 6 replaced, but not those that change 5 replaced.
  function releaseUnread(): void {
    while (unread.length > 0) {
      const oldest = Math.min(...[...readings].map((reading) => reading.version), Infinity);
      const count = unread.findIndex((entry) => entry.version > oldest);
      for (const { memory } of unread.splice(0, count === -1 ? unread.length : count)) budget.hold(-memory);
      if (unread.reduce((sum, { memory }) => sum + memory, 0) <= mostHistory) return;
      // The slowest reader keeps too much memory in use.
      for (const reading of readings) {
        if (reading.version !== oldest) continue;
        readings.delete(reading);
        reading.end();
      }
    }
  }

  // When a cluster is full, its history is discarded first.
  function charge(objects: number, bytes: number): void {
    try {
      budget.charge(objects, bytes);
    } catch (error) {
      if (history.length === 0 && unread.length === 0) throw error;
      forgetOldest(-1);
      budget.charge(objects, bytes);
    }
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
      const { bytes: size, memory } = weighObject(object);
      const previousMemory = known?.memory ?? 0;
      charge(known === undefined ? 1 : 0, memory - previousMemory);
      const stamped = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
      const kept = known ?? { key, place, object: stamped, json: undefined, size, memory };
      if (known === undefined) {
        shelf.objects.set(place, kept);
        shelf.sorted?.splice(positionIn(shelf.sorted, place), 0, kept);
      } else {
        known.object = stamped;
        known.json = undefined;
        known.size = size;
        known.memory = memory;
      }
      for (const follow of followers) follow({ kept, before: previous, after: stamped });
      const type = previous === undefined ? "ADDED" : "MODIFIED";
      note({ version, resource, type, object: stamped, previous, size, previousMemory });
      return stamped;
    },
    remove(resource, namespace, name) {
      const shelf = shelfOf(resource);
      const known = shelf.objects.get(`${namespace}/${name}`);
      if (known === undefined) return undefined;
      const previous = known.object;
      budget.remove(known.memory);
      shelf.objects.delete(`${namespace}/${name}`);
      shelf.sorted?.splice(positionIn(shelf.sorted, `${namespace}/${name}`), 1);
      const object = { ...previous, metadata: { ...previous.metadata, resourceVersion: String(++version) } };
      for (const follow of followers) follow({ kept: known, before: previous, after: undefined });
      note({ version, resource, type: "DELETED", object, previous, size: known.size, previousMemory: known.memory });
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
    follow(listener) {
      followers.push(listener);
      for (const shelf of shelves.values())
        for (const kept of shelf.objects.values()) listener({ kept, before: undefined, after: kept.object });
    },
    changesAfter: (after) => (after < forgottenUpTo ? undefined : history.filter((change) => change.version > after)),
    startReading(end) {
      const reading = { version, end };
      readings.add(reading);
      return reading;
    },
    endReading(reading) {
      readings.delete(reading);
      releaseUnread();
    },
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
