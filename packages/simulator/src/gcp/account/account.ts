import { getCloud } from "@cloudwright/contract/clouds";
import { readConditions } from "../../cloud/conditions.ts";
import { getQuota, listQuotas, type QuotaName } from "../../cloud/quotas.ts";
import { findRegion } from "../../cloud/regions.ts";
import type { AccountPlace, Owned, SimulatedAccount } from "../../cloud/simulated-cloud.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";
import { blockOf, numberOf, textOf, textsAt } from "../../values/read-value.ts";
import { findImage } from "../api/compute/images.ts";
import { offeredVersions } from "../gke/versions.ts";
import { countObjects } from "../storage/count-objects.ts";
import { createClusterControl } from "./clusters.ts";
import { createLeftovers } from "./leftovers.ts";
import { countVcpus, zonesOffering } from "./machine-types.ts";
import { listOwned } from "./owned-resources.ts";
import { countNodes } from "./pool-sizes.ts";
import { ownerOf } from "./record-tags.ts";

interface Counted {
  readonly name: QuotaName;
  readonly type: string;
  readonly isRegional?: boolean;
  /** Returns how much of the quota a resource uses. Default: 1. */
  readonly sum?: (attributes: CloudRecord["attributes"]) => number;
}

// The simulated disk quota covers all disk types.
const disks: Counted = {
  name: "disk-gib-per-region",
  type: "google_compute_disk",
  isRegional: true,
  sum: ({ size }) => numberOf(size),
};

/** Quotas beyond those that every cloud has, keyed by the names that preflight checks use. */
const counted: Readonly<Record<string, Counted>> = {
  subnets: { name: "subnets-per-project", type: "google_compute_subnetwork" },
  routers: { name: "routers-per-project", type: "google_compute_router" },
  firewalls: { name: "firewalls-per-project", type: "google_compute_firewall" },
  diskGiB: disks,
  ssdGiB: disks,
  serviceAccounts: { name: "service-accounts", type: "google_service_account" },
};

/** Opens a simulated Google Cloud project in one region. */
export function openGcpAccount({ inventory, tenant, region }: AccountPlace): SimulatedAccount {
  const list = async (type: string): Promise<CloudRecord[]> =>
    (await inventory.list(tenant, type)).filter(({ attributes }) => isIn(attributes, region));
  const zones = findRegion("gcp", region)?.zones ?? [];
  return {
    listOwned: (entityUid) => listOwned(inventory, tenant, entityUid),
    listZones: async () => zones,
    async getLimits() {
      const quotas = listQuotas(await readConditions(inventory, tenant));
      const limit = (name: string): number => quotas[name] ?? Number.POSITIVE_INFINITY;
      return {
        networks: limit("networks-per-project"),
        publicIps: limit("static-addresses-per-region"),
        natGatewaysPerZone: Number.POSITIVE_INFINITY,
        internetGateways: Number.POSITIVE_INFINITY,
        vcpus: limit("vcpus-per-region"),
      };
    },
    async findUsage(quota) {
      const found = Object.hasOwn(counted, quota) ? counted[quota] : undefined;
      if (found === undefined) return undefined;
      const { name, type, isRegional = false, sum = () => 1 } = found;
      const records = await (isRegional ? list(type) : inventory.list(tenant, type));
      const used = records.reduce((total, { attributes }) => total + sum(attributes), 0);
      return { limit: getQuota(name, await readConditions(inventory, tenant)), used };
    },
    async listNetworks() {
      const subnets = await inventory.list(tenant, "google_compute_subnetwork");
      return (await inventory.list(tenant, "google_compute_network")).map((network) => ({
        id: network.id,
        ranges: subnets.filter(({ attributes }) => refersTo(textOf(attributes["network"]), network)).flatMap(rangesOf),
        ...ownerOf(network),
      }));
    },
    async listPublicIps() {
      const addresses = [
        ...(await list("google_compute_address")),
        ...(await inventory.list(tenant, "google_compute_global_address")),
      ];
      return addresses.filter(({ attributes }) => attributes["address_type"] !== "INTERNAL").map(ownerOf);
    },
    async listNatGateways() {
      const routers = new Map((await list("google_compute_router")).map((router) => [textOf(router.attributes["name"]), router]));
      return (await list("google_compute_router_nat")).map(({ attributes }) => {
        const router = routers.get(textOf(attributes["router"]));
        return { zone: "", ...(router === undefined ? {} : ownerOf(router)) };
      });
    },
    listInternetGateways: async () => [],
    listMachines: async () => (await list("google_container_node_pool")).filter(isCounted).map(countPool),
    listOffered: async (types) =>
      [...new Set(types)].flatMap((name) => {
        const where = zonesOffering(name, zones);
        return where.length === 0
          ? []
          : [{ name, vcpus: countVcpus(name), zones: where, isCommon: /^(e2|n1|f1|g1|custom)-/.test(name) }];
      }),
    hasImage: async (image) => !image.includes("/") || findImage(image) !== undefined,
    listVersions: async () => [...new Set(offeredVersions.flatMap((version) => /^\d+\.\d+/.exec(version)?.[0] ?? []))],
    async findCluster(name) {
      const found = (await list("google_container_cluster")).find(({ attributes }) => attributes["name"] === name);
      return found === undefined ? undefined : ownerOf(found);
    },
    async findBucket(id) {
      const found = await inventory.find(tenant, { type: "google_storage_bucket", id });
      return found === undefined ? undefined : ownerOf(found);
    },
    async countObjects(bucket) {
      return countObjects(await inventory.find(tenant, { type: "google_storage_bucket", id: bucket }));
    },
    ...createLeftovers(inventory, tenant),
    clusters: createClusterControl(inventory, tenant),
  };
}

/** Returns whether a resource is in the region or one of its zones, or has no location. */
function isIn(attributes: CloudRecord["attributes"], region: string): boolean {
  const place = ["region", "zone", "location"].map((name) => textOf(attributes[name])).find((text) => text !== "");
  const name = place?.slice(place.lastIndexOf("/") + 1);
  return name === undefined || name === region || name.startsWith(`${region}-`);
}

/** Returns whether a reference names a resource by its id, self link or name. */
function refersTo(reference: string, { id, attributes }: CloudRecord): boolean {
  return reference === id || reference === textOf(attributes["name"]) || reference.endsWith(`/${id}`);
}

function rangesOf({ attributes }: CloudRecord): string[] {
  return [textOf(attributes["ip_cidr_range"]), ...textsAt(attributes["secondary_ip_range"] ?? null, "ip_cidr_range")].filter(
    (range) => range !== "",
  );
}

// Spot machines have a separate quota, so they are not counted.
function isCounted(pool: CloudRecord): boolean {
  const config = blockOf(pool.attributes, "node_config");
  return config["spot"] !== true && config["preemptible"] !== true;
}

function countPool(pool: CloudRecord): Owned & { readonly vcpus: number } {
  const type = textOf(blockOf(pool.attributes, "node_config")["machine_type"]) || getCloud("gcp").machines.defaultType;
  return { vcpus: countVcpus(type) * countNodes(pool.attributes), ...ownerOf(pool) };
}
