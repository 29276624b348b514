import { StatusError } from "../api/status-error.ts";

/** Limits on the objects of simulated clusters. A cluster in use is kept in memory with all its objects. */
export interface ObjectLimits {
  readonly objects: number;
  /** Maximum memory of all objects, including older versions that watchers and readers may still need. */
  readonly bytes: number;
}

/** Limits for one cluster, for all loaded clusters of one project, and for all loaded clusters. */
export interface ClusterLimits {
  readonly cluster: ObjectLimits;
  readonly project: ObjectLimits;
  readonly host: ObjectLimits;
  /** The share of the host's limits that is guaranteed to each project. */
  readonly guaranteed: ObjectLimits;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: ClusterLimits = {
  cluster: { objects: 10_000, bytes: 160 * mebibyte },
  project: { objects: 30_000, bytes: 256 * mebibyte },
  host: { objects: 200_000, bytes: 768 * mebibyte },
  guaranteed: { objects: 2_000, bytes: 16 * mebibyte },
};

/** Counts the objects of one cluster against its limits. */
export interface ClusterBudget {
  readonly limits: ObjectLimits;
  /** Counts an object of a cluster that is being loaded. Throws if the project or the host has no room for it. */
  load(bytes: number): void;
  /** Subtracts a deleted object. */
  remove(bytes: number): void;
  /** Counts a change. Throws a quota error if a new or larger object would exceed a limit. Smaller objects and deletions always succeed. */
  charge(objects: number, bytes: number): void;
  /** Adds or subtracts older object versions that are still in memory. Always succeeds, but leaves less room for current objects. */
  hold(bytes: number): void;
  /** Stops counting the cluster's objects against its project and the host. */
  release(): void;
}

export interface Budgets {
  /** Opens the budget of one cluster. */
  open(project: string): ClusterBudget;
  /** Returns whether idle clusters should be unloaded to make room for a cluster of the project. */
  isNearlyFull(): boolean;
  /** Returns whether idle clusters of the project should be unloaded. */
  isProjectNearlyFull(project: string): boolean;
}

interface Usage {
  objects: number;
  bytes: number;
}

// Controllers and deletions add a few bytes to existing objects. They must still work when a cluster is full.
const smallGrowth = 4096;
const reserve = 1.1;
/**
 * A cluster from an earlier release may be larger than allowed. It is loaded if it exceeds the limit by at most this factor, so that its
 * objects can be deleted.
 */
const mostToLoad = 1.5;
/** The fraction of the host's limits that projects may use beyond their guaranteed shares. */
const sharedPart = 2 / 3;

/** Creates the budgets of all clusters in one host. */
export function createBudgets(limits: ClusterLimits): Budgets {
  const projects = new Map<string, Usage & { clusters: number }>();
  const host: Usage = { objects: 0, bytes: 0 };
  /** Total usage of all projects beyond their guaranteed shares. */
  const beyond: Usage = { objects: 0, bytes: 0 };

  const hasHostRoom = (project: Usage, objects: number, bytes: number): boolean => {
    if (!fits(host, limits.host, objects, bytes)) return false;
    const next = { objects: project.objects + objects, bytes: project.bytes + bytes };
    return (["objects", "bytes"] as const).every((what) => {
      const growth = excess(next, limits.guaranteed)[what] - excess(project, limits.guaranteed)[what];
      return growth <= 0 || beyond[what] + growth <= limits.host[what] * sharedPart;
    });
  };

  const open = (project: string): ClusterBudget => {
    const own: Usage = { objects: 0, bytes: 0 };
    const shared = projects.get(project) ?? { objects: 0, bytes: 0, clusters: 0 };
    projects.set(project, shared);
    shared.clusters++;
    let isReleased = false;
    const add = (objects: number, bytes: number): void => {
      if (isReleased) return;
      const before = excess(shared, limits.guaranteed);
      for (const usage of [own, shared, host]) {
        usage.objects += objects;
        usage.bytes += bytes;
      }
      const after = excess(shared, limits.guaranteed);
      beyond.objects += after.objects - before.objects;
      beyond.bytes += after.bytes - before.bytes;
    };
    return {
      limits: limits.cluster,
      load(bytes) {
        if (own.bytes + bytes > limits.cluster.bytes * mostToLoad) throw tooLargeToLoad(limits.cluster.bytes);
        // The only loaded cluster of a project may exceed the project's limit, so that its objects can be deleted.
        if (shared.objects > own.objects && !fits(shared, limits.project, 1, bytes))
          throw busy("too many objects of this project are in use");
        if (!hasHostRoom(shared, 1, bytes)) throw busy("too many simulated clusters are in use");
        add(1, bytes);
      },
      remove: (bytes) => add(-1, -bytes),
      charge(objects, bytes) {
        requireRoom("cluster", own, limits.cluster, objects, bytes);
        requireRoom("project", shared, limits.project, objects, bytes);
        const isSmall = objects <= 0 && bytes <= smallGrowth;
        if (!isSmall && !hasHostRoom(shared, objects, bytes)) throw busy("the simulated clusters have no memory left");
        add(objects, bytes);
      },
      hold: (bytes) => add(0, bytes),
      release() {
        if (isReleased) return;
        add(-own.objects, -own.bytes);
        isReleased = true;
        shared.clusters--;
        if (shared.clusters === 0) projects.delete(project);
      },
    };
  };
  const isHalfFull = (used: Usage, limit: ObjectLimits): boolean =>
    used.bytes > limit.bytes / 2 || used.objects > limit.objects / 2;
  return {
    open,
    isNearlyFull: () => isHalfFull(host, limits.host),
    isProjectNearlyFull: (project) => isHalfFull(projects.get(project) ?? { objects: 0, bytes: 0 }, limits.project),
  };
}

function fits(used: Usage, limit: ObjectLimits, objects: number, bytes: number): boolean {
  return used.objects + objects <= limit.objects && used.bytes + bytes <= limit.bytes;
}

function excess(used: Usage, limit: ObjectLimits): Usage {
  return { objects: Math.max(0, used.objects - limit.objects), bytes: Math.max(0, used.bytes - limit.bytes) };
}

function requireRoom(what: string, used: Usage, limit: ObjectLimits, objects: number, bytes: number): void {
  if (objects > 0 && used.objects + objects > limit.objects) throw exceeded(what, `${limit.objects} objects`);
  if (bytes <= 0) return;
  const allowed = objects === 0 && bytes <= smallGrowth ? limit.bytes * reserve : limit.bytes;
  if (used.bytes + bytes > allowed) throw exceeded(what, `${toMebibytes(limit.bytes)} MiB of memory`);
}

function toMebibytes(bytes: number): number {
  return Math.round((bytes / mebibyte) * 10) / 10;
}

function exceeded(what: string, limit: string): StatusError {
  return new StatusError(
    403,
    "Forbidden",
    `exceeded quota: the objects of a simulated ${what} are limited to ${limit}; delete objects first`,
    {},
  );
}

function tooLargeToLoad(limit: number): StatusError {
  const message = `the objects of this simulated cluster need far more than the allowed ${toMebibytes(limit)} MiB of memory, so it is not loaded; delete the cluster or reset its simulated account`;
  return new StatusError(503, "ServiceUnavailable", message, {});
}

function busy(why: string): StatusError {
  return new StatusError(503, "ServiceUnavailable", `${why}; try again later`, { retryAfterSeconds: 5 });
}
