import { objectOf, textOf } from "@cloudwright/platform";
import type { ApiAnswer, ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { blockOf } from "../../../values/read-value.ts";
import { offeredVersions, findVersion, minorOf } from "../../aks/versions.ts";
import { versionOfPool } from "../../aks/pools.ts";
import { requireIdle } from "../arm-kind.ts";
import { accept, checkConditions, parameterOf, takeLinkedPage } from "../arm-resources.ts";
import { refuse } from "../errors.ts";
import { clusterKind, describeFirstPool, describePool, firstPoolOf, getCluster, listOtherPools } from "./clusters.ts";
import { poolMapping, writeFirstPool, writePool } from "./pool-mapping.ts";

const { type } = poolMapping;
const inGroup = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers";
const all = `${inGroup}/${clusterKind.path}/agentPools`;
const one = `${all}/{agentPoolName}`;

/** An agent pool of a cluster. The first pool has no record of its own. */
interface Pool {
  readonly cluster: CloudRecord;
  readonly record: CloudRecord | undefined;
  readonly properties: Record<string, unknown>;
}

/** Operations on agent pools. */
export const poolOperations: readonly ApiOperation[] = [
  {
    name: "AgentPools_List",
    match: { method: "GET", path: all },
    touches: { type, operation: "read" },
    async run(call) {
      const cluster = await getCluster(call);
      const others = await listOtherPools(call, cluster);
      const pools = [
        render(cluster, firstPoolOf(cluster), describeFirstPool(call, cluster)),
        ...others.map((record) => render(cluster, textOf(record.attributes["name"]), describePool(call, record))),
      ];
      const { items, link } = takeLinkedPage(call, `${cluster.id}/agentPools`, pools, ({ name }) => name);
      return { content: { value: items, ...link } };
    },
  },
  {
    name: "AgentPools_Get",
    match: { method: "GET", path: one },
    touches: { type, operation: "read" },
    async run(call) {
      const { cluster, properties } = await getPool(call);
      return { content: render(cluster, nameOf(call), properties) };
    },
  },
  {
    name: "AgentPools_CreateOrUpdate",
    match: { method: "PUT", path: one },
    touches: { type, operation: "create" },
    run: putPool,
  },
  { name: "AgentPools_Delete", match: { method: "DELETE", path: one }, touches: { type, operation: "delete" }, run: deletePool },
  {
    name: "AgentPools_GetUpgradeProfile",
    match: { method: "GET", path: `${one}/upgradeProfiles/default` },
    touches: { type, operation: "read" },
    async run(call) {
      const { cluster, record } = await getPool(call);
      const current = versionOfPool(record?.attributes ?? blockOf(cluster.attributes, "default_node_pool"));
      const most = textOf(cluster.attributes["current_kubernetes_version"]);
      const upgrades = offeredVersions
        .filter(({ patch }) => minorOf(patch) > minorOf(current) && minorOf(patch) <= minorOf(most))
        .map(({ patch }) => ({ kubernetesVersion: patch }));
      return {
        content: {
          id: `${cluster.id}/agentPools/${nameOf(call)}/upgradeProfiles/default`,
          name: "default",
          type: "Microsoft.ContainerService/managedClusters/agentPools/upgradeProfiles",
          properties: { kubernetesVersion: current, osType: "Linux", upgrades },
        },
      };
    },
  },
  {
    name: "AgentPools_GetAvailableAgentPoolVersions",
    match: { method: "GET", path: `${inGroup}/${clusterKind.path}/availableAgentPoolVersions` },
    touches: { type, operation: "read" },
    async run(call) {
      const cluster = await getCluster(call);
      const most = textOf(cluster.attributes["current_kubernetes_version"]);
      const offered = offeredVersions.filter(({ patch }) => minorOf(patch) <= minorOf(most));
      const versions = offered.map(({ patch }) => ({ kubernetesVersion: patch, default: patch === most }));
      return {
        content: {
          id: `${cluster.id}/availableagentpoolversions`,
          name: "default",
          type: "Microsoft.ContainerService/managedClusters/availableAgentpoolVersions",
          properties: { agentPoolVersions: versions },
        },
      };
    },
  },
];

function nameOf(call: ApiCall): string {
  return parameterOf(call, "agentPoolName");
}

function render(cluster: CloudRecord, name: string, properties: Record<string, unknown>) {
  return {
    id: `${cluster.id}/agentPools/${name}`,
    name,
    type: "Microsoft.ContainerService/managedClusters/agentPools",
    properties,
  };
}

async function findPool(call: ApiCall, cluster: CloudRecord): Promise<Pool | undefined> {
  const name = nameOf(call).toLowerCase();
  if (firstPoolOf(cluster).toLowerCase() === name) {
    return { cluster, record: undefined, properties: describeFirstPool(call, cluster) };
  }
  const record = (await listOtherPools(call, cluster)).find(({ attributes }) => textOf(attributes["name"]) === name);
  return record === undefined ? undefined : { cluster, record, properties: describePool(call, record) };
}

async function getPool(call: ApiCall): Promise<Pool> {
  const cluster = await getCluster(call);
  const message = `The Agent pool '${nameOf(call)}' could not be found in the managed cluster '${cluster.id}'.`;
  return (await findPool(call, cluster)) ?? refuse("NotFound", message, 404);
}

async function putPool(call: ApiCall): Promise<ApiAnswer> {
  const cluster = await getCluster(call);
  const pool = await findPool(call, cluster);
  checkConditions(call, pool === undefined ? undefined : textOf(pool.properties["eTag"]));
  requireIdle(call, cluster);
  if (pool?.record !== undefined) requireIdle(call, pool.record);
  const given = objectOf(call.body)["properties"];
  const name = pool === undefined ? "AgentPools_Create" : nameChange(pool, objectOf(given));
  const beyond = { api_created_ms: Math.floor(call.nowMs) };
  const { record, operation } =
    pool === undefined
      ? await call.operations.create(
          type,
          { ...writePool(poolMapping, given), name: nameOf(call), kubernetes_cluster_id: cluster.id },
          { name, beyond },
        )
      : pool.record === undefined
        ? await call.operations.update(cluster, { default_node_pool: [mergeFirst(cluster, given)] }, { name })
        : await call.operations.update(pool.record, writePool(poolMapping, given), { name });
  const isFirst = record.type === cluster.type;
  const properties = isFirst ? describeFirstPool(call, record) : describePool(call, record);
  const status = pool === undefined ? 201 : 200;
  return follow(call, operation, cluster, status, render(cluster, nameOf(call), properties));
}

function mergeFirst(cluster: CloudRecord, given: unknown) {
  return { ...blockOf(cluster.attributes, "default_node_pool"), ...writeFirstPool(given) };
}

function nameChange({ properties }: Pool, given: Readonly<Record<string, unknown>>): string {
  const asked = textOf(given["orchestratorVersion"]);
  const version = findVersion(asked)?.patch ?? asked;
  if (version !== "" && version !== properties["currentOrchestratorVersion"]) return "AgentPools_Upgrade";
  return given["count"] !== undefined && given["count"] !== properties["count"] ? "AgentPools_Scale" : "AgentPools_Update";
}

async function deletePool(call: ApiCall): Promise<ApiAnswer> {
  const cluster = await getCluster(call);
  const pool = await findPool(call, cluster);
  if (pool === undefined) return { status: 204, content: undefined };
  checkConditions(call, textOf(pool.properties["eTag"]));
  if (pool.record === undefined) {
    const message = "There has to be at least one system agent pool. The first agent pool of a simulated cluster stays.";
    refuse("OperationNotAllowed", message, 400);
  }
  requireIdle(call, cluster);
  const pending = call.operations.findPending(pool.record);
  const operation =
    pending?.verb === "delete" ? pending : await call.operations.delete(pool.record, { name: "AgentPools_Delete" });
  return follow(call, operation, cluster, 202);
}

function follow(
  call: ApiCall,
  operation: Parameters<typeof accept>[1],
  { attributes }: CloudRecord,
  status: number,
  content?: unknown,
): ApiAnswer {
  const namespace = "Microsoft.ContainerService";
  return accept(call, operation, { namespace, location: textOf(attributes["location"]), status, content });
}
