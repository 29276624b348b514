import { isCustomMachineType } from "@cloudwright/contract/clouds/gcp/machine-sizes";
import type { Held, OfferedMachine } from "../account-view.ts";
import type { GcpApi } from "./api.ts";
import type { Instance, MachineType, Region, Zone } from "./models.ts";
import { ownerOf } from "./ownership.ts";
import { lastPart } from "./resource-names.ts";

/** Families that count against the `CPUS` quota. Every other family has its own quota. */
const common = /^(e2|n1|f1|g1|custom)-/;

interface Scoped<Key extends string, Item> {
  readonly items?: Readonly<Record<string, Readonly<Partial<Record<Key, readonly Item[]>>>>>;
}

/** Lists the running machines that count against the `CPUS` quota, with their vCPUs. Spot machines have their own quota. */
export async function countVcpus(api: GcpApi): Promise<(Held & { vcpus: number })[]> {
  return countMachines(api, (type) => common.test(type));
}

async function countMachines(api: GcpApi, isCounted: (type: string) => boolean): Promise<(Held & { vcpus: number })[]> {
  const project = await api.getProject();
  const pages = await api.listPages<Scoped<"instances", Instance>>("list the machines", {
    service: "compute",
    path: `projects/${project}/aggregated/instances`,
    query: { filter: "status != TERMINATED" },
  });
  const running = inRegion(pages, "instances", api.region).filter(
    ({ machineType, scheduling, status }) =>
      isCounted(lastPart(machineType)) &&
      scheduling?.provisioningModel !== "SPOT" &&
      scheduling?.preemptible !== true &&
      status !== "TERMINATED",
  );
  const types = running.map(({ machineType }) => lastPart(machineType));
  const sizes = new Map((await listTypes(api, types)).map(({ name, vcpus }) => [name, vcpus]));
  return running.map((instance) => {
    const type = lastPart(instance.machineType);
    return { vcpus: sizes.get(type) ?? readVcpus(type), ...ownerOf(instance) };
  });
}

/** Lists the given machine types that the region offers, with their zones and the quotas of their families. */
export async function listOfferedMachines(api: GcpApi, types: readonly string[]): Promise<OfferedMachine[]> {
  const found = await listTypes(api, types);
  const families = new Set(found.flatMap(({ name, isCommon }) => (isCommon ? [] : [familyOf(name)])));
  if (families.size === 0) return found;
  const path = `projects/${await api.getProject()}/regions/${api.region}`;
  const { quotas = [] } = await api.call<Region>("read the quotas of the region", { service: "compute", path });
  const limits = new Map<string, NonNullable<OfferedMachine["quota"]>>();
  for (const family of families) {
    const name = `${family.toUpperCase()}_CPUS`;
    const limit = quotas.find(({ metric }) => metric === name)?.limit;
    if (limit !== undefined)
      limits.set(family, { name, limit, used: await countMachines(api, (type) => familyOf(type) === family) });
  }
  return found.map((machine) => {
    const quota = machine.isCommon ? undefined : limits.get(familyOf(machine.name));
    return quota === undefined ? machine : { ...machine, quota };
  });
}

function familyOf(type: string): string {
  return type.split("-")[0] ?? "";
}

async function listTypes(api: GcpApi, types: readonly string[]): Promise<OfferedMachine[]> {
  // Other characters could change the meaning of the filter.
  const names = [...new Set(types)].filter((type) => /^[a-z0-9-]+$/.test(type));
  if (names.length === 0) return [];
  const project = await api.getProject();
  const found = new Map<string, { vcpus: number; zones: string[] }>();
  // Google Cloud does not list custom types. A custom type with valid vCPUs and memory exists wherever its family does.
  const custom = names.filter((name) => /(^|-)custom-/.test(name));
  const listed = names.filter((name) => !custom.includes(name));
  for (let from = 0; from < listed.length; from += namesPerCall) {
    const filter = listed
      .slice(from, from + namesPerCall)
      .map((name) => `(name = "${name}")`)
      .join(" OR ");
    const pages = await api.listPages<Scoped<"machineTypes", MachineType>>("list the machine types", {
      service: "compute",
      path: `projects/${project}/aggregated/machineTypes`,
      query: { filter },
    });
    for (const { name = "", guestCpus = 0, zone = "", deprecated } of inRegion(pages, "machineTypes", api.region)) {
      if (!listed.includes(name) || deprecated?.state === "OBSOLETE" || deprecated?.state === "DELETED") continue;
      const known = found.get(name) ?? { vcpus: guestCpus, zones: [] };
      found.set(name, { ...known, zones: [...known.zones, lastPart(zone)] });
    }
  }
  const zones = custom.length === 0 ? [] : await listZones(api);
  for (const name of custom)
    if (zones.length > 0 && isCustomMachineType(name)) found.set(name, { vcpus: readVcpus(name), zones: [...zones] });
  return [...found].map(([name, { vcpus, zones: where }]) => ({
    name,
    vcpus,
    zones: where.toSorted(),
    isCommon: common.test(name),
  }));
}

const namesPerCall = 20;

/** Lists the zones of the region that are up. */
export async function listZones(api: GcpApi): Promise<readonly string[]> {
  const project = await api.getProject();
  const pages = await api.listPages<{
    readonly items?: readonly Zone[];
  }>(`list the zones of ${api.region}`, { service: "compute", path: `projects/${project}/zones` });
  return pages
    .flatMap(({ items = [] }) => items)
    .flatMap(({ name, region, status }) =>
      name !== undefined && lastPart(region) === api.region && status === "UP" ? [name] : [],
    )
    .toSorted();
}

function inRegion<Key extends string, Item>(pages: readonly Scoped<Key, Item>[], key: Key, region: string): Item[] {
  return pages.flatMap(({ items = {} }) =>
    Object.entries(items).flatMap(([scope, found]) => (scope.startsWith(`zones/${region}-`) ? (found[key] ?? []) : [])),
  );
}

/** Reads the number of vCPUs from a machine type's name. Shared-core types have two vCPUs. */
function readVcpus(type: string): number {
  const [, count] = /-(?:custom|[a-z]+)-(\d+)/.exec(`-${type}`) ?? [];
  return count === undefined ? 2 : Number(count);
}
