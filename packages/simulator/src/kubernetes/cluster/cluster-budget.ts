import { StatusError } from "../api/status-error.ts";

/** Limits on the objects of simulated clusters, which are kept in memory while they are in use. */
export interface ObjectLimits {
  readonly objects: number;
  /** Maximum total size of all objects as JSON. */
  readonly bytes: number;
}

/** Limits for one cluster, and for all loaded clusters of one project. */
export interface ClusterLimits {
  readonly cluster: ObjectLimits;
  readonly project: ObjectLimits;
}

export const defaultLimits: ClusterLimits = {
  cluster: { objects: 10_000, bytes: 64 * 1024 * 1024 },
  project: { objects: 40_000, bytes: 192 * 1024 * 1024 },
};

/** Counts the objects of one cluster against its limits. */
export interface ClusterBudget {
  readonly limits: ObjectLimits;
  /** Counts stored objects without checking the limits. */
  add(objects: number, bytes: number): void;
  /** Counts a change. Throws a quota error if a new or larger object exceeds a limit. Smaller objects and deletions always succeed. */
  charge(objects: number, bytes: number): void;
  /** Stops counting the cluster against its project. */
  release(): void;
}

interface Usage {
  objects: number;
  bytes: number;
}

// Controllers and deletions add a few bytes to existing objects. They must still work when a cluster is full.
const smallGrowth = 2048;
const reserve = 1.1;

/** Creates the budgets of all clusters in one host. */
export function createBudgets(limits: ClusterLimits): (project: string) => ClusterBudget {
  const projects = new Map<string, Usage>();
  return (project) => {
    const own: Usage = { objects: 0, bytes: 0 };
    const shared = projects.get(project) ?? { objects: 0, bytes: 0 };
    projects.set(project, shared);
    let isReleased = false;
    const add = (objects: number, bytes: number): void => {
      if (isReleased) return;
      for (const usage of [own, shared]) {
        usage.objects += objects;
        usage.bytes += bytes;
      }
    };
    return {
      limits: limits.cluster,
      add,
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
