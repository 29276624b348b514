import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DeployerTask } from "../../task.ts";
import type { Subject } from "./subject.ts";
import type { WarmDirectories } from "./warm-directories.ts";

export interface WorkingDirectory {
  readonly path: string;
  /** True if the directory is kept for the entity's next run. */
  readonly isWarm: boolean;
  /** Releases a warm directory. Removes it if the run failed. */
  release(succeeded: boolean): void;
}

/**
 * Chooses the working directory for a run. Only runs that leave the state unchanged can use the warm directory. Other runs use the task's
 * own directory, where an unsaved state can be recovered. The task's directory starts as a copy of the warm directory, if one exists.
 */
export function openWorkingDirectory(
  warm: WarmDirectories | undefined,
  task: DeployerTask,
  subject: Subject,
  { mayStayWarm }: { readonly mayStayWarm: boolean },
): WorkingDirectory {
  const { uid } = task.payload.entity;
  const purpose = describePurpose(subject);
  const loan = mayStayWarm ? warm?.lend(uid, purpose) : undefined;
  const path = loan?.directory ?? join(task.directory, "stack");
  if (loan === undefined) warm?.copyTo(path, uid, purpose);
  return { path, isWarm: loan !== undefined, release: (succeeded) => loan?.end(succeeded) };
}

/** Returns a key for everything that `terraform init` depends on. */
function describePurpose({ configuration, settings: { overrides, backend } }: Subject): string {
  return JSON.stringify([configuration.folder, overrides, backend]);
}

/** Removes everything from a directory except a state that could not be saved. */
export function emptyDirectory(path: string): void {
  for (const name of readdirSync(path).filter((each) => each !== unsavedState)) {
    rmSync(join(path, name), { recursive: true, force: true });
  }
}

/** Terraform writes this file when it cannot save the state. */
const unsavedState = "errored.tfstate";
