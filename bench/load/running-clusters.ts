import { systemClock } from "@cloudwright/platform";
import type { Pool } from "@cloudwright/store";
import type { BenchPlatform } from "../processes/bench-platform.ts";
import { clusterInput } from "./cluster-inputs.ts";
import { expectStatus, openConnection } from "./connection.ts";
import { createTree } from "./network.ts";

const patienceMs = 120_000;

/** Creates projects with networks and one cluster per network. Waits until the agents have built all clusters. */
export async function createRunningTrees(platform: BenchPlatform, pool: Pool, projects: number, networks: number): Promise<void> {
  const names = Array.from({ length: networks }, (_, nth) => `net-${nth}`);
  const client = openConnection(platform.server.url, platform.adminKey);
  for (let nth = 0; nth < projects; nth += 1) {
    await createTree(platform, `idle-${nth}`, names);
    for (const name of names)
      expectStatus(await client.send("POST", `/v1/projects/idle-${nth}/clusters`, clusterInput(`${name}-pattern`, name)), 202);
  }
  client.close();
  const text = `select count(*)::integer as count from entity where kind = 'Cluster' and object -> 'status' ->> 'phase' = 'RUNNING'`;
  for (const endMs = systemClock.now() + patienceMs; ;) {
    const { rows } = await pool.query<{ count: number }>({ text, values: [] });
    if (rows[0]?.count === projects * networks) return;
    if (systemClock.now() > endMs) throw new Error(`only ${rows[0]?.count} of ${projects * networks} clusters are running`);
    await systemClock.sleep(200);
  }
}

// A copy stays in the network of its original. In another network, its dependency fingerprint would no longer match.
const copies = `create temporary table copy as
  select c.uid as old_uid, c.name as old_name, gen_random_uuid() as uid, o.uid as old_operation_uid, gen_random_uuid() as operation_uid,
    left(c.name, -7) || n as name
  from entity c join entity o on o.about_uid = c.uid, generate_series(1, $1 / (select count(*) from entity where kind = 'Cluster') - 1) n
  where c.kind = 'Cluster'`;
const renamed = (column: string): string =>
  `replace(replace(replace(replace(${column}::text, c.old_uid::text, c.uid::text), c.old_operation_uid::text, c.operation_uid::text),
    '"op-' || right(c.old_operation_uid::text, 12) || '"', '"op-' || right(c.operation_uid::text, 12) || '"'), '"' || c.old_name || '"', '"' || c.name || '"')::json`;
const insert =
  "insert into entity (uid, kind, project, naming_scope, name, parent_uid, environment, labels, resource_version, created_at, updated_at, object)";
const statements = [
  `${insert} select c.uid, e.kind, e.project, e.naming_scope, c.name, e.parent_uid, e.environment, e.labels, e.resource_version, e.created_at,
    e.updated_at, ${renamed("e.object")} from copy c join entity e on e.uid = c.old_uid`,
  `${insert} select c.operation_uid, e.kind, e.project, e.naming_scope, 'op-' || right(c.operation_uid::text, 12), e.parent_uid, e.environment, e.labels,
    e.resource_version, e.created_at, e.updated_at, ${renamed("e.object")} from copy c join entity e on e.uid = c.old_operation_uid`,
  `insert into task (uid, key, project, entity_uid, operation_uid, account_uid, lane, demand, priority, max_attempts, object, created_at, ended, outcome,
    attempt, agent_uid, started_at, ended_at)
    select t.new_uid, t.new_uid::text, t.project, c.uid, c.operation_uid, t.account_uid, t.lane, t.demand, t.priority, t.max_attempts,
      replace(${renamed("t.object")}::text, t.uid::text, t.new_uid::text)::json, t.created_at, t.ended, ${renamed("t.outcome")}, t.attempt, t.agent_uid,
      t.started_at, t.ended_at
    from copy c join lateral (select task.*, gen_random_uuid() as new_uid from task where entity_uid = c.old_uid order by position) t on true`,
  // Spreads the due times over the reconcile interval, as in a fleet that has been running for a while.
  `insert into due (entity_uid, due_at, project) select uid, now(), project from entity where kind = 'Cluster' on conflict do nothing`,
  "update due set due_at = now() + random() * interval '30 minutes'",
];

/** Copies running clusters with their operations and tasks, directly in the database, until `count` clusters exist. */
export async function copyRunningClusters(pool: Pool, count: number): Promise<void> {
  await pool.query({ text: "set statement_timeout = 0", values: [] });
  await pool.query({ text: copies, values: [count] });
  for (const text of statements) await pool.query({ text, values: [] });
  await pool.query({ text: "vacuum analyze", values: [] });
}
