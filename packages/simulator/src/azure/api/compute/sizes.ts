import { listSimilarMachineTypes } from "@cloudwright/contract/clouds/azure/machine-sizes";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { findRegion, listRegions } from "../../../cloud/regions.ts";
import { getQuota } from "../../../cloud/quotas.ts";
import { numberOf, textOf } from "../../../values/read-value.ts";
import { findVmSize, type VmSize } from "../../compute/vm-sizes.ts";
import { countNodes } from "../../aks/pools.ts";
import { blockOf } from "../../../values/read-value.ts";
import { spellLocation } from "../arm-kind.ts";
import { parameterOf, subscriptionPath, takeLinkedPage } from "../arm-resources.ts";
import { refuse } from "../errors.ts";

const compute = "/subscriptions/{subscriptionId}/providers/Microsoft.Compute";

/** One VM size per series. The simulated catalogue consists of these sizes and similar ones. */
const seeds = ["Standard_B2ms", "Standard_D4s_v5", "Standard_E4s_v5", "Standard_F4s_v2", "Standard_A2_v2", "Standard_L8s_v3"];

/** The VM sizes that the simulated Compute service lists. The service also accepts other sizes. */
const catalogue: readonly VmSize[] = [...new Set(seeds.flatMap((seed) => [seed, ...listSimilarMachineTypes(seed)]))]
  .flatMap((name) => findVmSize(name) ?? [])
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Operations that list VM sizes and quotas. */
export const sizeOperations: readonly ApiOperation[] = [
  {
    name: "VirtualMachineSizes_List",
    match: { method: "GET", path: `${compute}/locations/{location}/vmSizes` },
    async run(call) {
      checkLocation(parameterOf(call, "location"));
      return { content: { value: catalogue.map(describeSize) } };
    },
  },
  {
    name: "ResourceSkus_List",
    match: { method: "GET", path: `${compute}/skus` },
    async run(call) {
      const filter = call.query.get("$filter") ?? "";
      const asked = /^location eq '(?<location>[^']+)'$/.exec(filter)?.groups?.["location"];
      if (filter !== "" && asked === undefined) refuse("InvalidParameter", "The filter is not supported.", 400);
      const locations = asked === undefined ? listRegions("azure").slice(0, 1) : [spellLocation(asked)];
      const skus = locations.flatMap((location) => catalogue.map((size) => describeSku(size, location)));
      const path = `${subscriptionPath(call)}/providers/Microsoft.Compute/skus`;
      const { items, link } = takeLinkedPage(call, path, skus, ({ name }) => name);
      return { content: { value: items, ...link } };
    },
  },
  {
    name: "Usage_List",
    match: { method: "GET", path: `${compute}/locations/{location}/usages` },
    async run(call) {
      const location = parameterOf(call, "location");
      checkLocation(location);
      const limit = getQuota("vcpus-per-region", call.conditions);
      const name = { value: "cores", localizedValue: "Total Regional vCPUs" };
      return { content: { value: [{ unit: "Count", currentValue: await countUsed(call, location), limit, name }] } };
    },
  },
];

function checkLocation(location: string): void {
  if (listRegions("azure").includes(spellLocation(location))) return;
  refuse("NoRegisteredProviderFound", `No registered resource provider found for location '${location.slice(0, 100)}'.`, 400);
}

async function countUsed({ scope }: ApiCall, location: string): Promise<number> {
  const list = (type: string) => scope.inventory.list(scope.tenant, type);
  const isHere = (given: unknown): boolean => spellLocation(textOf(given)) === spellLocation(location);
  const clusters = (await list("azurerm_kubernetes_cluster")).filter(({ attributes }) => isHere(attributes["location"]));
  const ids = new Set(clusters.map(({ id }) => id));
  const others = await list("azurerm_kubernetes_cluster_node_pool");
  const pools = [
    ...clusters.map(({ attributes }) => blockOf(attributes, "default_node_pool")),
    ...others.flatMap(({ attributes }) => (ids.has(textOf(attributes["kubernetes_cluster_id"])) ? [attributes] : [])),
  ].filter(({ priority }) => priority !== "Spot");
  const machines = (await list("azurerm_linux_virtual_machine")).filter(({ attributes }) => isHere(attributes["location"]));
  const vcpus = (size: unknown): number => findVmSize(textOf(size))?.vcpus ?? 0;
  const ofPools = pools.reduce((sum, pool) => sum + numberOf(countNodes(pool)) * vcpus(pool["vm_size"]), 0);
  return machines.reduce((sum, { attributes }) => sum + vcpus(attributes["size"]), ofPools);
}

function describeSize({ name, vcpus, memoryGiB }: VmSize): Record<string, unknown> {
  return {
    name,
    numberOfCores: vcpus,
    osDiskSizeInMB: 1_047_552,
    resourceDiskSizeInMB: 0,
    memoryInMB: memoryGiB * 1024,
    maxDataDiskCount: Math.min(32, vcpus * 2),
  };
}

function describeSku({ name, vcpus, memoryGiB, architecture }: VmSize, location: string) {
  const zones = findRegion("azure", location)?.zones.map((zone) => zone.split("-").at(-1) ?? "") ?? [];
  const [, letters = "", rest = ""] = /^Standard_([A-Z]+)\d+(.*)/s.exec(name) ?? [];
  return {
    resourceType: "virtualMachines",
    name,
    tier: "Standard",
    size: name.replace(/^Standard_/, ""),
    family: `standard${letters}${rest.replaceAll("_", "")}Family`,
    locations: [location],
    locationInfo: [{ location, zones, zoneDetails: [] }],
    capabilities: [
      { name: "vCPUs", value: String(vcpus) },
      { name: "MemoryGB", value: String(memoryGiB) },
      { name: "CpuArchitectureType", value: architecture === "arm64" ? "Arm64" : "x64" },
    ],
    restrictions: [],
  };
}
