import { readTags } from "@cloudwright/contract/clouds/gcp/descriptions";
import { partTag } from "../account-view.ts";
import type { ClusterControl } from "../cloud-provider.ts";
import type { GcpApi } from "./api.ts";
import { endpointFor, type GcpEndpoints } from "./endpoints.ts";
import type { Cluster, InstanceGroupManager, NodePool } from "./models.ts";
import { toResourceId } from "./resource-names.ts";

const addressMs = 10_000;

/** Creates the client for GKE cluster operations that Terraform does not support. */
export function createGcpClusters(api: GcpApi, endpoints: GcpEndpoints, getIdentity: () => Promise<string>): ClusterControl {
  return {
    findAddress: () => findAddress(endpoints),
    findPrincipal: getIdentity,
    countNodes: (cluster) => countNodes(api, cluster),
    // GKE has no built-in deletion protection. The Terraform provider has its own deletion protection, which the configuration controls.
    unprotect: async () => undefined,
  };
}

/**
 * Asks a public service for this machine's address. Returns undefined if the service cannot be reached, for example from a private network.
 */
async function findAddress(endpoints: GcpEndpoints): Promise<string | undefined> {
  try {
    const response = await fetch(endpointFor(endpoints, "checkip"), { signal: AbortSignal.timeout(addressMs) });
    const text = response.ok ? (await response.text()).trim() : "";
    return /^(\d{1,3}\.){3}\d{1,3}$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Each of the platform's pools consists of one GKE node pool per zone. The `cloudwright_part` label on a pool's nodes contains the pool's
 * name.
 */
async function countNodes(api: GcpApi, cluster: string): Promise<Readonly<Record<string, number>>> {
  const path = `projects/${await api.getProject()}/locations/-/clusters`;
  const { clusters = [] } = await api.call<{ readonly clusters?: readonly Cluster[] }>("list the clusters", {
    service: "container",
    path,
  });
  const found = clusters.find(({ name, location }) => name === cluster && location?.startsWith(api.region) === true);
  const counts: Record<string, number> = {};
  for (const pool of found?.nodePools ?? []) {
    const part = readTags({ labels: pool.config?.resourceLabels ?? {} })[partTag] ?? "";
    const name = /^pool\/(?<name>[^/]+)/.exec(part)?.groups?.["name"];
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + (await countPool(api, pool));
  }
  return counts;
}

async function countPool(api: GcpApi, { instanceGroupUrls = [] }: NodePool): Promise<number> {
  const sizes = await Promise.all(
    instanceGroupUrls.map(async (url) => {
      const path = toResourceId(url).replace("/instanceGroups/", "/instanceGroupManagers/");
      return (
        (await api.find<InstanceGroupManager>("read the size of a node pool", { service: "compute", path }))?.targetSize ?? 0
      );
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
