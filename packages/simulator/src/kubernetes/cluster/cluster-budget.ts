import { StatusError } from "../api/status-error.ts";

/** Limits on the objects of simulated clusters. A cluster in use is kept in memory with all its objects. */
export interface ObjectLimits {
  readonly objects: number;
  /** Maximum total size of all objects as JSON. */
  readonly bytes: number;
}

/** Limits for one cluster, for all loaded clusters of one project, and for all loaded clusters. */
export interface ClusterLimits {
  readonly cluster: ObjectLimits;
  readonly project: ObjectLimits;
  readonly host: ObjectLimits;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: ClusterLimits = {
  cluster: { objects: 10_000, bytes: 48 * mebibyte },
  project: { objects: 30_000, bytes: 96 * mebibyte },
  host: { objects: 200_000, bytes: 256 * mebibyte },
};

/** Counts the objects of one cluster against its limits. */
export interface ClusterBudget {
  readonly limits: ObjectLimits;
  /** Counts the objects of a cluster that is being loaded. Throws if the project or the host has no room for it. */
  load(objects: number, bytes: number): void;
  /** Subtracts a deleted object. */
  remove(bytes: number): void;
  /** Counts a change. Throws a quota error if a new or larger object would exceed a limit. Smaller objects and deletions always succeed. */
  charge(objects: number, bytes: number): void;
  /** Stops counting the cluster's objects against its project and the host. */
  release(): void;
}

export interface Budgets {
  /** Opens the budget of one cluster. */
  open(project: string): ClusterBudget;
  /** Returns whether idle clusters should be unloaded. */
  isNearlyFull(): boolean;
}

interface Usage {
  objects: number;
  bytes: number;
}

// Controllers and deletions add a few bytes to existing objects. They must still work when a cluster is full.
const smallGrowth = 2048;
const reserve = 1.1;

/** Creates the budgets of all clusters in one host. */
export function createBudgets(limits: ClusterLimits): Budgets {
  const projects = new Map<string, Usage>();
  const host: Usage = { objects: 0, bytes: 0 };
  const open = (project: string): ClusterBudget => {
    const own: Usage = { objects: 0, bytes: 0 };
    const shared = projects.get(project) ?? { objects: 0, bytes: 0 };
    projects.set(project, shared);
    let isReleased = false;
    const add = (objects: number, bytes: number): void => {
      if (isReleased) return;
      for (const usage of [own, shared, host]) {
        usage.objects += objects;
        usage.bytes += bytes;
      }
    };
    return {
      limits: limits.cluster,
      load(objects, bytes) {
        // A cluster can always be loaded if no other one is, so that its objects can be deleted.
        if (shared.objects > 0 && !fits(shared, limits.project, objects, bytes))
          throw busy("too many objects of this project are in use");
        if (host.objects > 0 && !fits(host, limits.host, objects, bytes)) throw busy("too many simulated clusters are in use");
        add(objects, bytes);
      },
      remove: (bytes) => add(-1, -bytes),
      charge(objects, bytes) {
        requireRoom("cluster", own, limits.cluster, objects, bytes);
        requireRoom("project", shared, limits.project, objects, bytes);
        add(objects, bytes);
      },
      release() {
        add(-own.objects, -own.bytes);
        isReleased = true;
        if (shared.objects === 0) projects.delete(project);
      },
    };
  };
  return { open, isNearlyFull: () => host.bytes > limits.host.bytes / 2 || host.objects > limits.host.objects / 2 };
}

function fits(used: Usage, limit: ObjectLimits, objects: number, bytes: number): boolean {
  return used.objects + objects <= limit.objects && used.bytes + bytes <= limit.bytes;
}

function requireRoom(what: string, used: Usage, limit: ObjectLimits, objects: number, bytes: number): void {
  if (objects > 0 && used.objects + objects > limit.objects) throw exceeded(what, `${limit.objects} objects`);
  if (bytes <= 0) return;
  const allowed = objects === 0 && bytes <= smallGrowth ? limit.bytes * reserve : limit.bytes;
  if (used.bytes + bytes > allowed) throw exceeded(what, `${Math.floor(limit.bytes / 1024)} KiB of objects`);
}

function exceeded(what: string, limit: string): StatusError {
  return new StatusError(
    403,
    "Forbidden",
    `exceeded quota: a simulated ${what} is limited to ${limit}; delete objects first`,
    {},
  );
}

function busy(why: string): StatusError {
  return new StatusError(503, "ServiceUnavailable", `${why}; try again later`, { retryAfterSeconds: 5 });
}
