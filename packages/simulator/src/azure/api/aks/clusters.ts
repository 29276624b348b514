import { isObject, listOf, numberOf, objectOf, textOf } from "@cloudwright/platform";
import type { ApiAnswer, ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import type { ValueMap } from "../../../values/value.ts";
import { findVersion } from "../../aks/versions.ts";
import { getResource, listArmOperations, renderResource, type ArmKind, type Written } from "../arm-kind.ts";
import { etagOf } from "../arm-resources.ts";
import { refuse } from "../errors.ts";
import { guid } from "../../place.ts";
import { clusterMapping } from "./cluster-mapping.ts";
import { poolMapping, renderFirstPool, renderPool, writeFirstPool, writePool } from "./pool-mapping.ts";

/** AKS clusters. */
export const clusterKind: ArmKind = {
  mapping: clusterMapping,
  path: "Microsoft.ContainerService/managedClusters/{resourceName}",
  title: "ManagedClusters",
  names: { list: "ListByResourceGroup", listAll: "List" },
  read: readCluster,
  complete: completeCluster,
  nameUpdate(body, { attributes }) {
    const version = textOf(objectOf(objectOf(body)["properties"])["kubernetesVersion"]);
    return (findVersion(version)?.patch ?? "") === attributes["current_kubernetes_version"] || version === ""
      ? "ManagedClusters_Update"
      : "ManagedClusters_Upgrade";
  },
};

/** Operations on clusters. */
export const clusterOperations: readonly ApiOperation[] = listArmOperations(clusterKind).map((operation) =>
  operation.name === "ManagedClusters_CreateOrUpdate"
    ? { ...operation, run: (call) => putCluster(call, operation.run) }
    : operation,
);

/** Returns the cluster that the path names. */
export function getCluster(call: ApiCall): Promise<CloudRecord> {
  return getResource(call, clusterKind);
}

/** Lists the pools of a cluster that have their own records. */
export async function listOtherPools(call: ApiCall, cluster: CloudRecord): Promise<readonly CloudRecord[]> {
  const all = await listRecords(call, poolMapping.type);
  return all.filter(({ attributes }) => textOf(attributes["kubernetes_cluster_id"]).toLowerCase() === cluster.id.toLowerCase());
}

const words: Readonly<Record<string, string>> = {
  ManagedClusters_Upgrade: "Upgrading",
  AgentPools_Upgrade: "Upgrading",
  AgentPools_Scale: "Scaling",
};

/** Returns the provisioning state of a cluster or of a pool. An operation on the first pool is an operation on the cluster's record. */
function stateOf({ operations }: ApiCall, record: CloudRecord, part: "cluster" | "pool"): string {
  const pending = operations.findPending(record);
  if (pending === undefined) return "Succeeded";
  if (pending.verb !== "update") return pending.verb === "create" ? "Creating" : "Deleting";
  const isPool = pending.name.startsWith("AgentPools_");
  return isPool === (part === "pool") ? (words[pending.name] ?? "Updating") : "Succeeded";
}

/** Renders the first pool's properties. */
export function describeFirstPool(call: ApiCall, cluster: CloudRecord): Record<string, unknown> {
  const properties = renderFirstPool(cluster);
  return { ...properties, ...describeState(stateOf(call, cluster, "pool")), eTag: etagOf(properties as ValueMap) };
}

/** Renders the properties of a pool that has its own record. */
export function describePool(call: ApiCall, record: CloudRecord): Record<string, unknown> {
  return { ...renderPool(record), ...describeState(stateOf(call, record, "pool")), eTag: etagOf(record.attributes) };
}

function describeState(provisioningState: string): Record<string, unknown> {
  return { provisioningState, powerState: { code: "Running" } };
}

/** Returns the name of a cluster's first pool. */
export function firstPoolOf({ attributes }: CloudRecord): string {
  const [block] = listOf(attributes["default_node_pool"]);
  return textOf(objectOf(block)["name"]);
}

async function completeCluster(
  call: ApiCall,
  record: CloudRecord,
  rendered: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const state = stateOf(call, record, "cluster");
  const { fqdn, privateFQDN, aadProfile, ...properties } = objectOf(rendered["properties"]) as Record<string, unknown>;
  const pools = await listOtherPools(call, record);
  const createdMs = record.attributes["api_created_ms"];
  const sku = objectOf(rendered["sku"]);
  return {
    ...rendered,
    eTag: etagOf(record.attributes),
    ...(typeof createdMs === "number" ? { systemData: { createdAt: new Date(createdMs).toISOString() } } : {}),
    kind: "Base",
    sku: { name: "Base", ...sku },
    properties: {
      ...properties,
      // A cluster has no address until its API server is running.
      ...(state === "Creating" ? {} : { fqdn, privateFQDN }),
      ...(aadProfile === undefined ? {} : { aadProfile: { managed: true, ...objectOf(aadProfile) } }),
      agentPoolProfiles: [
        { name: firstPoolOf(record), ...describeFirstPool(call, record) },
        ...pools.map((pool) => ({ name: textOf(pool.attributes["name"]), ...describePool(call, pool) })),
      ],
      ...describeState(state),
      maxAgentPools: 100,
      servicePrincipalProfile: { clientId: "msi" },
      resourceUID: guid(`cluster ${record.id} ${numberOf(createdMs)}`)
        .replaceAll("-", "")
        .slice(0, 24),
    },
  };
}

function listProfiles(body: unknown): readonly Readonly<Record<string, unknown>>[] {
  return listOf(objectOf(objectOf(body)["properties"])["agentPoolProfiles"]).filter(isObject);
}

/** Chooses the profile of the first pool: the pool that is already first, or else a system pool. */
function findFirst(body: unknown, existing: CloudRecord | undefined): Readonly<Record<string, unknown>> | undefined {
  const profiles = listProfiles(body);
  if (existing !== undefined) return profiles.find(({ name }) => name === firstPoolOf(existing));
  return profiles.find(({ mode }) => mode === "System");
}

function readCluster(_call: ApiCall, body: unknown, existing: CloudRecord | undefined): Written {
  const first = findFirst(body, existing);
  if (existing === undefined && first === undefined) {
    refuse("InvalidParameter", "Must define at least one system pool in agentPoolProfiles.", 400);
  }
  const pool = first === undefined ? {} : { default_node_pool: [{ ...writeFirstPool(first), name: textOf(first["name"]) }] };
  const entra = objectOf(objectOf(body)["properties"])["aadProfile"];
  return {
    config: {
      ...pool,
      ...(existing === undefined ? { node_provisioning_profile: [{ mode: "Manual" }] } : {}),
      ...(isObject(entra) && Object.keys(entra).every((name) => name === "managed")
        ? { azure_active_directory_role_based_access_control: [{}] }
        : {}),
    },
  };
}

/** Creates or changes a cluster, and then the other pools in the request. */
async function putCluster(call: ApiCall, put: ApiOperation["run"]): Promise<ApiAnswer> {
  const answer = await put(call);
  const cluster = await getCluster(call);
  const known = new Map((await listOtherPools(call, cluster)).map((pool) => [textOf(pool.attributes["name"]), pool]));
  const others = listProfiles(call.body).filter(({ name }) => name !== firstPoolOf(cluster));
  for (const profile of others) {
    const name = textOf(profile["name"]);
    const existing = known.get(name);
    const attributes = writePool(poolMapping, profile);
    const isSame = existing !== undefined && isUnchanged(existing.attributes, attributes);
    if (isSame) continue;
    if (existing !== undefined) await call.operations.update(existing, attributes, { name: "AgentPools_Update" });
    else {
      const config = { ...attributes, name, kubernetes_cluster_id: cluster.id };
      const beyond = { api_created_ms: Math.floor(call.nowMs) };
      await call.operations.create(poolMapping.type, config, { name: "AgentPools_Create", beyond });
    }
  }
  if (others.length === 0) return answer;
  return { ...answer, content: await renderResource(call, clusterKind, cluster) };
}

function isUnchanged(before: ValueMap, after: ValueMap): boolean {
  return Object.entries(after).every(([name, value]) => JSON.stringify(before[name] ?? null) === JSON.stringify(value ?? null));
}
