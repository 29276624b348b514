import { confirmProblems, suspectSeveralTypes, type NodePoolShape, type SpecCheck, type Suspicion } from "../spec-checks.ts";
import { findGpuProblem } from "./gpus.ts";
import { defaultMachineType } from "./machine-types.ts";

interface GcpPoolShape extends NodePoolShape {
  readonly gcp?: { readonly accelerator?: string; readonly acceleratorCount?: number };
}

/** GKE's limit for the names of node pools. */
const longestName = 40;
/** The platform builds one GKE node pool per zone. It appends the zone's letter and a hash to the name. */
const suffixLength = 10;

/** Returns the settings of a node pool that GKE does not accept. A pool that already exists has settings that GKE accepted. */
export const checkGcpPool: SpecCheck = ({ name, spec, owner }) => {
  const pool = spec as GcpPoolShape;
  if (pool.existing === true) return [];
  const isExisting = owner["existing"] !== undefined;
  const { diskSizeGib = 0 } = pool;
  return confirmProblems([
    suspectName(name, isExisting),
    suspectSeveralTypes("GKE", pool, isExisting),
    [diskSizeGib > 0 && diskSizeGib < 10, "spec.diskSizeGib", `is ${diskSizeGib}; the disks of GKE nodes have at least 10 GiB`],
    suspectGpus(pool, typeof owner["instanceType"] === "string" ? owner["instanceType"] : ""),
  ]);
};

function suspectName(name: string, isExisting: boolean): Suspicion {
  const most = isExisting ? longestName : longestName - suffixLength;
  const why = isExisting ? "" : `, because GKE allows ${longestName} and the platform appends the zone and a hash`;
  return [name.length > most, "metadata.name", `has ${name.length} characters; the name may have at most ${most}${why}`];
}

function suspectGpus({ gcp = {}, instanceType = "" }: GcpPoolShape, usualType: string): Suspicion {
  const { accelerator = "", acceleratorCount = 0 } = gcp;
  const problem =
    accelerator === ""
      ? undefined
      : findGpuProblem(instanceType || usualType || defaultMachineType, { type: accelerator, count: acceleratorCount });
  return [problem !== undefined, `spec.gcp.${problem?.field ?? ""}`, problem?.message ?? ""];
}
