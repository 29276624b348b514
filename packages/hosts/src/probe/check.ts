import { constants } from "node:fs";
import { access, mkdir, readFile, rm, rmdir, statfs } from "node:fs/promises";
import { availableParallelism, arch, platform, release, totalmem } from "node:os";
import { dirname, join } from "node:path";
import type { HostDeps } from "../host-deps.ts";

/** The result of checking one feature that a host requires or benefits from. */
export interface HostCheck {
  readonly name: string;
  readonly ok: boolean;
  /** False if the check could not be run, for example without root. Then `ok` is also false. */
  readonly isChecked: boolean;
  /** True if a machine that fails this check cannot be a host. */
  readonly required: boolean;
  /** What was found. */
  readonly detail: string;
  /** How to pass the check. Empty if `ok` is true. */
  readonly fix: string;
}

/** The result of a check, without its name. */
export interface Finding {
  readonly ok: boolean;
  readonly detail: string;
  readonly fix?: string;
}

/** The definition of a check. */
export interface CheckDefinition {
  readonly name: string;
  readonly required: boolean;
  readonly needsRoot?: boolean;
  find(deps: ProbeDeps): Promise<Finding>;
}

/** What can be found out about a machine without running programs. */
export interface Machine {
  readonly platform: string;
  readonly architecture: string;
  readonly kernel: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly isRoot: boolean;
  /** Returns the content of a file such as /proc/self/status, or undefined if it cannot be read. */
  read(path: string): Promise<string | undefined>;
  canOpen(path: string): Promise<boolean>;
  /** Returns the free space of the file system of a folder, which does not have to exist yet. */
  freeBytes(folder: string): Promise<number>;
  /** Creates a folder with subfolders, runs an action and removes the folder again. */
  withFolders<T>(root: string, names: readonly string[], action: () => Promise<T>): Promise<T>;
}

export interface ProbeDeps extends Pick<HostDeps, "directory" | "run"> {
  readonly machine: Machine;
  readonly signal: AbortSignal | undefined;
}

/** The machine that this program runs on. */
export const thisMachine: Machine = {
  platform: platform(),
  architecture: arch(),
  kernel: release(),
  cores: availableParallelism(),
  memoryBytes: totalmem(),
  isRoot: process.getuid?.() === 0,
  read: (path) => readFile(path, "utf8").catch(() => undefined),
  canOpen: (path) =>
    access(path, constants.R_OK | constants.W_OK).then(
      () => true,
      () => false,
    ),
  async freeBytes(folder) {
    for (let existing = folder; ; existing = existing.slice(0, existing.lastIndexOf("/")) || "/") {
      const found = await statfs(existing).catch(() => undefined);
      if (found !== undefined) return found.bavail * found.bsize;
      if (existing === "/") return 0;
    }
  },
  async withFolders(root, names, action) {
    const created = (await mkdir(root, { recursive: true, mode: 0o700 })) ?? root;
    try {
      for (const name of names) await mkdir(join(root, name));
      return await action();
    } finally {
      await rm(root, { recursive: true, force: true });
      // Parent folders that were created here are removed, unless another process has started to use them.
      for (let parent = dirname(root); parent.startsWith(created); parent = dirname(parent)) {
        await rmdir(parent).catch(() => undefined);
      }
    }
  },
};
