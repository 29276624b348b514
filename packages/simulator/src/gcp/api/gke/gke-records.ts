import type { ApiCall, ApiOperation, Touched } from "../../../api/api-service.ts";
import type { Operation } from "../../../api/operations.ts";
import { findRecord, listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import type { ValueMap } from "../../../values/value.ts";
import { findVersion, offeredVersions } from "../../gke/versions.ts";
import { invalid, refuse } from "../errors.ts";

export const clusterType = "google_container_cluster";
export const poolType = "google_container_node_pool";

/** A GKE operation, without the location in its name and path. */
export interface LocatedOperation {
  /** The name relative to `container.projects.locations`, such as `clusters.get`. */
  readonly name: string;
  readonly method: string;
  /** The path relative to the location, such as `/clusters/{cluster}`. */
  readonly path: string;
  readonly touches?: Touched;
  /**
   * Whether the operation also has the path `/v1/projects/{project}/zones/{location}`, which older clients use and which also accepts
   * regions.
   */
  readonly isZonal?: boolean;
  run(call: ApiCall): Promise<unknown>;
}

/** Returns an operation once for each form of its path. */
export function inLocation({ name, method, path, touches, isZonal = false, run }: LocatedOperation): readonly ApiOperation[] {
  return ["locations", ...(isZonal ? ["zones"] : [])].map((place) => ({
    name: `container.projects.${place}.${name}`,
    match: { method, path: `/v1/projects/{project}/${place}/{location}${path}` },
    ...(touches === undefined ? {} : { touches }),
    run: async (call) => ({ content: await run(call) }),
  }));
}

/** Returns a path parameter. */
export function parameterOf({ parameters }: ApiCall, name: string): string {
  return parameters[name] ?? "";
}

/** Returns the path of the request's location. */
export function locationPath(call: ApiCall): string {
  return `projects/${parameterOf(call, "project")}/locations/${parameterOf(call, "location")}`;
}

/** Returns the cluster that the path names. Throws GKE's error if the cluster does not exist. */
export async function getCluster(call: ApiCall): Promise<CloudRecord> {
  return getRecord(call, clusterType, `${locationPath(call)}/clusters/${parameterOf(call, "cluster")}`);
}

/** Returns the node pool that the path names. Throws GKE's error if the node pool does not exist. */
export async function getPool(call: ApiCall): Promise<CloudRecord> {
  const cluster = await getCluster(call);
  return getRecord(call, poolType, `${cluster.id}/nodePools/${parameterOf(call, "pool")}`);
}

async function getRecord(call: ApiCall, type: string, id: string): Promise<CloudRecord> {
  const found = await findRecord(call, type, id);
  return found ?? refuse({ code: "notFound", message: `Not found: ${id}.`, status: 404 });
}

/** Lists the node pools of a cluster, sorted by name. */
export async function listPools(call: ApiCall, { id }: CloudRecord): Promise<readonly CloudRecord[]> {
  const pools = (await listRecords(call, poolType)).filter((pool) => pool.id.startsWith(`${id}/nodePools/`));
  return pools.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns the operation in progress on a cluster or one of its node pools. */
export function findBusy({ operations }: ApiCall, cluster: CloudRecord): Operation | undefined {
  const isPool = ({ target }: Operation): boolean => target.id.startsWith(`${cluster.id}/nodePools/`);
  return operations.findPending(cluster) ?? operations.list().findLast((each) => isPool(each) && operations.isPending(each));
}

/** Throws if another operation on the cluster or its node pools is in progress. GKE runs one operation per cluster at a time. */
export function requireIdle(call: ApiCall, cluster: CloudRecord): void {
  const busy = findBusy(call, cluster);
  if (busy === undefined) return;
  const message = `Cluster is running incompatible operation ${nameOperation(busy)}.`;
  refuse({ code: "failedPrecondition", message, status: 400 });
}

/** Returns the name of an operation. */
export function nameOperation({ id }: Operation): string {
  return `operation-${id}`;
}

/** Returns the offered version that a request names. */
export function readVersion(text: string, usual: string): string {
  const found = text === "" || text === "-" ? usual : text === "latest" ? offeredVersions[0] : findVersion(text);
  return found ?? refuse(invalid(`Version "${text.slice(0, 100)}" is invalid.`));
}

/** Returns the attributes of `whole` that `patch` sets. The hooks treat all others as unchanged. */
export function pickChanged(whole: ValueMap, patch: ValueMap): ValueMap {
  return Object.fromEntries(Object.keys(patch).map((name) => [name, whole[name] ?? null]));
}
