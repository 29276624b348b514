import type { SimulatedAccount } from "../../cloud/simulated-cloud.ts";
import type { CloudRecord, Inventory } from "../../inventory/inventory.ts";
import { mapOf, textOf } from "../../values/read-value.ts";

// The order of deletion. A public address can be deleted only when no load balancer uses it.
const order = ["azurerm_lb", "azurerm_public_ip", "azurerm_managed_disk"];

/** Resource group for disks that outlive their cluster. Real accounts use the same name. */
const retainedGroup = "cloudwright-retained";

/**
 * Lists and removes the resources that clusters left behind in a simulated subscription. A cluster keeps its resources in its node resource
 * group, which Azure deletes with the cluster. Resources that a cluster created elsewhere carry its name in a tag.
 */
export function createLeftovers(
  inventory: Inventory,
  tenant: string,
): Pick<SimulatedAccount, "listLeftovers" | "removeLeftover" | "retainVolume"> {
  return {
    async listLeftovers(cluster) {
      const clusters = await inventory.list(tenant, "azurerm_kubernetes_cluster");
      const groups = clusters.flatMap(({ attributes }) =>
        attributes["name"] === cluster ? [`/resourcegroups/${textOf(attributes["node_resource_group"])}/`.toLowerCase()] : [],
      );
      const all = (await inventory.list(tenant)).filter(({ type }) => order.includes(type));
      return all
        .filter(
          (record) => groups.some((group) => record.id.toLowerCase().includes(group)) || tagsOf(record)[clusterTag] === cluster,
        )
        .filter((record) => !("cloudwright:entity" in tagsOf(record)))
        .toSorted((one, other) => order.indexOf(one.type) - order.indexOf(other.type))
        .map(({ type, id }) => ({ type, id }));
    },
    removeLeftover: async (key) => void (await inventory.delete(tenant, key)),
    async retainVolume(id) {
      const disk = await inventory.find(tenant, { type: "azurerm_managed_disk", id });
      if (disk === undefined) return;
      const { [clusterTag]: _cluster, ...tags } = tagsOf(disk);
      const moved = id.replace(/\/resourceGroups\/[^/]+\//i, `/resourceGroups/${retainedGroup}/`);
      const attributes = { ...disk.attributes, id: moved, resource_group_name: retainedGroup, tags };
      await inventory.put(tenant, { ...disk, id: moved, attributes });
      if (moved !== id) await inventory.delete(tenant, { type: disk.type, id });
    },
  };
}

/** Tag with which the Azure cloud provider for Kubernetes marks the resources of a cluster. */
const clusterTag = "k8s-azure-cluster-name";

function tagsOf({ attributes }: CloudRecord) {
  return mapOf(attributes["tags"]);
}
