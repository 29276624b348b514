import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listPackages } from "./workspace.ts";

interface Layers {
  readonly packages: Readonly<Record<string, { readonly layer: number; readonly purpose: string }>>;
  /** Purpose of each top-level folder that is not a package. */
  readonly folders: Readonly<Record<string, string>>;
}

const start = "<!-- map: generated from layers.json by npm run generate -->";
const end = "<!-- end of map -->";

/** Returns README.md with the package map rendered from layers.json. */
export function generateReadme(root: string): string {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [from, to] = [readme.indexOf(start), readme.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md must contain "${start}" and, after it, "${end}"`);
  return `${readme.slice(0, from)}${start}\n${renderMap(root)}\n${readme.slice(to)}`;
}

function renderMap(root: string): string {
  const { packages, folders } = JSON.parse(readFileSync(join(root, "layers.json"), "utf8")) as Layers;
  const folderOf = new Map(listPackages(root).map(({ name, folder }) => [name, folder]));
  const rows = Object.entries(packages)
    .toSorted(([, left], [, right]) => left.layer - right.layer)
    .map(([name, { layer, purpose }]) => `| ${layer} | \`${folderOf.get(name) ?? name}\` | ${purpose} |`);
  const others = Object.entries(folders).map(([folder, purpose]) => `| – | \`${folder}\` | ${purpose} |`);
  return ["| layer | folder | purpose |", "|---|---|---|", ...rows, ...others].join("\n");
}
