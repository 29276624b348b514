/** Limits how many requests are processed at the same time. Tenants take turns, so that a busy one does not delay the others. */
export interface TenantTurns {
  /** Runs `work` when it is the tenant's turn. Rejects with the signal's reason if the client disconnects first. */
  run<Result>(tenant: string, gone: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}

/** Limits per process and per tenant. Each running request may hold all resources of one type in memory. */
export interface TurnLimits {
  readonly running: number;
  readonly perTenant: number;
}

interface Queue {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Creates the scheduler that limits the concurrent requests of one host. */
export function createTenantTurns(limits: TurnLimits): TenantTurns {
  /** Tenants with running or waiting requests. The tenant that was served last is at the end. */
  const queues = new Map<string, Queue>();
  let running = 0;

  function startNext(): void {
    for (const [tenant, queue] of queues) {
      if (running >= limits.running) return;
      const [start] = queue.waiting;
      if (start === undefined || queue.running >= limits.perTenant) continue;
      queue.waiting.delete(start);
      queue.running += 1;
      running += 1;
      queues.delete(tenant);
      queues.set(tenant, queue);
      start();
    }
  }

  function getQueue(tenant: string): Queue {
    const queue = queues.get(tenant) ?? { running: 0, waiting: new Set() };
    queues.set(tenant, queue);
    return queue;
  }

  return {
    async run(tenant, gone, work) {
      const queue = getQueue(tenant);
      const leave = (): void => {
        if (queue.running === 0 && queue.waiting.size === 0) queues.delete(tenant);
        startNext();
      };
      await new Promise<void>((resolve, reject) => {
        const start = (): void => {
          gone.removeEventListener("abort", abandon);
          resolve();
        };
        const abandon = (): void => {
          queue.waiting.delete(start);
          leave();
          reject(gone.reason as Error);
        };
        if (gone.aborted) return abandon();
        gone.addEventListener("abort", abandon, { once: true });
        queue.waiting.add(start);
        startNext();
      });
      try {
        return await work();
      } finally {
        queue.running -= 1;
        running -= 1;
        // Tenants whose requests arrived while this request was running are served before this tenant's other requests.
        queues.delete(tenant);
        queues.set(tenant, queue);
        leave();
      }
    },
  };
}
