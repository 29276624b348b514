import { join } from "node:path";
import type { DeployerTask } from "../../task.ts";
import type { Subject } from "./subject.ts";
import type { WarmDirectories } from "./warm-directories.ts";

/** The directory that Terraform runs in. */
export interface WorkingDirectory {
  readonly path: string;
  /** The directory outlives the run, so that the next run of the entity needs no init. */
  readonly isWarm: boolean;
  /** Returns a warm directory after the run. A directory in which a run failed is removed. */
  release(succeeded: boolean): void;
}

/**
 * Chooses the directory of a run. Only runs that leave the state unchanged may stay warm: the others need a directory of their own, where a state
 * that could not be saved is found again. Such a directory starts as a copy of the warm one, if there is one.
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

/** Identifies everything that `terraform init` depends on. */
function describePurpose({ configuration, settings: { overrides, backend } }: Subject): string {
  return JSON.stringify([configuration.folder, overrides, backend]);
}
