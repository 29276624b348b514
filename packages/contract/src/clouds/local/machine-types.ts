import type { MachineSize } from "../cloud-facts.ts";

// Each size has exactly one name, and memory is a multiple of 256 MiB, so that the name can be derived from the size.
const form = /^(?<cpus>(?:0|[1-9]\d{0,2})(?:\.\d?[1-9])?)x(?<memoryGib>(?:0|[1-9]\d{0,3})(?:\.(?:25|5|75))?)$/;
const limits = { cpus: [0.1, 256], memoryGib: [0.25, 4096] } as const;

/**
 * Returns the size that a machine type states: processors, then memory in GiB. `0.5x1` is half a processor and 1 GiB. Returns undefined if
 * it is not such a type, or larger or smaller than a machine can be.
 */
export function measureMachineType(type: string): MachineSize | undefined {
  const { cpus: processors, memoryGib: memory } = form.exec(type)?.groups ?? {};
  const [cpus, memoryGib] = [Number(processors), Number(memory)];
  const fits = (value: number, [least, most]: readonly [number, number]): boolean => value >= least && value <= most;
  if (!fits(cpus, limits.cpus) || !fits(memoryGib, limits.memoryGib)) return undefined;
  return { cpus, memoryMib: memoryGib * 1024 };
}
