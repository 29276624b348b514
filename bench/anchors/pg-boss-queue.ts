import { PgBoss } from "pg-boss";
import type { TakeWork } from "../load/task-clients.ts";

/** A pg-boss queue that processes the jobs of each key in order, as the product's task queue does for each entity. */
export interface PgBossQueue {
  fill(keys: readonly string[], count: number): Promise<void>;
  createClient(batch: number): TakeWork;
  close(): Promise<void>;
}

const name = "work";

/** Opens the queue in a separate schema. Maintenance jobs are off, because they would distort the measurement. */
export async function openPgBossQueue(databaseUrl: string, payload: object): Promise<PgBossQueue> {
  const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false, max: 4 });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(name, { policy: "key_strict_fifo" });
  return {
    async fill(keys, count) {
      const chunk = 1000;
      for (let from = 0; from < count; from += chunk) {
        const jobs = Array.from({ length: Math.min(chunk, count - from) }, (_, index) => ({
          data: payload,
          singletonKey: keys[(from + index) % keys.length] ?? "",
        }));
        await boss.insert(name, jobs);
      }
      await boss.getDb().executeSql("vacuum (analyze) pgboss.job_common", []);
    },
    createClient: (batch) => async () => {
      const jobs = await boss.fetch(name, { batchSize: batch });
      if (jobs.length > 0)
        await boss.complete(
          name,
          jobs.map(({ id }) => id),
        );
      return jobs.length;
    },
    close: () => boss.stop({ graceful: false }),
  };
}
