import type { AccountIdentity, AccountLimits, AccountView, Held } from "../account-view.ts";
import type { AzureApi } from "./api.ts";
import { createAzureMachines } from "./machines.ts";
import type {
  CheckNameAvailabilityResult,
  KubernetesVersionListResult,
  Location,
  ManagedCluster,
  NatGateway,
  PublicIPAddress,
  StorageAccount,
  Usage,
  VirtualNetwork,
} from "./models.ts";
import { hasImage } from "./has-image.ts";
import { hasDefaultRoute } from "./default-route.ts";
import { operations } from "./operations.ts";
import { isIn, ownerOf } from "./ownership.ts";
import { azureFeatures, listActions, listDataActions, listNamespaces, type AzureFeature } from "./permissions/features.ts";
import { listDeniedActions } from "./permissions/list-denied.ts";
import { listUnregistered } from "./permissions/list-unregistered.ts";

/** Azure's names for the quotas of a region. If there are several names, the lowest quota applies. */
const quotaNames: Readonly<Record<"networks" | "publicIps" | "natGatewaysPerZone" | "securityGroups", readonly string[]>> = {
  networks: ["VirtualNetworks"],
  publicIps: ["PublicIPAddresses", "StandardSkuPublicIpAddresses"],
  natGatewaysPerZone: ["NatGateways"],
  securityGroups: ["ApplicationSecurityGroups"],
};

/**
 * Creates the view of a real Azure subscription. `findGroup` returns the resource group to which permissions are limited, or undefined if
 * they are not limited.
 */
export function createAzureView(
  api: AzureApi,
  getIdentity: () => Promise<AccountIdentity>,
  findGroup: () => Promise<string | undefined>,
): AccountView {
  const machines = createAzureMachines(api);
  const listUsages = (): Promise<readonly Usage[]> =>
    api.list<Usage>("read the quotas of networks", operations.listNetworkUsages, { path: { location: api.region } });
  return {
    getIdentity,
    listDenied: async (feature) =>
      isFeature(feature)
        ? listDeniedActions(api, await findGroup(), { actions: listActions(feature), dataActions: listDataActions(feature) })
        : undefined,
    listDisabledServices: async (feature) => (isFeature(feature) ? listUnregistered(api, listNamespaces(feature)) : undefined),
    async listZones() {
      const all = await api.list<Location>("list the regions", operations.listLocations);
      const found = all.find(({ name }) => name === api.region);
      if (found === undefined) return [];
      const zones = (found.availabilityZoneMappings ?? []).flatMap(({ logicalZone }) => logicalZone ?? []);
      // A region without zones counts as one zone with the region's name.
      return zones.length === 0 ? [api.region] : zones.map((zone) => `${api.region}-${zone}`).toSorted();
    },
    async getLimits(): Promise<AccountLimits> {
      const usages = await listUsages();
      const limit = (names: readonly string[]): number =>
        Math.min(...usages.flatMap((usage) => (names.includes(usage.name?.value ?? "") ? (usage.limit ?? []) : [])));
      const { networks, publicIps, natGatewaysPerZone } = quotaNames;
      return {
        networks: limit(networks),
        publicIps: limit(publicIps),
        natGatewaysPerZone: limit(natGatewaysPerZone),
        internetGateways: Number.POSITIVE_INFINITY,
        vcpus: await machines.getLimit(),
      };
    },
    async findUsage(quota) {
      if (quota !== "securityGroups") return undefined;
      const found = (await listUsages()).find(({ name }) => quotaNames.securityGroups.includes(name?.value ?? ""));
      return found?.limit === undefined ? undefined : { limit: found.limit, used: found.currentValue ?? 0 };
    },
    async listNetworks() {
      const all = await api.list<VirtualNetwork>("list the virtual networks", operations.listNetworks);
      return all.flatMap((network) =>
        network.id === undefined || !isIn(network, api.region)
          ? []
          : [{ id: network.id, ranges: network.properties?.addressSpace?.addressPrefixes ?? [], ...ownerOf(network) }],
      );
    },
    hasDefaultRoute: (subnetId) => hasDefaultRoute(api, subnetId),
    async listPublicIps() {
      const all = await api.list<PublicIPAddress>("list the public addresses", operations.listPublicIps);
      return all.filter((address) => isIn(address, api.region)).map(ownerOf);
    },
    async listNatGateways() {
      const all = await api.list<NatGateway>("list the NAT gateways", operations.listNatGateways);
      const own = all.filter((gateway) => isIn(gateway, api.region));
      return own.map((gateway) => ({ zone: `${api.region}-${gateway.zones?.[0] ?? "0"}`, ...ownerOf(gateway) }));
    },
    listInternetGateways: async () => [],
    listMachines: () => machines.listMachines(),
    listOffered: (types) => machines.listOffered(types),
    hasImage: (image, type) => hasImage(api, image, type),
    async listVersions() {
      const path = { location: api.region };
      const { values = [] } = await api.call<KubernetesVersionListResult>(
        "list the Kubernetes versions",
        operations.listVersions,
        { path },
      );
      return values.flatMap(({ version, isPreview }) => (version === undefined || isPreview === true ? [] : [version]));
    },
    async findCluster(name) {
      const all = await api.list<ManagedCluster>(`find the cluster ${name}`, operations.listClusters);
      const found = all.find((cluster) => cluster.name === name && isIn(cluster, api.region));
      return found === undefined ? undefined : ownerOf(found);
    },
    findBucket: (name) => findBucket(api, name),
  };
}

function isFeature(feature: string): feature is AzureFeature {
  return (azureFeatures as readonly string[]).includes(feature);
}

/** The names of storage accounts are unique across all customers. Azure reveals only that a name is taken. */
async function findBucket(api: AzureApi, name: string): Promise<Held | undefined> {
  const doing = `find the storage account ${name}`;
  const body = { name, type: "Microsoft.Storage/storageAccounts" };
  const { nameAvailable, reason } = await api.call<CheckNameAvailabilityResult>(doing, operations.checkStorageName, { body });
  if (nameAvailable !== false || reason !== "AlreadyExists") return undefined;
  const own = (await api.list<StorageAccount>(doing, operations.listStorageAccounts)).find((account) => account.name === name);
  return own === undefined ? {} : ownerOf(own);
}
