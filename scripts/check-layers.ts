import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listPackages, report, scope, type Package } from "./workspace.ts";

interface LayerEntry {
  readonly layer: number;
  /** Packages that this package may import. `*` allows all, for packages that test the platform as a whole. */
  readonly uses: readonly string[] | "*";
  /** Packages in the same layer that this package may import, each with the reason. */
  readonly beside?: Readonly<Record<string, string>>;
}

// A package may import only from the packages that layers.json lists for it, and only from lower layers. Compares layers.json with every
// package.json in both directions.
const root = process.cwd();
const layers = JSON.parse(readFileSync(join(root, "layers.json"), "utf8")) as { packages: Readonly<Record<string, LayerEntry>> };
const entries = layers.packages;
const packages = listPackages(root).slice(1);
report("layers", [
  ...Object.entries(entries).flatMap(([name, entry]) => checkEntry(name, entry)),
  ...packages.flatMap(checkPackage),
  ...Object.keys(entries)
    .filter((name) => !packages.some((candidate) => candidate.name === name))
    .map((name) => `layers.json lists ${name}, but there is no such package`),
]);

function checkEntry(name: string, entry: LayerEntry): string[] {
  if (entry.uses === "*") return [];
  return entry.uses.flatMap((used) => {
    const other = entries[used];
    if (other === undefined) return [`${name} uses ${used}, which is missing from layers.json`];
    if (other.layer > entry.layer) return [`${name} (layer ${entry.layer}) imports upwards from ${used} (layer ${other.layer})`];
    if (other.layer === entry.layer && !isAllowedSideways(entry, used))
      return [`${name} imports sideways from ${used} (layer ${entry.layer})`];
    return [];
  });
}

// The imported package must not have such an exception itself, because the layer could then contain a cycle.
function isAllowedSideways(entry: LayerEntry, used: string): boolean {
  return entry.beside?.[used] !== undefined && entries[used]?.beside === undefined;
}

function checkPackage({ folder, name, manifest }: Package): string[] {
  const entry = entries[name];
  if (entry === undefined) return [`${folder} is missing from layers.json`];
  if (manifest.name !== scope + name) return [`${folder}/package.json is named ${manifest.name}, not ${scope}${name}`];
  const declared = listUsedPackages(manifest);
  if (entry.uses === "*") return [];
  const { uses } = entry;
  return [
    ...declared
      .filter((used) => !uses.includes(used))
      .map((used) => `${folder}/package.json depends on ${used}, which layers.json does not allow`),
    ...uses
      .filter((used) => !declared.includes(used))
      .map((used) => `layers.json lets ${name} use ${used}, but ${folder}/package.json does not depend on it`),
  ];
}

function listUsedPackages(manifest: Package["manifest"]): string[] {
  const all = {
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  };
  return Object.keys(all).flatMap((dependency) => (dependency.startsWith(scope) ? [dependency.slice(scope.length)] : []));
}
