import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";

const root = join(import.meta.dirname, "..");
const bin = join(root, "node_modules", ".bin");

export interface BufResult {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs buf offline in a folder. Adds node_modules/.bin to PATH, so that buf finds its plug-ins even without npm. */
export function runBuf(folder: string, args: readonly string[]): BufResult {
  const path = `${bin}${delimiter}${processEnvironment["PATH"] ?? ""}`;
  const result = spawnSync(join(bin, "buf"), args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...processEnvironment, PATH: path },
  });
  if (result.error !== undefined) throw result.error;
  return { ok: result.status === 0, output: `${result.stdout}${result.stderr}`.trim() };
}

/** Runs buf and throws if it fails. */
export function mustRunBuf(folder: string, args: readonly string[]): void {
  const { ok, output } = runBuf(folder, args);
  if (!ok) throw new Error(`buf ${args[0]} failed in ${folder}: ${output}`);
}
