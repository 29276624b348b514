import { isListedMachineType } from "@cloudwright/contract/clouds/gcp/machine-sizes";
import { findRegion } from "../../cloud/regions.ts";
import { zonesOffering } from "../account/machine-types.ts";

/** A Compute Engine machine type. */
export interface MachineType {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryGiB: number;
  readonly architecture: "amd64" | "arm64";
}

const shared: Readonly<Record<string, readonly [vcpus: number, memoryGiB: number]>> = {
  "e2-micro": [2, 1],
  "e2-small": [2, 2],
  "e2-medium": [2, 4],
  "f1-micro": [1, 0.6],
  "g1-small": [1, 1.7],
};

const memoryPerCore: Readonly<Record<string, number>> = { standard: 4, highmem: 8, highcpu: 1, megamem: 14, ultramem: 24 };
const armFamilies = new Set(["t2a", "c4a", "n4a", "a4x"]);

/** Finds a machine type by its name. Returns undefined if Compute Engine has no such type. */
export function findMachineType(name: string): MachineType | undefined {
  if (!isListedMachineType(name)) return undefined;
  const family = name.split("-")[0] ?? "";
  const architecture = armFamilies.has(family) ? "arm64" : "amd64";
  const [vcpus, memoryGiB] = shared[name] ?? readCustom(name) ?? readShape(name);
  return { name, vcpus, memoryGiB, architecture };
}

/** Returns whether a zone offers a machine type. */
export function isOfferedIn(name: string, zone: string): boolean {
  const zones = findRegion("gcp", zone.replace(/-[a-z]$/, ""))?.zones ?? [];
  return zonesOffering(name, zones).includes(zone);
}

function readCustom(name: string): readonly [number, number] | undefined {
  const [, cores, memoryMiB] = /custom-(\d+)-(\d+)/.exec(name) ?? [];
  return cores === undefined ? undefined : [Number(cores), Number(memoryMiB) / 1024];
}

function readShape(name: string): readonly [number, number] {
  const [, shape = "standard", count = "2"] = /-([a-z]+)-(\d+)/.exec(name) ?? [];
  // The number in the name of a GPU machine type is its number of GPUs.
  const vcpus = shape.endsWith("gpu") ? Number(count) * 12 : Number(count);
  return [vcpus, vcpus * (memoryPerCore[shape] ?? 8)];
}
