/** The capacity of a VM size. */
export interface VmSize {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryGiB: number;
  readonly architecture: "amd64" | "arm64";
  readonly hasGpu: boolean;
}

/** Memory in GiB per vCPU and the available vCPU counts, by the letters of the VM series. */
const series: Readonly<Record<string, { readonly memory: number; readonly vcpus: readonly number[] }>> = {
  A: { memory: 2, vcpus: [1, 2, 4, 8] },
  B: { memory: 4, vcpus: [1, 2, 4, 8, 12, 16, 20, 32] },
  D: { memory: 4, vcpus: [2, 4, 8, 16, 32, 48, 64, 96] },
  DC: { memory: 4, vcpus: [2, 4, 8, 16, 32, 48, 64, 96] },
  E: { memory: 8, vcpus: [2, 4, 8, 16, 20, 32, 48, 64, 96, 104] },
  EC: { memory: 8, vcpus: [2, 4, 8, 16, 20, 32, 48, 64, 96] },
  F: { memory: 2, vcpus: [2, 4, 8, 16, 32, 48, 64, 72] },
  FX: { memory: 21, vcpus: [4, 12, 24, 36, 48] },
  L: { memory: 8, vcpus: [8, 16, 32, 48, 64, 80] },
  M: { memory: 28, vcpus: [8, 16, 32, 64, 128] },
  NC: { memory: 7, vcpus: [4, 6, 8, 12, 16, 24, 40, 48, 64, 96] },
  ND: { memory: 19, vcpus: [40, 96] },
  NV: { memory: 8, vcpus: [6, 12, 18, 36, 72] },
};

const pattern = /^Standard_(?<letters>[A-Z]+)(?<count>\d{1,3})(-\d{1,3})?(?<features>[a-z]{0,5})(_[A-Z]+\d+[A-Z]*)?(_v\d{1,2})?$/;

/** Finds a VM size by its name, such as `Standard_D4s_v5`. A `p` among the letters after the vCPU count indicates an Arm processor. */
export function findVmSize(name: string): VmSize | undefined {
  const { letters = "", count = "", features = "" } = pattern.exec(name)?.groups ?? {};
  const found = Object.hasOwn(series, letters) ? series[letters] : undefined;
  const vcpus = Number(count);
  if (found?.vcpus.includes(vcpus) !== true) return undefined;
  return {
    name,
    vcpus,
    memoryGiB: vcpus * found.memory,
    architecture: features.includes("p") ? "arm64" : "amd64",
    hasGpu: letters.startsWith("N"),
  };
}
