import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBuf } from "./buf.ts";
import { contractFolder } from "./generate-contract.ts";

interface BreakingCheck {
  readonly root: string;
  /** Commit to compare with. Default: chosen from the history. */
  readonly against?: string;
}

/**
 * Checks that the contract in the working tree is compatible with its previous version. Passes with a note if there is no previous version.
 */
export function checkBreaking({ root, against }: BreakingCheck): { ok: boolean; says: string } {
  const base = against ?? findBase(root);
  if (against !== undefined && resolve(root, against) === undefined) return { ok: false, says: `there is no commit ${against}` };
  if (base === undefined) return { ok: true, says: "there is no earlier commit to compare with" };
  const work = mkdtempSync(join(tmpdir(), "cloudwright-breaking-"));
  try {
    // An archive, unlike buf's git input, also works in shallow clones and worktrees.
    const archive = git(root, ["archive", "--format=tar", base, contractFolder]);
    if (archive === undefined) return { ok: true, says: `${base} has no contract yet, nothing to compare with` };
    const unpacked = spawnSync("tar", ["-x", "-C", work], { input: archive });
    if (unpacked.status !== 0) throw new Error(`tar failed: ${String(unpacked.stderr)}`);
    if (!existsSync(join(work, contractFolder, "proto"))) return { ok: true, says: `${base} has no proto files yet` };
    const result = runBuf(join(root, contractFolder), ["breaking", "--against", join(work, contractFolder)]);
    return result.ok
      ? { ok: true, says: `compatible with ${base}` }
      : { ok: false, says: `not compatible with ${base}:\n${result.output}` };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Returns the commit where this branch forked from main. On main itself, returns the previous commit. */
function findBase(root: string): string | undefined {
  const head = resolve(root, "HEAD");
  const main = resolve(root, "origin/main") ?? resolve(root, "main");
  const fork = head === undefined || main === undefined ? undefined : git(root, ["merge-base", head, main])?.toString().trim();
  return fork === undefined || fork === head ? resolve(root, "HEAD~1") : fork;
}

function resolve(root: string, name: string): string | undefined {
  return git(root, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`])
    ?.toString()
    .trim();
}

/** Returns the output of a git command, or undefined if the command fails. */
function git(root: string, args: readonly string[]): Buffer | undefined {
  const result = spawnSync("git", args, { cwd: root, maxBuffer: 256 * 1024 * 1024 });
  return result.status === 0 ? result.stdout : undefined;
}
