import type { Held, OfferedMachine } from "../account-view.ts";
import type { GcpApi } from "./api.ts";
import type { Instance, MachineType } from "./models.ts";
import { ownerOf } from "./ownership.ts";
import { lastPart } from "./resource-names.ts";

/** Families that count against the quota `CPUS`. Every other family has its own quota. */
const common = /^(e2|n1|f1|g1|custom)-/;

interface Scoped<Key extends string, Item> {
  readonly items?: Readonly<Record<string, Readonly<Partial<Record<Key, readonly Item[]>>>>>;
}

/** Lists the running machines that count against the quota `CPUS`, with their vCPUs. Spot machines have their own quota. */
export async function countVcpus(api: GcpApi): Promise<(Held & { vcpus: number })[]> {
  const project = await api.getProject();
  const pages = await api.listPages<Scoped<"instances", Instance>>("list the machines", {
    service: "compute",
    path: `projects/${project}/aggregated/instances`,
    query: { filter: "status != TERMINATED" },
  });
  const running = inRegion(pages, "instances", api.region).filter(
    ({ machineType, scheduling, status }) =>
      common.test(lastPart(machineType)) &&
      scheduling?.provisioningModel !== "SPOT" &&
      scheduling?.preemptible !== true &&
      status !== "TERMINATED",
  );
  const sizes = new Map(
    (
      await listOfferedMachines(
        api,
        running.map(({ machineType }) => lastPart(machineType)),
      )
    ).map(({ name, vcpus }) => [name, vcpus]),
  );
  return running.map((instance) => {
    const type = lastPart(instance.machineType);
    return { vcpus: sizes.get(type) ?? readVcpus(type), ...ownerOf(instance) };
  });
}

/** Filters the given machine types to those available in the region, and adds their zones. */
export async function listOfferedMachines(api: GcpApi, types: readonly string[]): Promise<OfferedMachine[]> {
  const names = [...new Set(types)];
  if (names.length === 0) return [];
  const project = await api.getProject();
  const found = new Map<string, { vcpus: number; zones: string[] }>();
  // A custom type exists wherever its family does, and Google Cloud lists no custom types.
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
  for (const name of custom) if (zones.length > 0) found.set(name, { vcpus: readVcpus(name), zones: [...zones] });
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
    readonly items?: readonly { readonly name?: string; readonly region?: string; readonly status?: string }[];
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

/** Reads the number of vCPUs from a machine type's name. Types with a shared core have two. */
function readVcpus(type: string): number {
  const [, count] = /-(?:custom|[a-z]+)-(\d+)/.exec(`-${type}`) ?? [];
  return count === undefined ? 2 : Number(count);
}
