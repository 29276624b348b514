import { getCloud } from "@cloudwright/contract/clouds";
import { cloudsFaults } from "../faults.ts";
import type { AccountIdentity, AccountLimits, AccountView, Held, QuotaKind, QuotaUsage } from "../account-view.ts";
import type { GcpApi } from "./api.ts";
import { hasImage } from "./has-image.ts";
import { listOfferedMachines, listZones, countVcpus } from "./machines.ts";
import type { Address, Network, Project, Quota, Region, Router, ServerConfig, Subnetwork } from "./models.ts";
import { ownerOf } from "./ownership.ts";
import { listDeniedPermissions } from "./permissions/list-denied.ts";
import { listDisabledServices } from "./permissions/list-disabled.ts";
import { gcpFeatures, listPermissions, type GcpFeature } from "./permissions/features.ts";
import { toResourceId } from "./resource-names.ts";

/** Quotas that Google Cloud does not have, because Cloud NAT runs on routers and there are no internet gateways. */
const unlimited = { natGatewaysPerZone: Number.POSITIVE_INFINITY, internetGateways: Number.POSITIVE_INFINITY };

/** Creates the view of a real Google Cloud project. */
export function createGcpView(api: GcpApi, getIdentity: () => Promise<AccountIdentity>): AccountView {
  return {
    getIdentity,
    async listDenied(feature) {
      if (!isFeature(feature)) return undefined;
      return listDeniedPermissions(api, listPermissions(feature));
    },
    async listDisabledServices(feature) {
      return isFeature(feature) ? listDisabledServices(api, feature) : undefined;
    },
    listZones: () => listZones(api),
    getLimits: () => getLimits(api),
    findUsage: (quota) => findUsage(api, quota),
    listNetworks: () => listNetworks(api),
    async listPublicIps() {
      const [regional, global] = await Promise.all([
        listItems<Address>(api, "list the addresses", `regions/${api.region}/addresses`),
        listItems<Address>(api, "list the global addresses", "global/addresses"),
      ]);
      return [...regional, ...global].filter(({ addressType }) => addressType !== "INTERNAL").map(ownerOf);
    },
    async listNatGateways() {
      const routers = await listItems<Router>(api, "list the routers", `regions/${api.region}/routers`);
      // Cloud NAT serves a whole region, so it has no zone.
      return routers.flatMap((router) => (router.nats ?? []).map(() => ({ zone: "", ...ownerOf(router) })));
    },
    listInternetGateways: async () => [],
    listMachines: () => countVcpus(api),
    listOffered: (types) => listOfferedMachines(api, types),
    hasImage: (image, type) => hasImage(api, image, type),
    listVersions: () => listVersions(api),
    async findCluster(name) {
      const path = `projects/${await api.getProject()}/locations/-/clusters`;
      const { clusters = [] } = await api.call<{
        readonly clusters?: readonly {
          readonly name?: string;
          readonly location?: string;
          readonly resourceLabels?: Readonly<Record<string, string>>;
        }[];
      }>(`find the cluster ${name}`, { service: "container", path });
      const found = clusters.find((each) => each.name === name && each.location?.startsWith(api.region) === true);
      return found === undefined
        ? undefined
        : ownerOf(found.resourceLabels === undefined ? {} : { labels: found.resourceLabels });
    },
    findBucket: (name) => findBucket(api, name),
  };
}

function isFeature(feature: string): feature is GcpFeature {
  return (gcpFeatures as readonly string[]).includes(feature);
}

/** Lists all items of a Compute Engine collection. */
export async function listItems<Item>(api: GcpApi, doing: string, collection: string, filter?: string): Promise<Item[]> {
  const path = `projects/${await api.getProject()}/${collection}`;
  const pages = await api.listPages<{ readonly items?: readonly Item[] }>(doing, {
    service: "compute",
    path,
    ...(filter === undefined ? {} : { query: { filter } }),
  });
  return pages.flatMap(({ items = [] }) => items);
}

async function getLimits(api: GcpApi): Promise<AccountLimits> {
  const [global, regional] = await Promise.all([readGlobalQuotas(api), readRegionalQuotas(api)]);
  const [cpus, everywhere] = [findQuota(regional, "CPUS"), findQuota(global, "CPUS_ALL_REGIONS")];
  return {
    ...unlimited,
    networks: findQuota(global, "NETWORKS").limit,
    publicIps: findQuota(regional, "STATIC_ADDRESSES").limit,
    // A second quota covers all regions. The vCPUs that other regions use are not available in this region.
    vcpus: Math.min(cpus.limit, cpus.usage + everywhere.limit - everywhere.usage),
  };
}

async function readGlobalQuotas(api: GcpApi): Promise<readonly Quota[]> {
  const path = `projects/${await api.getProject()}`;
  return (await api.call<Project>("read the quotas", { service: "compute", path })).quotas ?? [];
}

