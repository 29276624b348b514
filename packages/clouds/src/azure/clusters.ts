import type { ClusterControl } from "../cloud-provider.ts";
import { partTag } from "../account-view.ts";
import type { AzureApi } from "./api.ts";
import { readClaims } from "./azure-token.ts";
import type { CredentialSource } from "./credentials.ts";
import { managementScope } from "./endpoints.ts";
import type { AgentPool, ManagedCluster } from "./models.ts";
import { operations } from "./operations.ts";
import { groupOf } from "./resource-ids.ts";

const addressMs = 10_000;

/** Creates the client for AKS cluster operations that Terraform does not support. */
export function createAzureClusters(api: AzureApi, source: CredentialSource): ClusterControl {
  return {
    findAddress: () => findAddress(api.endpoints["AZURE_CHECKIP_ENDPOINT"] ?? "https://checkip.amazonaws.com/"),
    findPrincipal: async () => readClaims(await source.get(managementScope(api.endpoints))).objectId || undefined,
    countNodes: (cluster) => countNodes(api, cluster),
    // AKS has no deletion protection.
    unprotect: async () => undefined,
  };
}

/**
 * Asks a public service for this machine's address, because Azure does not provide such a service. Returns undefined if the service
 * cannot be reached, for example from a private network.
 */
async function findAddress(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(addressMs) });
    const text = response.ok ? (await response.text()).trim() : "";
    return /^(\d{1,3}\.){3}\d{1,3}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Finds a cluster by its name. Names are unique only within a resource group, so the region must match too. */
export async function findManagedCluster(api: AzureApi, name: string): Promise<ManagedCluster | undefined> {
  const all = await api.list<ManagedCluster>(`find the cluster ${name}`, operations.listClusters);
  return all.find((cluster) => cluster.name === name && (api.region === "" || cluster.location === api.region));
}

/** Reads pool names from the `cloudwright:part` tag, because AKS allows only short pool names. */
async function countNodes(api: AzureApi, name: string): Promise<Readonly<Record<string, number>>> {
  const cluster = await findManagedCluster(api, name);
  if (cluster?.id === undefined) return {};
  const path = { resourceGroupName: groupOf(cluster.id), resourceName: name };
  const pools = await api.list<AgentPool>("list the node pools", operations.listPools, { path });
  const counts: Record<string, number> = {};
  for (const { properties } of pools) {
    const pool = /^pool\/(?<name>.+)$/.exec(properties?.tags?.[partTag] ?? "")?.groups?.["name"];
    if (pool !== undefined && properties?.count !== undefined) counts[pool] = Math.max(counts[pool] ?? 0, properties.count);
  }
  return counts;
}
