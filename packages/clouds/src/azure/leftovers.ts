import { ownerTag } from "../account-view.ts";
import type { ClusterLeftovers, Leftover } from "../cloud-provider.ts";
import type { AzureApi, CallRequest } from "./api.ts";
import type { Disk, GenericResource, ManagedCluster } from "./models.ts";
import { operations, type Operation } from "./operations.ts";
import { groupOf, nameOf, readResource } from "./resource-ids.ts";

/** Tag with which the Azure cloud provider for Kubernetes marks the resources of a cluster. */
const clusterTag = "k8s-azure-cluster-name";
/** Tags of the resources that were created for Services and persistent volume claims. */
const workloadTags = ["k8s-azure-service", "k8s-azure-created-by"];

/** Resource group for disks that outlive their cluster. */
const retainedGroup = "cloudwright-retained";

/**
 * Finds and removes the public addresses and disks that clusters created. Azure itself deletes the resources in a cluster's node resource
 * group together with the cluster. Resources in other groups carry the cluster's name in a tag. `findGroup` returns the only resource
 * group that the account may use, or undefined if the account is not restricted to one.
 */
export function createAzureLeftovers(api: AzureApi, findGroup: () => Promise<string | undefined>): ClusterLeftovers {
  return {
    list: (cluster) => list(api, cluster),
    remove: ({ type, id }) => remove(api, type, id),
    retain: (volumeId) => retain(api, volumeId, findGroup),
  };
}

// The order of deletion. A public address can be deleted only when no load balancer uses it.
const order = ["azurerm_lb", "azurerm_public_ip", "azurerm_managed_disk"];

async function list(api: AzureApi, cluster: string): Promise<readonly Leftover[]> {
  const doing = `list the leftover resources of ${cluster}`;
  const groups = (await api.list<ManagedCluster>(doing, operations.listClusters))
    .filter(({ name }) => name === cluster)
    .flatMap(({ properties }) => properties?.nodeResourceGroup ?? []);
  const named = `tagName eq '${clusterTag}' and tagValue eq '${cluster.replaceAll("'", "''")}'`;
  const elsewhere = await api.list<GenericResource>(doing, operations.listResources, { query: { $filter: named } });
  const inGroups = await Promise.all(
    groups.map((group) =>
      api.list<GenericResource>(doing, operations.listResources, {
        query: { $filter: `resourceGroup eq '${group.replaceAll("'", "''")}'` },
      }),
    ),
  );
  const isWorkload = ({ tags = {} }: GenericResource): boolean => Object.keys(tags).some((key) => workloadTags.includes(key));
  // In node resource groups, the ownership tag does not show that Terraform manages a resource, because AKS copies the tag from the
  // cluster.
  const found = [...elsewhere.filter(({ tags = {} }) => !(ownerTag in tags)), ...inGroups.flat().filter(isWorkload)].flatMap(
    ({ id = "", type = "" }) => readResource(type, id) ?? [],
  );
  return [...new Map(found.filter(({ type }) => order.includes(type)).map((each) => [each.id, each])).values()].toSorted(
    (one, other) => order.indexOf(one.type) - order.indexOf(other.type),
  );
}

async function remove(api: AzureApi, type: string, id: string): Promise<void> {
  const [operation, request]: readonly [Operation, CallRequest] =
    type === "azurerm_managed_disk"
      ? [operations.deleteDisk, { path: pathOf(id) }]
      : [operations.deleteNetworkResource, { path: { resourceId: id } }];
  if (!order.includes(type)) throw new Error(`removal of ${type} is not implemented`);
  await api.complete(`remove ${type} ${id}`, operation, request);
}

/** Moves a disk out of its cluster's node resource group, and removes the cluster's tags. */
async function retain(api: AzureApi, id: string, findGroup: () => Promise<string | undefined>): Promise<void> {
  const doing = `detach ${id} from its cluster`;
  const disk = await api.find<Disk>(doing, operations.getDisk, { path: pathOf(id) });
  if (disk === undefined) return;
  const kept = Object.entries(disk.tags ?? {}).filter(([key]) => key !== clusterTag && !workloadTags.includes(key));
  await api.complete(doing, operations.updateDisk, { path: pathOf(id), body: { tags: Object.fromEntries(kept) } });
  const clusters = await api.list<ManagedCluster>(doing, operations.listClusters);
  if (!clusters.some(({ properties }) => (properties?.nodeResourceGroup ?? "").toLowerCase() === groupOf(id))) return;
  const group = (await findGroup()) ?? retainedGroup;
  const target = `/subscriptions/${await api.getSubscription()}/resourceGroups/${group}`;
  if (group === retainedGroup) {
    const body = { location: disk.location ?? api.region, tags: { purpose: "disks of deleted clusters" } };
    await api.call(doing, operations.createGroup, { path: { resourceGroupName: group }, body });
  }
  const body = { resources: [id], targetResourceGroup: target };
  await api.complete(doing, operations.moveResources, { path: { resourceGroupName: groupOf(id) }, body });
}

function pathOf(id: string): Readonly<Record<string, string>> {
  return { resourceGroupName: groupOf(id), diskName: nameOf(id) };
}
