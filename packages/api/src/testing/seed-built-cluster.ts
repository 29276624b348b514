import { createUid, systemClock } from "@cloudwright/platform";
import type { TestApi } from "./test-api.ts";
import { endTask, seedTask } from "./seed-run.ts";

/** Makes a cluster entity look built: stores the outputs of an apply and a cluster in the simulated cloud. */
export async function seedBuiltCluster(api: TestApi, clusterUid: string, cloudName: string, outputs: object = {}): Promise<void> {
  const task = await seedTask(api, clusterUid, { type: "cluster.apply" });
  const result = { cluster_name: cloudName, endpoint: "https://eks", certificate_authority: "cGVt", ...outputs };
  await endTask(api, task, "done", { state: "done", result });
  const text = `insert into simulated_cluster (id, account_uid, region, name, version, created_at_ms, seen)
    select $1, n.parent_uid, 'eu-west-1', $2, 'v1.34.2', 1000, true from entity c join entity n on n.uid = c.parent_uid where c.uid = $3`;
  await api.pool.query({ text, values: [createUid(systemClock.now()), cloudName, clusterUid] });
}
