import type { PlantedTree } from "./planted-tree.ts";

/** A change to the planted tree that a guard must report. */
export interface Violation {
  readonly guard: string;
  readonly finds: string;
  readonly plant: (tree: PlantedTree) => void;
  readonly says: RegExp;
}

/** Plants a file. */
export function source(file: string, text: string): (tree: PlantedTree) => void {
  return (tree) => tree.write(file, text);
}
