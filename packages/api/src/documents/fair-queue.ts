/** Runs jobs one at a time, taking turns between projects. */
export interface FairQueue {
  /** Runs `job` when its turn comes. Throws the fault from `refuse` if too many jobs from the same project are waiting. */
  run<Result>(project: string, job: () => Promise<Result>): Promise<Result>;
}

/**
 * Creates a queue that serves projects in turn. The jobs of one project run in order of arrival. A project's next job therefore waits for
 * at most one queued job of each other project, however many jobs those projects have queued.
 */
export function createFairQueue(limits: { readonly waiting: number; refuse(project: string): Error }): FairQueue {
  /** Waiting jobs, keyed by project. The first project is the next one to be served. */
  const waiting = new Map<string, (() => void)[]>();
  let isBusy = false;
  const proceed = (): void => {
    const next = waiting.entries().next();
    isBusy = next.done !== true;
    if (next.done === true) return;
    const [project, jobs] = next.value;
    const start = jobs.shift();
    waiting.delete(project);
    if (jobs.length > 0) waiting.set(project, jobs);
    start?.();
  };
  return {
    async run(project, job) {
      if (isBusy) {
        const jobs = waiting.get(project) ?? [];
        if (jobs.length >= limits.waiting) throw limits.refuse(project);
        waiting.set(project, jobs);
        await new Promise<void>((resolve) => jobs.push(resolve));
      }
      isBusy = true;
      try {
        return await job();
      } finally {
        proceed();
      }
    },
  };
}
