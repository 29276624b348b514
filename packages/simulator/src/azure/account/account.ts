import { getCloud } from "@cloudwright/contract/clouds";
import { readConditions } from "../../cloud/conditions.ts";
import { listQuotas } from "../../cloud/quotas.ts";
import { findRegion } from "../../cloud/regions.ts";
import type { AccountPlace, Owned, SimulatedAccount } from "../../cloud/simulated-cloud.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";
import { blockOf, mapOf, textOf, textsAt } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { countNodes } from "../aks/pools.ts";
import { offeredVersions } from "../aks/versions.ts";
import { findVmSize } from "../compute/vm-sizes.ts";
import { createClusterControl } from "./clusters.ts";
import { countBlobs } from "./count-blobs.ts";
import { createLeftovers } from "./leftovers.ts";

/** Opens a simulated Azure subscription in one region. */
export function openAzureAccount({ inventory, tenant, region }: AccountPlace): SimulatedAccount {
  const list = async (type: string): Promise<CloudRecord[]> =>
    (await inventory.list(tenant, type)).filter(({ attributes }) => isIn(attributes, region));
  const zones = findRegion("azure", region)?.zones;
  return {
    // A region without zones counts as one zone with the region's name.
    listZones: async () => (zones?.length === 0 ? [region] : (zones ?? [])),
    async getLimits() {
      const quotas = listQuotas(await readConditions(inventory, tenant));
      const limit = (name: string): number => quotas[name] ?? Number.POSITIVE_INFINITY;
      return {
        networks: limit("virtual-networks-per-region"),
        publicIps: limit("public-ips-per-region"),
        natGatewaysPerZone: limit("nat-gateways-per-region"),
        internetGateways: Number.POSITIVE_INFINITY,
        vcpus: limit("vcpus-per-region"),
      };
    },
    async findUsage(quota) {
      if (quota !== "securityGroups") return undefined;
      const quotas = listQuotas(await readConditions(inventory, tenant));
      const limit = quotas["application-security-groups-per-region"] ?? Number.POSITIVE_INFINITY;
      return { limit, used: (await list("azurerm_application_security_group")).length };
    },
    listNetworks: async () =>
      (await list("azurerm_virtual_network")).map((network) => ({
        id: network.id,
        ranges: textsAt(network.attributes["address_space"], ""),
        ...ownerOf(network),
      })),
    async hasDefaultRoute(subnetId) {
      const subnets = await inventory.list(tenant, "azurerm_subnet");
      // Azure ignores the case of ids.
      const subnet = subnets.find(({ id }) => id.toLowerCase() === subnetId.toLowerCase());
      if (subnet === undefined) return undefined;
      const tie = await inventory.find(tenant, { type: "azurerm_subnet_route_table_association", id: subnet.id });
      const table = textOf(tie?.attributes["route_table_id"]);
      const routes = await inventory.list(tenant, "azurerm_route");
      return routes.some(
        ({ id, attributes }) => id.startsWith(`${table}/routes/`) && attributes["address_prefix"] === "0.0.0.0/0" && table !== "",
      );
    },
    listPublicIps: async () => (await list("azurerm_public_ip")).map(ownerOf),
    listNatGateways: async () =>
      (await list("azurerm_nat_gateway")).map((gateway) => {
        const [zone] = textsAt(gateway.attributes["zones"], "");
        return { zone: zone === undefined ? "" : `${region}-${zone}`, ...ownerOf(gateway) };
      }),
    listInternetGateways: async () => [],
    async listMachines() {
      const clusters = await list("azurerm_kubernetes_cluster");
      const byId = new Map(clusters.map((cluster) => [cluster.id, cluster]));
      const pools = (await inventory.list(tenant, "azurerm_kubernetes_cluster_node_pool")).flatMap((pool) => {
        const cluster = byId.get(textOf(pool.attributes["kubernetes_cluster_id"]));
        return cluster === undefined ? [] : [countPool(pool.attributes, cluster)];
      });
      return [...clusters.map((cluster) => countPool(blockOf(cluster.attributes, "default_node_pool"), cluster)), ...pools];
    },
    listOffered: async (types) =>
      [...new Set(types)].flatMap((name) => {
        const found = findVmSize(name);
        return found === undefined ? [] : [{ name, vcpus: found.vcpus, zones: zones ?? [], isCommon: true }];
      }),
    listVersions: async () => offeredVersions.map(({ version }) => version),
    async findCluster(name) {
      const found = (await list("azurerm_kubernetes_cluster")).find(({ attributes }) => attributes["name"] === name);
      return found === undefined ? undefined : ownerOf(found);
    },
    async findBucket(name) {
      // The names of storage accounts are unique across all regions.
      const all = await inventory.list(tenant, "azurerm_storage_account");
      const found = all.find(({ attributes }) => attributes["name"] === name);
      return found === undefined ? undefined : ownerOf(found);
    },
    countObjects: (bucket) => countBlobs(inventory, tenant, bucket),
    ...createLeftovers(inventory, tenant),
    clusters: createClusterControl(inventory, tenant),
  };
}

/** Azure also accepts display names such as `West Europe`. A resource without a location, such as a subnet, is in every region. */
function isIn({ location }: ValueMap, region: string): boolean {
  return typeof location !== "string" || location.toLowerCase().replaceAll(" ", "") === region;
}

function countPool(pool: ValueMap, cluster: CloudRecord): Owned & { readonly vcpus: number } {
  const size = findVmSize(textOf(pool["vm_size"]) || getCloud("azure").machines.defaultType);
  return { vcpus: (size?.vcpus ?? 2) * (pool["priority"] === "Spot" ? 0 : countNodes(pool)), ...ownerOf(cluster) };
}

function ownerOf({ attributes }: CloudRecord): Owned {
  const owner = mapOf(attributes["tags"])["cloudwright:entity"];
  return typeof owner === "string" ? { owner } : {};
}
