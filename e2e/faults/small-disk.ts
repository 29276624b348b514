import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const mountAndRun = 'mkdir -p "$0" && mount -t tmpfs -o size=512k,mode=0700 tmpfs "$0" && exec "$@"';

/**
 * Wraps a command so that it runs with a small disk mounted at a directory. The process id stays the same. The disk disappears when the
 * process exits.
 */
export function withSmallDisk(directory: string, command: readonly string[]): string[] {
  return ["unshare", "-m", "sh", "-c", mountAndRun, directory, ...command];
}

/** Returns the reason why this machine cannot mount a small disk, or undefined if it can. */
export function findDiskObstacle(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), "small-disk-"));
  const [command, ...args] = withSmallDisk(join(directory, "disk"), ["true"]);
  const { status, stderr, error } = spawnSync(command as string, args, { encoding: "utf8" });
  rmSync(directory, { recursive: true });
  return status === 0 ? undefined : (error?.message ?? (stderr.trim() || `unshare ended with ${status}`));
}

/** Fills the disk that a process has mounted at a directory. Returns false if that fails. */
export function fillDisk(pid: number, directory: string): boolean {
  const file = fillFile(pid, directory);
  for (const size of [65_536, 4096, 512, 64, 1]) {
    try {
      for (let count = 0; count < 64; count += 1) writeFileSync(file, Buffer.alloc(size), { flag: "a" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") return false;
    }
  }
  return true;
}

/** Frees the space that `fillDisk` used. Does nothing if the disk is no longer mounted. */
export function emptyDisk(pid: number, directory: string): void {
  rmSync(fillFile(pid, directory), { force: true });
}

function fillFile(pid: number, directory: string): string {
  return join(`/proc/${pid}/root`, directory, "fill");
}
