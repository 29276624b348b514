import type { TaskPayload } from "@cloudwright/contract";

const usual = 10;

/** Returns how many calls to the cloud a task may make at the same time. */
export function chooseParallelism({ parallelism }: Pick<TaskPayload, "parallelism">): number {
  return parallelism === undefined || parallelism < 1 ? usual : parallelism;
}
