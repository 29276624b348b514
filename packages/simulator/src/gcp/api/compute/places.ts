import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { findRegion, listRegions } from "../../../cloud/regions.ts";
import { openGcpAccount } from "../../account/account.ts";
import { findMachineType, isOfferedIn, type MachineType } from "../../compute/machine-types.ts";
import { numericId } from "../../place.ts";
import { refuse } from "../errors.ts";
import { linkOf, missing, operate, parameterOf, renderAggregated, renderList, scopePath } from "./compute-records.ts";

/** Operations on projects, regions, zones, machine types and disk types. */
export const placeOperations: readonly ApiOperation[] = [
  operate("projects.get", ["GET", ""], undefined, async (call) => {
    const project = parameterOf(call, "project");
    return {
      kind: "compute#project",
      id: numericId(`project ${project}`),
      creationTimestamp: created,
      name: project,
      commonInstanceMetadata: { kind: "compute#metadata", fingerprint: "AAAAAAAAAAA=" },
      quotas: await listGlobalQuotas(call),
      selfLink: linkOf(`projects/${project}`),
      defaultNetworkTier: "PREMIUM",
    };
  }),
  operate("regions.get", ["GET", "/regions/{region}"], undefined, async (call) => {
    const region = parameterOf(call, "region");
    if (!listRegions("gcp").includes(region)) refuse(missing(scopePath(call)));
    return renderRegion(call, region);
  }),
  operate("regions.list", ["GET", "/regions"], undefined, async (call) => {
    const items = await Promise.all(listRegions("gcp").map((region) => renderRegion(call, region)));
    return renderList(call, "regionList", items, `projects/${parameterOf(call, "project")}/regions`);
  }),
  operate("zones.get", ["GET", "/zones/{zone}"], undefined, async (call) => renderZone(call, getZone(call))),
  operate("zones.list", ["GET", "/zones"], undefined, async (call) =>
    renderList(
      call,
      "zoneList",
      listZones().map((zone) => renderZone(call, zone)),
      `projects/${parameterOf(call, "project")}/zones`,
    ),
  ),
  operate("machineTypes.get", ["GET", "/zones/{zone}/machineTypes/{machineType}"], undefined, async (call) => {
    const zone = getZone(call);
    const name = parameterOf(call, "machineType");
    const found = findMachineType(name);
    const path = `${scopePath(call)}/machineTypes/${name}`;
    return found === undefined || !isOfferedIn(name, zone) ? refuse(missing(path)) : renderMachineType(call, found, zone);
  }),
  operate("machineTypes.list", ["GET", "/zones/{zone}/machineTypes"], undefined, async (call) => {
    const zone = getZone(call);
    const items = listMachineTypes(call, zone).map((each) => renderMachineType(call, each, zone));
    return renderList(call, "machineTypeList", items, `${scopePath(call)}/machineTypes`);
  }),
  operate("machineTypes.aggregatedList", ["GET", "/aggregated/machineTypes"], undefined, async (call) => {
    const items = listZones().flatMap((zone) =>
      listMachineTypes(call, zone).map((each) => ({ scope: `zones/${zone}`, item: renderMachineType(call, each, zone) })),
    );
    return renderAggregated(call, "machineTypeAggregatedList", "machineTypes", items, listZoneScopes());
  }),
];

const created = "2026-01-01T00:00:00.000-08:00";

function listZones(): readonly string[] {
  return listRegions("gcp").flatMap((region) => findRegion("gcp", region)?.zones ?? []);
}

/** Lists the names of all zones as scopes of an aggregated list. */
export function listZoneScopes(): readonly string[] {
  return listZones().map((zone) => `zones/${zone}`);
}

function getZone(call: ApiCall): string {
  const zone = parameterOf(call, "zone");
  return listZones().includes(zone) ? zone : refuse(missing(scopePath(call)));
}

function renderZone(call: ApiCall, zone: string): Record<string, unknown> {
  const project = parameterOf(call, "project");
  return {
    kind: "compute#zone",
    id: numericId(`zone ${zone}`).slice(0, 4),
    creationTimestamp: created,
    name: zone,
    description: zone,
    status: "UP",
    region: linkOf(`projects/${project}/regions/${zone.replace(/-[a-z]$/, "")}`),
    selfLink: linkOf(`projects/${project}/zones/${zone}`),
    availableCpuPlatforms: ["Intel Broadwell", "Intel Ice Lake"],
  };
}

