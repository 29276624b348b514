import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Keeps one initialised working directory per entity, so that the next run can skip `terraform init`. The directories contain neither plans
 * nor secrets, and only the agent's user can access them. Their count is limited, and they do not survive a restart of the agent.
 */
export interface WarmDirectories {
  /**
   * Removes directories that an earlier process left behind, because a killed run may have left a plan in its directory. Called by the
   * agent once it has locked the folder, and by the first `lend`.
   */
  open(): void;
  /**
   * Reserves the entity's directory for a run. Returns undefined while another run uses it. If `purpose` differs from that of the previous
   * run, the directory is removed first.
   */
  lend(entityUid: string, purpose: string): Loan | undefined;
  /**
   * Copies the entity's initialised directory to `directory`. Does nothing if the target exists or if the entity has no idle directory with
   * this purpose.
   */
  copyTo(directory: string, entityUid: string, purpose: string): void;
  drop(entityUid: string): void;
}

/** A directory that a run is using. */
export interface Loan {
  readonly directory: string;
  /** Releases the directory. Removes it if the run failed. */
  end(wentWell: boolean): void;
}

export function createWarmDirectories({
  directory,
  most = 32,
}: {
  readonly directory: string;
  readonly most?: number;
}): WarmDirectories {
  let isOpen = false;
  const purposes = new Map<string, string>();
  const lent = new Set<string>();
  const remove = (uid: string): void => {
    purposes.delete(uid);
    rmSync(join(directory, uid), { recursive: true, force: true });
  };
  const open = (): void => {
    // Runs on first use, not at creation. If a second agent is started with the same folder, it is rejected only later during startup and
    // must not delete the directories before then.
    if (!isOpen) rmSync(directory, { recursive: true, force: true });
    if (!isOpen) mkdirSync(directory, { recursive: true, mode: 0o700 });
    isOpen = true;
  };
  return {
    open,
    lend(entityUid, purpose) {
      open();
      const uid = nameOf(entityUid);
      if (lent.has(uid)) return undefined;
      if (purposes.get(uid) !== purpose) remove(uid);
      lent.add(uid);
      // Moves the entity to the end of the map, which is ordered by last use.
      purposes.delete(uid);
      purposes.set(uid, purpose);
      return {
        directory: join(directory, uid),
        end(wentWell) {
          lent.delete(uid);
          if (!wentWell) remove(uid);
          const idle = [...purposes.keys()].filter((each) => !lent.has(each));
          for (const each of idle.slice(0, Math.max(0, purposes.size - most))) remove(each);
        },
      };
    },
    copyTo(target, entityUid, purpose) {
      const uid = nameOf(entityUid);
      if (lent.has(uid) || purposes.get(uid) !== purpose || existsSync(target)) return;
      cpSync(join(directory, uid), target, { recursive: true, verbatimSymlinks: true });
    },
    drop(entityUid) {
      const uid = nameOf(entityUid);
      if (!lent.has(uid)) remove(uid);
    },
  };
}

function nameOf(entityUid: string): string {
  return entityUid.replaceAll(/[^\w-]/g, "_");
}
