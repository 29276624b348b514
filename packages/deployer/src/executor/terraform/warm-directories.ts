import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Keeps one working directory per entity after a run, so that the next run needs no init. The directories contain neither plans nor secrets, and only
 * the agent's user can enter them. Their number is limited. An agent starts without any.
 */
export interface WarmDirectories {
  /** Removes the directories of an earlier process, which may contain a plan. Called when the agent owns the folder, and by the first `lend`. */
  open(): void;
  /** Returns the entity's directory, or undefined while another run uses it. A directory with another `purpose` is emptied first. */
  lend(entityUid: string, purpose: string): Loan | undefined;
  /** Copies an initialised directory to a new place. Does nothing if there is none with this purpose, or if the place exists. */
  copyTo(directory: string, entityUid: string, purpose: string): void;
  /** Removes the directory of a deleted entity. */
  drop(entityUid: string): void;
}

/** A directory that is in use. */
export interface Loan {
  readonly directory: string;
  /** Returns the directory. It is removed if the run failed. */
  end(wentWell: boolean): void;
}

/** Opens the folder of warm directories. */
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
    // Not at creation: a second agent with the same folder is rejected later, and must not empty it before.
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
