import { createPool } from "@cloudwright/store";
import type { BenchPlatform } from "../processes/bench-platform.ts";
import { clusterInput } from "./cluster-inputs.ts";
import { expectStatus, openConnection } from "./connection.ts";

/** Describes the clusters to add to a project. Every `labelledEvery`th copy keeps the labels of the original. */
export interface Copies {
  readonly project: string;
  readonly count: number;
  readonly labelledEvery: number;
}

const text = `insert into entity (uid, kind, project, naming_scope, name, parent_uid, environment, labels, resource_version, created_at, updated_at, object)
  select gen_random_uuid(), kind, $1, '', 'c' || n, parent_uid, '', case when n % $3 = 0 then labels else '{"tier":"test"}' end, n,
    created_at + n * interval '1 second', updated_at, replace(object::text, '"pattern"', '"c' || n || '"')::json
  from entity, generate_series(1, $2) n where kind = 'Cluster' and project = 'default' and name = 'pattern'`;

/**
 * Fills projects with copies of a cluster in the `main` network, directly in the database. Then updates the table statistics, as
 * autovacuum would. With outdated statistics, PostgreSQL would plan queries for empty tables.
 */
export async function copyClusters(platform: BenchPlatform, ...all: readonly Copies[]): Promise<void> {
  const client = openConnection(platform.server.url, platform.adminKey);
  expectStatus(await client.send("POST", "/v1/projects/default/clusters", clusterInput("pattern", "main")), 202);
  client.close();
  const pool = createPool({ url: platform.databaseUrl });
  for (const { project, count, labelledEvery } of all) await pool.query({ text, values: [project, count, labelledEvery] });
  await pool.query({ text: "analyze", values: [] });
  await pool.close();
}
