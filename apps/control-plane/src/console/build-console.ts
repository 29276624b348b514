import { describeError, processEnvironment } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../../../..");
const folder = join(root, "apps/console");
/** Files and folders whose contents determine the build. The output folder is named after their hash. */
const sources = [
  "apps/console/index.html",
  "apps/console/package.json",
  "apps/console/vite.config.ts",
  "apps/console/public",
  "apps/console/src",
  "packages/api-client/src",
  "packages/contract/src",
  "packages/platform/src",
  "package-lock.json",
];

/** The server's environment variables that are passed to the build. */
const passedVariables = ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "NODE_COMPILE_CACHE"] as const;

/**
 * Returns the folder for the console's built files, named after the hash of its sources. The folder is next to the sources, or in
 * `cache` if the source tree is not writable.
 */
export function locateConsole(cache: string): string {
  const hash = createHash("sha256");
  for (const file of sources.flatMap((source) => listFiles(join(root, source)))) {
    hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file));
  }
  const name = hash.digest("hex").slice(0, 16);
  const own = join(folder, "dist", name);
  return existsSync(own) || isWritable(dirname(own)) ? own : join(cache, name);
}

function isWritable(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Builds the console into the target folder atomically. Concurrent builds produce the same result. */
export async function buildConsole(target: string, signal: AbortSignal): Promise<void> {
  const next = `${target}.${process.pid}`;
  mkdirSync(dirname(target), { recursive: true });
  try {
    await runVite(next, signal);
    try {
      renameSync(next, target);
    } catch (error) {
      if (!existsSync(target)) throw error;
    }
    removeOthers(target);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

async function runVite(outDir: string, signal: AbortSignal): Promise<void> {
  const program = join(dirname(createRequire(join(root, "package.json")).resolve("vite/package.json")), "bin/vite.js");
  const child = spawn(
    process.execPath,
    [program, "build", "--configLoader", "native", "--outDir", outDir, "--emptyOutDir", "--logLevel", "error"],
    {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      // The build runs code from many packages, which must not see the server's secrets.
      env: Object.fromEntries(passedVariables.map((name) => [name, processEnvironment[name]])),
      signal,
    },
  );
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", (error) => reject(new Error(`cannot start vite: ${describeError(error)}`, { cause: error })));
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`vite exited with code ${code}: ${said.trim().slice(0, 2000)}`);
}

/** Deletes builds of earlier source versions. */
function removeOthers(target: string): void {
  for (const entry of readdirSync(dirname(target), { withFileTypes: true })) {
    const path = join(dirname(target), entry.name);
    if (path !== target && /^[0-9a-f]{16}$/.test(entry.name)) rmSync(path, { recursive: true, force: true });
  }
}

function listFiles(path: string): string[] {
  if (!existsSync(path)) return [];
  const entries = readdirSync(dirname(path), { withFileTypes: true });
  if (entries.find(({ name }) => join(dirname(path), name) === path)?.isFile() === true) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
