import { defaultCloud, type CloudName } from "@cloudwright/contract/clouds";
import { createEksCloud } from "./aws/eks/cluster-cloud.ts";
import { eksContents } from "./aws/eks/cluster-contents.ts";
import { eksRecordTypes, listEksClusters } from "./aws/eks/list-clusters.ts";
import { createAksCloud } from "./azure/aks/cluster-cloud.ts";
import { aksContents } from "./azure/aks/cluster-contents.ts";
import { aksRecordTypes, listAksClusters } from "./azure/aks/list-clusters.ts";
import type { ClusterContents } from "./cloud/cluster-contents.ts";
import type { ClusterCloud, ClusterFacts, ClusterOwner, ManagedKubernetes } from "./cloud/managed-kubernetes.ts";
import { createGkeCloud } from "./gcp/gke/cluster-cloud.ts";
import { gkeContents } from "./gcp/gke/cluster-contents.ts";
import { gkeRecordTypes, listGkeClusters } from "./gcp/gke/list-clusters.ts";
import type { Inventory } from "./inventory/inventory.ts";

const registry: Readonly<Partial<Record<CloudName, ManagedKubernetes>>> = {
  aws: { contents: eksContents, recordTypes: eksRecordTypes, listClusters: listEksClusters, createClusterCloud: createEksCloud },
  gcp: { contents: gkeContents, recordTypes: gkeRecordTypes, listClusters: listGkeClusters, createClusterCloud: createGkeCloud },
  azure: {
    contents: aksContents,
    recordTypes: aksRecordTypes,
    listClusters: listAksClusters,
    createClusterCloud: createAksCloud,
  },
};

/** Returns the managed Kubernetes service of a cloud, or that of the default cloud if the cloud is not known. */
function getService(cloud: string | undefined): ManagedKubernetes {
  const service = registry[(cloud ?? defaultCloud) as CloudName] ?? registry[defaultCloud];
  if (service === undefined) throw new Error(`the default cloud ${defaultCloud} has no simulated Kubernetes service`);
  return service;
}

/** Returns the objects that a new cluster in a cloud contains. */
export function getContents(cloud: string | undefined): ClusterContents {
  return getService(cloud).contents;
}

/** The types of all resources that `listClusters` reads. */
export const clusterRecordTypes: readonly string[] = Object.values(registry).flatMap(({ recordTypes }) => recordTypes);

/** The longest name, region and version of a cluster. No cloud accepts longer ones, but users can change records without its checks. */
const longestFact = 128;

/** Returns a tenant's clusters in all clouds. The simulated Kubernetes host serves exactly these clusters. */
export async function listClusters(inventory: Inventory, tenant: string): Promise<readonly ClusterFacts[]> {
  const lists = await Promise.all(Object.values(registry).map((service) => service.listClusters(inventory, tenant)));
  return lists.flat().filter(({ name, region, version }) => [name, region, version].every((fact) => fact.length <= longestFact));
}

/** Creates a `ClusterCloud` that delegates each call to the Kubernetes service of the cluster's cloud. */
export function createClusterCloud(
  deps: { readonly inventory: Inventory },
  findOwner: (cluster: string) => Promise<ClusterOwner & { readonly cloud?: string }>,
): ClusterCloud {
  const clouds = new Map(
    Object.values(registry).map((service) => [service, service.createClusterCloud(deps, findOwner)] as const),
  );
  const open = async (cluster: string): Promise<ClusterCloud> => {
    const service = getService((await findOwner(cluster)).cloud);
    return clouds.get(service) ?? service.createClusterCloud(deps, findOwner);
  };
  const findFacts = async (cluster: string): Promise<ClusterFacts | undefined> => {
    const { tenant, name, cloud } = await findOwner(cluster);
    const known = await getService(cloud).listClusters(deps.inventory, tenant);
    return known.find((fact) => fact.name === name);
  };
  return {
    createLoadBalancer: async (cluster, request) => (await open(cluster)).createLoadBalancer(cluster, request),
    deleteLoadBalancer: async (cluster, uid) => (await open(cluster)).deleteLoadBalancer(cluster, uid),
    createVolume: async (cluster, request) => (await open(cluster)).createVolume(cluster, request),
    resizeVolume: async (cluster, volumeId, sizeGiB) => (await open(cluster)).resizeVolume(cluster, volumeId, sizeGiB),
    deleteVolume: async (cluster, volumeId) => (await open(cluster)).deleteVolume(cluster, volumeId),
    findServiceRange: async (cluster) => (await findFacts(cluster))?.serviceRange,
    async hasGateways(cluster) {
      const { contents } = getService((await findOwner(cluster)).cloud);
      // Most services do not offer the Gateway API, so their clusters need not be read.
      return contents.gatewayClasses !== undefined && (await findFacts(cluster))?.hasGateways === true;
    },
  };
}
