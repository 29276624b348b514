import type { ClusterCloud, ClusterOwner } from "../../cloud/managed-kubernetes.ts";
import type { CloudRecord, Inventory } from "../../inventory/inventory.ts";
import { textOf, textsAt } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { addressIn } from "./list-clusters.ts";

/** The name of the load balancer that all Services of a cluster share. */
const balancerName = "kubernetes";

/**
 * Creates a `ClusterCloud` that records the resources in the inventory, in the node resource group of the cluster and with the tags that real
 * controllers set. AKS deletes the group with the cluster.
 */
export function createAksCloud(
  { inventory }: { readonly inventory: Inventory },
  findOwner: (cluster: string) => Promise<ClusterOwner>,
): ClusterCloud {
  async function open(cluster: string): Promise<Site> {
    const { tenant, name } = await findOwner(cluster);
    const record = (await inventory.list(tenant, "azurerm_kubernetes_cluster")).find(
      ({ attributes }) => attributes["name"] === name,
    );
    const group = textOf(record?.attributes["node_resource_group"]);
    const subscription = record?.id.split("/resourceGroups/")[0] ?? "/subscriptions/unknown";
    const location = textOf(record?.attributes["location"]);
    const prefix = `${subscription}/resourceGroups/${group}/providers`;
    return { tenant, name, group, location, prefix, balancerId: `${prefix}/Microsoft.Network/loadBalancers/${balancerName}` };
  }

  return {
    async createLoadBalancer(cluster, { uid }) {
      const site = await open(cluster);
      const address = describeAddress(site, uid);
      await inventory.put(site.tenant, address);
      const balancer = await inventory.find(site.tenant, { type: "azurerm_lb", id: site.balancerId });
      const frontends = new Set([...textsAt(balancer?.attributes, "frontends"), address.id]);
      await inventory.put(site.tenant, describeBalancer(site, [...frontends]));
      return { ip: textOf(address.attributes["ip_address"]) };
    },
    async deleteLoadBalancer(cluster, uid) {
      const site = await open(cluster);
      const all = (await inventory.list(site.tenant, "azurerm_public_ip")).filter(
        ({ attributes }) => attributes["name"] === nameAddress(uid),
      );
      for (const { type, id } of all) {
        for (const balancer of await inventory.list(site.tenant, "azurerm_lb")) {
          const before = textsAt(balancer.attributes, "frontends");
          if (!before.includes(id)) continue;
          const frontends = before.filter((each) => each !== id);
          if (frontends.length === 0) await inventory.delete(site.tenant, { type: "azurerm_lb", id: balancer.id });
          else await inventory.put(site.tenant, { ...balancer, attributes: { ...balancer.attributes, frontends } });
        }
        await inventory.delete(site.tenant, { type, id });
      }
    },
    async createVolume(cluster, { uid, namespace, name, sizeGiB, zone, parameters }) {
      const site = await open(cluster);
      const diskName = `pvc-${uid}`;
      const id = `${site.prefix}/Microsoft.Compute/disks/${diskName}`;
      const tags = {
        "k8s-azure-created-by": "kubernetes-azure-dd",
        "kubernetes.io-created-for-pv-name": diskName,
        "kubernetes.io-created-for-pvc-name": name,
        "kubernetes.io-created-for-pvc-namespace": namespace,
      };
      const attributes: ValueMap = {
        id,
        name: diskName,
        location: site.location,
        resource_group_name: site.group,
        zone: zone === undefined || zone === "0" ? "" : zone.slice(-1),
        storage_account_type: parameters["skuName"] ?? parameters["skuname"] ?? "StandardSSD_LRS",
        create_option: "Empty",
        disk_size_gb: sizeGiB,
        tags,
      };
      await inventory.create(site.tenant, { type: "azurerm_managed_disk", id, attributes });
      return { volumeId: id };
    },
    async resizeVolume(cluster, volumeId, sizeGiB) {
      const { tenant } = await findOwner(cluster);
      const record = await inventory.find(tenant, { type: "azurerm_managed_disk", id: volumeId });
      if (record === undefined) return;
      await inventory.put(tenant, { ...record, attributes: { ...record.attributes, disk_size_gb: sizeGiB } });
    },
    async deleteVolume(cluster, volumeId) {
      const { tenant } = await findOwner(cluster);
      await inventory.delete(tenant, { type: "azurerm_managed_disk", id: volumeId });
    },
  };
}

interface Site {
  readonly tenant: string;
  readonly name: string;
  readonly group: string;
  readonly location: string;
  readonly prefix: string;
  readonly balancerId: string;
}

function describeAddress({ prefix, name, group, location }: Site, uid: string): CloudRecord {
  const id = `${prefix}/Microsoft.Network/publicIPAddresses/${nameAddress(uid)}`;
  const attributes: ValueMap = {
    id,
    name: nameAddress(uid),
    location,
    resource_group_name: group,
    sku: "Standard",
    allocation_method: "Static",
    // A range that is reserved for documentation.
    ip_address: addressIn("203.0.113.0/24", id),
    tags: { "k8s-azure-cluster-name": name, "k8s-azure-service": uid },
  };
  return { type: "azurerm_public_ip", id, attributes };
}

function describeBalancer({ balancerId, group, location }: Site, frontends: readonly string[]): CloudRecord {
  const attributes: ValueMap = {
    id: balancerId,
    name: balancerName,
    location,
    resource_group_name: group,
    sku: "Standard",
    frontends,
    tags: {},
  };
  return { type: "azurerm_lb", id: balancerId, attributes };
}

function nameAddress(uid: string): string {
  return `kubernetes-a${uid.replaceAll("-", "")}`;
}