async function readRegionalQuotas(api: GcpApi): Promise<readonly Quota[]> {
  const path = `projects/${await api.getProject()}/regions/${api.region}`;
  return (await api.call<Region>("read the quotas of the region", { service: "compute", path })).quotas ?? [];
}

/** Compute Engine's names for quotas. Balanced disks count as SSDs. */
const metrics: Readonly<Partial<Record<QuotaKind, QuotaMetric>>> = {
  subnets: { name: "SUBNETWORKS", read: readGlobalQuotas },
  routers: { name: "ROUTERS", read: readGlobalQuotas },
  firewalls: { name: "FIREWALLS", read: readGlobalQuotas },
  diskGiB: { name: "DISKS_TOTAL_GB", read: readRegionalQuotas },
  ssdGiB: { name: "SSD_TOTAL_GB", read: readRegionalQuotas },
};

interface QuotaMetric {
  readonly name: string;
  read(api: GcpApi): Promise<readonly Quota[]>;
}

async function findUsage(api: GcpApi, quota: QuotaKind): Promise<QuotaUsage | undefined> {
  try {
    if (quota === "serviceAccounts") return await countServiceAccounts(api);
    const metric = metrics[quota];
    if (metric === undefined) return undefined;
    const { limit, usage } = findQuota(await metric.read(api), metric.name);
    return { limit, used: usage };
  } catch (error) {
    // The least-privilege roles of earlier releases do not allow all of these calls.
    if ((error as { readonly code?: string }).code === cloudsFaults.not_allowed.code) return undefined;
    throw error;
  }
}

/** Counts the service accounts of the project. Google Cloud reports their quota only through an API that the platform does not require. */
async function countServiceAccounts(api: GcpApi): Promise<QuotaUsage> {
  const pages = await api.listPages<{ readonly accounts?: readonly unknown[] }>("list the service accounts", {
    service: "iam_beta",
    path: `projects/${await api.getProject()}/serviceAccounts`,
    query: { pageSize: "100" },
  });
  const used = pages.reduce((sum, { accounts = [] }) => sum + accounts.length, 0);
  return { limit: getCloud("gcp").quotas["service-accounts"] ?? Number.POSITIVE_INFINITY, used, isAssumed: true };
}

function findQuota(quotas: readonly Quota[], name: string): { readonly limit: number; readonly usage: number } {
  const found = quotas.find(({ metric }) => metric === name);
  return { limit: found?.limit ?? Number.POSITIVE_INFINITY, usage: found?.usage ?? 0 };
}

async function listNetworks(api: GcpApi): Promise<(Held & { id: string; ranges: readonly string[] })[]> {
  const project = await api.getProject();
  const [networks, pages] = await Promise.all([
    listItems<Network>(api, "list the networks", "global/networks"),
    api.listPages<{ readonly items?: Readonly<Record<string, { readonly subnetworks?: readonly Subnetwork[] }>> }>(
      "list the subnets",
      { service: "compute", path: `projects/${project}/aggregated/subnetworks` },
    ),
  ]);
  const subnets = pages.flatMap(({ items = {} }) => Object.values(items).flatMap(({ subnetworks = [] }) => subnetworks));
  return networks.map((network) => {
    const id = toResourceId(network.selfLink);
    const own = subnets.filter((subnet) => toResourceId(subnet.network) === id);
    const ranges = own.flatMap(({ ipCidrRange = "", secondaryIpRanges = [] }) => [
      ipCidrRange,
      ...secondaryIpRanges.map((range) => range.ipCidrRange ?? ""),
    ]);
    return { id, ranges: [...new Set(ranges.filter((range) => range !== ""))], ...ownerOf(network) };
  });
}

async function listVersions(api: GcpApi): Promise<string[]> {
  const path = `projects/${await api.getProject()}/locations/${api.region}/serverConfig`;
  const { validMasterVersions = [], channels = [] } = await api.call<ServerConfig>("list the Kubernetes versions", {
    service: "container",
    path,
  });
  const versions = [...validMasterVersions, ...channels.flatMap(({ validVersions = [] }) => validVersions)];
  return [...new Set(versions.flatMap((version) => /^\d+\.\d+/.exec(version)?.[0] ?? []))];
}

async function findBucket(api: GcpApi, name: string): Promise<Held | undefined> {
  const path = `b/${encodeURIComponent(name)}`;
  try {
    const found = await api.find<{ readonly labels?: Readonly<Record<string, string>> }>(`find the bucket ${name}`, {
      service: "storage",
      path,
      query: { fields: "name,labels" },
    });
    return found === undefined ? undefined : ownerOf(found);
  } catch (error) {
    // The bucket belongs to another customer. Google Cloud reveals only that it exists.
    if ((error as { readonly code?: string }).code === cloudsFaults.not_allowed.code) return {};
    throw error;
  }
}
