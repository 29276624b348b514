import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path/posix";
import { listImports, type Import } from "./list-imports.ts";
import { getPackageOf, listPackages, listTrackedFiles, report, scope, type Package } from "./workspace.ts";

// A file may import only packages that its package.json declares. It may import other workspace packages only through their `exports`.
const root = process.cwd();
const packages = listPackages(root);
const top = packages[0] as Package;
const sources = listTrackedFiles(root).filter((file) => /\.[cm]?[jt]sx?$/.test(file));
report(
  "imports",
  sources.flatMap((file) =>
    listImports(file, readFileSync(join(root, file), "utf8")).flatMap((found) => checkImport(file, found)),
  ),
);

function checkImport(file: string, found: Import): string[] {
  const { specifier } = found;
  const violation = specifier.startsWith(".") ? checkPath(file, specifier) : checkPackageName(file, found);
  return violation === undefined ? [] : [`${file}:${found.line} imports ${specifier}: ${violation}`];
}

function checkPath(file: string, specifier: string): string | undefined {
  const from = getPackageOf(packages, file);
  const target = join(dirname(file), specifier);
  const to = getPackageOf(packages, target);
  if (from === to) return undefined;
  // Scripts of the workspace root may import the scripts of a package, and vice versa.
  if (from === top && target.startsWith(`${to.folder}/scripts/`)) return undefined;
  if (to === top && file.startsWith(`${from.folder}/scripts/`) && target.startsWith("scripts/")) return undefined;
  return `it reaches into ${to.folder} by path; import ${to.manifest.name}`;
}

function checkPackageName(file: string, { specifier, typeOnly }: Import): string | undefined {
  if (isBuiltin(specifier)) return specifier.startsWith("node:") ? undefined : `say node:${specifier}`;
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  const owner = getPackageOf(packages, file);
  if (name === owner.manifest.name) return undefined;
  const forTests = isForTests(file);
  if (!isDeclared(owner, name, forTests || typeOnly) && !(forTests && isDeclared(top, name, true))) {
    return `${join(owner.folder, "package.json")} does not declare it`;
  }
  return name.startsWith(scope) ? checkExport(name, specifier.slice(name.length), forTests) : undefined;
}

function isDeclared({ manifest }: Package, name: string, withDev: boolean): boolean {
  const { dependencies, optionalDependencies, peerDependencies, devDependencies } = manifest;
  const sections = [dependencies, optionalDependencies, peerDependencies, withDev ? devDependencies : undefined];
  return sections.some((section) => section?.[name] !== undefined);
}

function checkExport(name: string, subpath: string, forTests: boolean): string | undefined {
  const exported = Object.keys(packages.find(({ manifest }) => manifest.name === name)?.manifest.exports ?? {});
  const wanted = `.${subpath}`;
  const isExported = exported.some((path) => path === wanted || (path.endsWith("*") && wanted.startsWith(path.slice(0, -1))));
  if (!isExported) return `${name} does not export it; its exports are ${exported.join(", ") || "none"}`;
  return wanted.startsWith("./testing") && !forTests ? "it is for tests only" : undefined;
}

/** Returns whether a file is not part of the product. Such a file may use the root's development dependencies. */
function isForTests(file: string): boolean {
  return /\.(test|e2e|config)\.ts$|(^|\/)(testing|fixtures|scripts)(\/|\.ts$)|^(e2e|bench)\//.test(file);
}
