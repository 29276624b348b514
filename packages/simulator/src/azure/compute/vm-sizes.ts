import { isListedMachineType } from "@cloudwright/contract/clouds/azure/machine-sizes";

/** The capacity of a VM size. */
export interface VmSize {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryGiB: number;
  readonly architecture: "amd64" | "arm64";
  readonly hasGpu: boolean;
}

/** Memory in GiB per vCPU, keyed by the letters of the VM series. The simulator offers no other series. */
const memoryPerVcpu: Readonly<Record<string, number>> = {
  A: 2,
  B: 4,
  D: 4,
  DC: 4,
  E: 8,
  EC: 8,
  F: 2,
  FX: 21,
  L: 8,
  M: 28,
  NC: 7,
  ND: 19,
  NV: 8,
};

const pattern = /^Standard_(?<letters>[A-Z]+)(?<count>\d{1,3})(-\d{1,3})?(?<features>[a-z]{0,5})/;

/** Finds a VM size by its name, such as `Standard_D4s_v5`. A `p` among the letters after the vCPU count indicates an Arm processor. */
export function findVmSize(name: string): VmSize | undefined {
  const { letters = "", count = "", features = "" } = pattern.exec(name)?.groups ?? {};
  const memory = Object.hasOwn(memoryPerVcpu, letters) ? memoryPerVcpu[letters] : undefined;
  if (memory === undefined || !isListedMachineType(name)) return undefined;
  const vcpus = Number(count);
  return {
    name,
    vcpus,
    memoryGiB: vcpus * memory,
    architecture: features.includes("p") ? "arm64" : "amd64",
    hasGpu: letters.startsWith("N"),
  };
}