async function renderRegion(call: ApiCall, region: string): Promise<Record<string, unknown>> {
  const project = parameterOf(call, "project");
  return {
    kind: "compute#region",
    id: numericId(`region ${region}`).slice(0, 4),
    creationTimestamp: created,
    name: region,
    description: region,
    status: "UP",
    zones: (findRegion("gcp", region)?.zones ?? []).map((zone) => linkOf(`projects/${project}/zones/${zone}`)),
    quotas: await listRegionalQuotas(call, region),
    selfLink: linkOf(`projects/${project}/regions/${region}`),
  };
}

interface Quota {
  readonly metric: string;
  readonly limit: number;
  readonly usage: number;
}

async function listGlobalQuotas(call: ApiCall): Promise<readonly Quota[]> {
  const { inventory, tenant } = call.scope;
  const account = openGcpAccount({ inventory, tenant, region: "us-central1" });
  const { networks } = await account.getLimits();
  const names = { SUBNETWORKS: "subnets", ROUTERS: "routers", FIREWALLS: "firewalls" } as const;
  const usages = await Promise.all(
    Object.entries(names).map(async ([metric, quota]): Promise<Quota> => {
      const { limit = 0, used = 0 } = (await account.findUsage?.(quota)) ?? {};
      return { metric, limit, usage: used };
    }),
  );
  const used = (await inventory.list(tenant, "google_compute_network")).length;
  return [{ metric: "NETWORKS", limit: networks, usage: used }, ...usages];
}

async function listRegionalQuotas(call: ApiCall, region: string): Promise<readonly Quota[]> {
  const { inventory, tenant } = call.scope;
  const account = openGcpAccount({ inventory, tenant, region });
  const { vcpus, publicIps } = await account.getLimits();
  const machines = await account.listMachines();
  const { limit = 0, used = 0 } = (await account.findUsage?.("diskGiB")) ?? {};
  return [
    { metric: "CPUS", limit: vcpus, usage: machines.reduce((sum, machine) => sum + machine.vcpus, 0) },
    { metric: "STATIC_ADDRESSES", limit: publicIps, usage: (await account.listPublicIps()).length },
    { metric: "DISKS_TOTAL_GB", limit, usage: used },
    { metric: "SSD_TOTAL_GB", limit, usage: used },
  ];
}

/**
 * The machine types that lists contain by default. Other machine types exist too, but a list contains them only if its filter names them.
 */
const usual = [
  "e2-micro",
  "e2-small",
  "e2-medium",
  ...["e2-standard", "n2-standard", "n2d-standard"].flatMap((shape) => [2, 4, 8, 16, 32].map((size) => `${shape}-${size}`)),
  ...["e2-highmem", "n2-highmem", "n1-standard"].flatMap((shape) => [2, 4, 8, 16].map((size) => `${shape}-${size}`)),
  "c3-standard-4",
  "c3-standard-8",
  "t2a-standard-1",
  "t2a-standard-4",
];

function listMachineTypes(call: ApiCall, zone: string): readonly MachineType[] {
  const named = [...(call.query.get("filter") ?? "").slice(0, 4096).matchAll(/"([a-z0-9-]{1,60})"/g)].map(
    ([, name = ""]) => name,
  );
  return [...new Set([...usual, ...named])]
    .filter((name) => isOfferedIn(name, zone))
    .flatMap((name) => findMachineType(name) ?? []);
}

function renderMachineType(call: ApiCall, machine: MachineType, zone: string): Record<string, unknown> {
  const { name, vcpus, memoryGiB, architecture } = machine;
  return {
    kind: "compute#machineType",
    id: numericId(`machine type ${name}`).slice(0, 6),
    creationTimestamp: created,
    name,
    description: `${vcpus} vCPUs, ${memoryGiB} GB RAM`,
    guestCpus: vcpus,
    memoryMb: Math.round(memoryGiB * 1024),
    maximumPersistentDisks: 128,
    maximumPersistentDisksSizeGb: "263168",
    zone,
    selfLink: linkOf(`projects/${parameterOf(call, "project")}/zones/${zone}/machineTypes/${name}`),
    isSharedCpu: /^(e2-(micro|small|medium)|f1-micro|g1-small)$/.test(name),
    architecture: architecture === "arm64" ? "ARM64" : "X86_64",
  };
}
