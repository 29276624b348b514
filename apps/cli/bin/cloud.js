#!/usr/bin/env node
// Launcher for a clone of the repository. It runs the bundle and rebuilds it first if it is missing or older than its sources. If it
// cannot build, it runs the sources. It is plain JavaScript for Node 20, because npm links it before anything is built.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bundle = join(root, "dist", "cloud.mjs");

if (isFresh() || build()) await import(pathToFileURL(bundle).href);
else process.exitCode = runSources();

/** Returns whether the bundle was built from the current sources. */
function isFresh() {
  try {
    const inputs = JSON.parse(readFileSync(join(root, "dist", "inputs.json"), "utf8"));
    return existsSync(bundle) && inputs.every(([file, size, time]) => isSame(statSync(join(root, file)), size, time));
  } catch {
    return false;
  }
}

function isSame(stat, size, time) {
  return stat.size === size && Math.trunc(stat.mtimeMs) === time;
}

function build() {
  const node = findNode();
  if (node === undefined) return false;
  const script = join(root, "scripts", "build.ts");
  return spawnSync(node, [script, "--quiet"], { stdio: ["ignore", "ignore", "ignore"] }).status === 0 && existsSync(bundle);
}

function runSources() {
  const node = findNode();
  if (node === undefined) {
    process.stderr.write("error: the command is not installed: run `npm ci` in the clone first\n");
    return 1;
  }
  const { status, signal } = spawnSync(node, [join(root, "src", "main.ts"), ...process.argv.slice(2)], { stdio: "inherit" });
  return signal === "SIGINT" ? 130 : (status ?? 1);
}

/** Finds the Node that `npm ci` installed. The sources need Node 24, whatever version the machine has. */
function findNode() {
  for (let folder = root; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", ".bin", "node");
    if (existsSync(candidate)) return candidate;
    if (dirname(folder) === folder) return Number(process.versions.node.split(".")[0]) >= 24 ? process.execPath : undefined;
  }
}
