/**
 * Builds dist/, which can be published with `npm pack ./dist`. It contains one entry point for all clouds and one per cloud, with
 * self-contained type declarations. SDKs remain dependencies and are imported on first use.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { compileDeclarations } from "../../../scripts/compile-declarations.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
};

/** Source files of the entry points, keyed by subpath. Clouds without a factory are omitted. */
const entries: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["." as string, "src/library.ts"],
    ...["aws", "gcp", "azure"].map((cloud) => [`./${cloud}`, `src/${cloud}/create-${cloud}.ts`]),
  ].filter(([, file = ""]) => existsSync(join(root, file))),
);

rmSync(dist, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(Object.entries(entries).map(([path, file]) => [nameOf(path), file])),
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  chunkNames: "chunks/[name]-[hash]",
  external: Object.keys(own.dependencies).filter((name) => !name.startsWith("@cloudwright/")),
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
});
emitDeclarations();
put("package.json", `${JSON.stringify(publishedManifest(), undefined, 2)}\n`);
cpSync(join(root, "README.md"), join(dist, "README.md"));

function nameOf(path: string): string {
  return path === "." ? "index" : path.slice(2);
}

/** Emits the declarations that the entry points refer to. They refer to each other by path, not by package name. */
function emitDeclarations(): void {
  const files = Object.values(entries).map((file) => join(root, file));
  compileDeclarations(files, (emitted) => {
    const waiting = Object.values(entries).map((file) => join("clouds", file.replace(/\.ts$/, ".d.ts")));
    const seen = new Set<string>();
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      const folder = dirname(file);
      const text = readFileSync(join(emitted, file), "utf8").replace(
        /(from |import\()"([^" ]+)"/g,
        (_, head: string, specifier: string) => {
          if (specifier.startsWith("node:")) return `${head}"${specifier}"`;
          const target = resolveDeclaration(folder, specifier);
          waiting.push(target);
          const path = relative(folder, target).replace(/\.d\.ts$/, ".js");
          return `${head}"${path.startsWith(".") ? path : `./${path}`}"`;
        },
      );
      put(join("types", file), text);
    }
  });
}

/** Returns the declaration file that an import refers to. Published declarations must not refer to any package except Node's types. */
function resolveDeclaration(folder: string, specifier: string): string {
  if (specifier.startsWith(".")) return join(folder, specifier.replace(/\.ts$/, ".d.ts"));
  const inside = /^@cloudwright\/(?<package>[a-z-]+)\/(?<path>.+)$/.exec(specifier)?.groups;
  if (inside === undefined) throw new Error(`the declarations refer to ${specifier}, which is not published`);
  return join(inside["package"] ?? "", "src", `${inside["path"]}.d.ts`);
}

function publishedManifest(): object {
  const { name, version, license, dependencies } = own;
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ external }) => external === true));
  const used = new Set(imported.map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? ""));
  const exports = Object.entries(entries).map(([path, file]) => [
    path,
    { types: `./types/clouds/${file.replace(/\.ts$/, ".d.ts")}`, default: `./${nameOf(path)}.js` },
  ]);
  return {
    name,
    version,
    description: "Kubernetes clusters, node pools and virtual machines in three clouds behind one typed interface.",
    license,
    type: "module",
    exports: Object.fromEntries(exports) as object,
    types: "./types/clouds/src/library.d.ts",
    sideEffects: false,
    engines: { node: ">=20" },
    files: ["*.js", "chunks", "types"],
    dependencies: Object.fromEntries(Object.entries(dependencies).filter(([each]) => used.has(each))),
  };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(dist, path)), { recursive: true });
  writeFileSync(join(dist, path), text);
}
