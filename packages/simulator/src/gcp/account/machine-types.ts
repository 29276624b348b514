import { isListedMachineType } from "@cloudwright/contract/clouds/gcp/machine-sizes";

/** Machine families that only a few zones offer. In the simulator, only the first zone of a region offers them. */
const rare = /^(a2|a3|a4|a4x|g2|g4|h3|h4d|m1|m2|m3|m4|t2a|x4|z3)-/;

/** Returns the number of vCPUs of a machine type. Shared-core types have two. */
export function countVcpus(type: string): number {
  const [, count] = /-(?:custom|[a-z]+)-(\d+)/.exec(`-${type}`) ?? [];
  return count === undefined ? 2 : Number(count);
}

/** Returns those of the given zones that offer a machine type. The list is empty if the type does not exist. */
export function zonesOffering(type: string, zones: readonly string[]): readonly string[] {
  if (!isListedMachineType(type)) return [];
  return rare.test(type) ? zones.slice(0, 1) : zones;
}
