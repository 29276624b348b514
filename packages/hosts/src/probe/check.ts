import { constants } from "node:fs";
import { access, mkdir, readFile, rm, rmdir, statfs } from "node:fs/promises";
import { availableParallelism, arch, platform, release, totalmem } from "node:os";
import { dirname, join } from "node:path";
import type { HostDeps } from "../host-deps.ts";

/** One thing that a machine needs, or that makes it a better host. */
export interface HostCheck {
  readonly name: string;
  readonly ok: boolean;
  /** False if the check could not be tried, for example without root. Such a check is not ok either. */
  readonly isChecked: boolean;
  /** Whether a machine without it cannot be a host. */
  readonly required: boolean;
  /** What was found. */
  readonly detail: string;
  /** How to get it. Empty if the check is ok. */
  readonly fix: string;
}

/** The result of a check, apart from its name. */
export interface Finding {
  readonly ok: boolean;
  readonly detail: string;
  readonly fix?: string;
}

/** A check that can be run. */
export interface CheckDefinition {
  readonly name: string;
  readonly required: boolean;
  readonly needsRoot?: boolean;
  find(deps: ProbeDeps): Promise<Finding>;
}

/** What is known about a machine without running programs. */
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
  /** Returns the free space of the file system that a folder is in, or would be in. */
  freeBytes(folder: string): Promise<number>;
  /** Creates a folder with subfolders for as long as an action runs. */
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
      // Parents that did not exist before are removed, unless another process has started to use them.
      for (let parent = dirname(root); parent.startsWith(created); parent = dirname(parent)) {
        await rmdir(parent).catch(() => undefined);
      }
    }
  },
};
