import { queryDatabase } from "../query-database.ts";

const text = `insert into entity (uid, kind, project, naming_scope, name, environment, labels, resource_version, created_at, updated_at, object)
  select uid, 'Cluster', $1, '', 'c' || n, '', '{}', n, now(), now(), json_build_object(
    'metadata', json_build_object('project', $1::text, 'name', 'c' || n, 'uid', uid, 'labels', json_build_object('tier', 'test'), 'annotations', '{}'::json,
      'generation', 1, 'resourceVersion', n::text, 'createdAt', '2026-01-01T00:00:00Z', 'updatedAt', '2026-01-01T00:00:00Z', 'paused', true),
    'spec', json_build_object('network', 'main', 'version', '1.34', 'workers', n % 20),
    'status', json_build_object('phase', case n % 50 when 0 then 'FAILED' when 1 then 'UPDATING' else 'RUNNING' end, 'conditions', '[]'::json, 'version', '1.34'))
  from (select gen_random_uuid() as uid, n from generate_series(1, $2) n) numbered`;

/** Inserts clusters directly into the database, for display only. No infrastructure is built for them. */
export async function fillWithClusters(dataDirectory: string, project: string, count: number): Promise<void> {
  await queryDatabase(dataDirectory, (client) => client.query(text, [project, count]));
}
