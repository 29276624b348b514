import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Working directories that stay after a run, one an entity, so that the next one needs no init. They hold neither plans nor secrets, only their
 * owner can enter them, there is a bound to their number, and an agent that starts begins with none.
 */
export interface WarmDirectories {
  /** The folder is this agent's alone: what an earlier one was killed in, with its plan, is removed. Lending does so, too. */
  open(): void;
  /** The entity's directory; undefined while another run is in it. One that was made for something else, by its `purpose`, is made anew. */
  lend(entityUid: string, purpose: string): Loan | undefined;
  /** Puts what spares an init into a directory that is not there yet; nothing where there is none for the purpose. */
  copyTo(directory: string, entityUid: string, purpose: string): void;
  /** The entity is gone. */
  drop(entityUid: string): void;
}

/** A directory that is in use. */
export interface Loan {
  readonly directory: string;
  /** Gives it back; what did not end well is removed. */
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
    // Not by itself: another agent of this folder, which is refused, must not empty it.
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
      // Behind the others: those that were not used for longest go first.
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
