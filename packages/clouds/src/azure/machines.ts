import type { Held, OfferedMachine } from "../account-view.ts";
import type { AzureApi } from "./api.ts";
import type { ManagedCluster, ResourceSku, Usage } from "./models.ts";
import { operations } from "./operations.ts";
import { isIn, ownerOf } from "./ownership.ts";

type Machines = Held & { readonly vcpus: number };

/** The machine types, machines and quotas of a region. Each is read once. */
export interface AzureMachines {
  /** Lists the machines that count against the region's total vCPU quota. Spot machines are excluded. */
  listMachines(): Promise<readonly Machines[]>;
  listOffered(types: readonly string[]): Promise<readonly OfferedMachine[]>;
  /** Returns the region's total vCPU quota. */
  getLimit(): Promise<number>;
}

const allCores = "cores";

/** Creates a reader for the machines of the API's region. */
export function createAzureMachines(api: AzureApi): AzureMachines {
  const listSkus = once(async () => {
    const query = { $filter: `location eq '${api.region}'` };
    const all = await api.list<ResourceSku>("list the machine types", operations.listSkus, { query });
    return new Map(all.flatMap((sku) => (sku.resourceType === "virtualMachines" && sku.name ? [[sku.name, sku] as const] : [])));
  });
  const listUsages = once(async () => {
    const path = { location: api.region };
    const all = await api.list<Usage>("read the quotas of machines", operations.listComputeUsages, { path });
    return new Map(all.map((usage) => [usage.name?.value ?? "", usage]));
  });
  const listClusters = once(() => api.list<ManagedCluster>("list the clusters", operations.listClusters));
  /**
   * Azure reports only how many vCPUs are in use. The vCPUs of clusters in the region are listed with their owner, and the remaining ones
   * in one entry without an owner.
   */
  const listUsed = async (quota: string, isCounted: (sku: ResourceSku) => boolean): Promise<readonly Machines[]> => {
    const [skus, usages, clusters] = await Promise.all([listSkus(), listUsages(), listClusters()]);
    const own = clusters
      .filter((cluster) => isIn(cluster, api.region))
      .map((cluster) => {
        const pools = cluster.properties?.agentPoolProfiles ?? [];
        const vcpus = pools.map(({ vmSize = "", count = 0, scaleSetPriority }) => {
          const sku = skus.get(vmSize);
          return sku === undefined || scaleSetPriority === "Spot" || !isCounted(sku) ? 0 : count * vcpusOf(sku);
        });
        return { vcpus: vcpus.reduce((sum, each) => sum + each, 0), ...ownerOf(cluster) };
      });
    const known = own.reduce((sum, { vcpus }) => sum + vcpus, 0);
    return [...own, { vcpus: Math.max(0, (usages.get(quota)?.currentValue ?? 0) - known) }];
  };
  return {
    listMachines: () => listUsed(allCores, () => true),
    getLimit: async () => (await listUsages()).get(allCores)?.limit ?? Number.POSITIVE_INFINITY,
    async listOffered(types) {
      if (types.length === 0) return [];
      const [skus, usages] = await Promise.all([listSkus(), listUsages()]);
      const offered = [...new Set(types)].flatMap((name) => {
        const sku = skus.get(name);
        return sku === undefined || isRefused(sku) ? [] : [{ name, sku }];
      });
      return Promise.all(
        offered.map(async ({ name, sku }) => {
          const { family = "" } = sku;
          const limit = usages.get(family)?.limit;
          const title = usages.get(family)?.name?.localizedValue ?? family;
          const used = limit === undefined ? [] : await listUsed(family, (each) => each.family === family);
          return {
            name,
            vcpus: vcpusOf(sku),
            zones: zonesOf(sku, api.region),
            isCommon: true,
            ...(limit === undefined ? {} : { quota: { name: title, limit, used } }),
          };
        }),
      );
    },
  };
}

function vcpusOf({ capabilities = [] }: ResourceSku): number {
  const find = (name: string): number => Number(capabilities.find((each) => each.name === name)?.value ?? Number.NaN);
  // Machine types with constrained vCPUs count against quotas with all vCPUs of the underlying machine.
  return find("vCPUs") || 0;
}

/** Returns whether the subscription cannot use a machine type anywhere in the region. */
function isRefused({ restrictions = [] }: ResourceSku): boolean {
  return restrictions.some(({ type }) => type === "Location");
}

function zonesOf({ locationInfo = [], restrictions = [] }: ResourceSku, region: string): string[] {
  const closed = new Set(
    restrictions.flatMap(({ type, restrictionInfo }) => (type === "Zone" ? (restrictionInfo?.zones ?? []) : [])),
  );
  const zones = locationInfo.filter((info) => isIn(info, region)).flatMap((info) => info.zones ?? []);
  return zones
    .filter((zone) => !closed.has(zone))
    .map((zone) => `${region}-${zone}`)
    .toSorted();
}

function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  return () =>
    (reading ??= read().catch((error: unknown) => {
      reading = undefined;
      throw error;
    }));
}
