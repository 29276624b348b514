import { confirmProblems, suspectSeveralTypes, type NodePoolShape, type SpecCheck } from "../spec-checks.ts";

interface AzurePoolShape extends NodePoolShape {
  readonly azure?: {
    readonly system?: boolean;
    readonly spotMaxPrice?: string;
    readonly maxSurge?: string;
    readonly maxPods?: number;
  };
}

/** Returns the settings of a node pool that AKS does not accept. A pool that already exists has settings that AKS accepted. */
export const checkAzurePool: SpecCheck = ({ name, spec, owner }) => {
  const pool = spec as AzurePoolShape;
  if (pool.existing === true) return [];
  const isExisting = owner["existing"] !== undefined;
  const { system = false, spotMaxPrice = "", maxSurge = "", maxPods = 0 } = pool.azure ?? {};
  const { capacity = "", diskSizeGib = 0, autoscaling = false, min = 0, desired = 0, nodeLabels = {} } = pool;
  const isSpot = capacity === "spot";
  const [size, smallest] = autoscaling ? (["spec.min", min] as const) : (["spec.desired", desired] as const);
  const label = Object.keys(nodeLabels).find((key) => key.startsWith("kubernetes.azure.com/"));
  return confirmProblems([
    // The platform derives a valid name for the pools of clusters that it creates.
    [
      isExisting && !/^[a-z][a-z0-9]{0,11}$/.test(name),
      "metadata.name",
      `is "${name}"; the names of AKS node pools start with a letter and have up to 12 lower-case letters and digits`,
    ],
    suspectSeveralTypes("AKS", pool, isExisting),
    [label !== undefined, "spec.nodeLabels", `contains the label "${label ?? ""}", which is reserved for AKS`],
    [system && isSpot, "spec.capacity", "is spot, but a pool for system pods (spec.azure.system) cannot use spot capacity"],
    [system && smallest < 1, size, `is ${smallest}, but a pool for system pods (spec.azure.system) must have at least one node`],
    [spotMaxPrice !== "" && !isSpot, "spec.azure.spotMaxPrice", "requires spec.capacity spot"],
    [spotMaxPrice !== "" && Number(spotMaxPrice) === 0, "spec.azure.spotMaxPrice", "must be above 0"],
    [maxSurge !== "" && isSpot, "spec.azure.maxSurge", "must be left out, because spot pools are upgraded without more nodes"],
    [
      diskSizeGib > 0 && (diskSizeGib < 30 || diskSizeGib > 2048),
      "spec.diskSizeGib",
      `is ${diskSizeGib}; the disks of AKS nodes have 30 to 2048 GiB`,
    ],
    [maxPods > 0 && (maxPods < 10 || maxPods > 250), "spec.azure.maxPods", `is ${maxPods}; AKS allows 10 to 250 pods per node`],
  ]);
};
