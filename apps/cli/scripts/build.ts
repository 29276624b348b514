/**
 * Bundles the CLI into dist/, which can be published with `npm pack ./dist`. Chunk names contain a content hash, and the entry file is
 * written last. A command that starts during a build therefore loads either the old bundle or the new one.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const entry = "cloud.mjs";
const isQuiet = process.argv.includes("--quiet");

/** Keeps the pino logger out of the bundle. The CLI does not write logs and imports only the list of log levels. */
const withoutLogger: Plugin = {
  name: "without-logger",
  setup: ({ onResolve }) => onResolve({ filter: /^pino$/ }, ({ path }) => ({ path, external: true, sideEffects: false })),
};

/** Uses the browser build of `yaml`. Its Node build is CommonJS and cannot be bundled into ES modules. */
const yamlAsModules: Plugin = {
  name: "yaml-as-modules",
  setup: ({ onResolve }) => {
    const folder = dirname(createRequire(import.meta.url).resolve("yaml/package.json"));
    onResolve({ filter: /^yaml$/ }, () => ({ path: join(folder, "browser", "index.js") }));
  },
};

const result = await build({
  absWorkingDir: root,
  entryPoints: { cloud: "src/main.ts" },
  outdir: dist,
  outExtension: { ".js": ".mjs" },
  entryNames: "[name]",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  // Some SDKs ship both CommonJS and ES modules. Only the ES modules can be part of this bundle.
  mainFields: ["module", "main"],
  target: "node20",
  minify: true,
  keepNames: false,
  legalComments: "none",
  metafile: true,
  write: false,
  logLevel: "warning",
  plugins: [withoutLogger, yamlAsModules],
});

const chunks = new Set<string>();
for (const { path, contents } of result.outputFiles.toSorted(
  (a, b) => Number(a.path.endsWith(entry)) - Number(b.path.endsWith(entry)),
)) {
  const isEntry = path === join(dist, entry);
  if (!isEntry) chunks.add(relative(dist, path));
  put(path, isEntry ? `#!/usr/bin/env node\n${Buffer.from(contents).toString("utf8")}` : contents, isEntry ? 0o755 : 0o644);
}
put(join(dist, "package.json"), `${JSON.stringify(publishedManifest(), undefined, 2)}\n`);
put(join(dist, "README.md"), readFileSync(join(root, "README.md"), "utf8"));
put(join(dist, "inputs.json"), JSON.stringify(listInputs()));
// A running command may still load a chunk of the previous bundle. The launcher therefore builds with --quiet, which keeps old chunks.
if (!isQuiet) removeOldChunks();

function publishedManifest(): object {
  const { name, version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, string>;
  return {
    name,
    version,
    description: "Cloudwright's `cloud` command: Kubernetes clusters in your own cloud accounts.",
    license,
    type: "module",
    bin: { cloud: entry },
    engines: { node: ">=20" },
    files: [entry, "chunks"],
  };
}

/** Lists the path, size and modification time of every source file. The launcher rebuilds the bundle when any of them changes. */
function listInputs(): [string, number, number][] {
  const sources = Object.keys(result.metafile.inputs).filter((file) => !file.includes("node_modules/"));
  return [...sources, "scripts/build.ts"].map((file) => {
    const { size, mtimeMs } = statSync(resolve(root, file));
    return [file, size, Math.trunc(mtimeMs)];
  });
}

function put(path: string, contents: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.${process.pid}`;
  writeFileSync(next, contents);
  chmodSync(next, mode);
  renameSync(next, path);
}

function removeOldChunks(): void {
  for (const name of readdirSync(join(dist, "chunks"))) {
    if (!chunks.has(`chunks/${name}`)) rmSync(join(dist, "chunks", name), { force: true });
  }
}
