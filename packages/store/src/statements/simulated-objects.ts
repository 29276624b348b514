import type { Database } from "../pool.ts";

/** A Kubernetes object in a simulated cluster. `object` is JSON text. */
export interface SimulatedObjectRow {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: string;
}

/** A change to an object: the new content as JSON text, or null to delete the object. */
export interface SimulatedObjectWrite extends Omit<SimulatedObjectRow, "object"> {
  readonly object: string | null;
}

/** Returns all objects of a cluster and the version of its last change. Returns undefined if the cluster does not exist. */
export async function loadSimulatedObjects(
  database: Database,
  clusterId: string,
): Promise<{ readonly version: number; readonly objects: readonly SimulatedObjectRow[] } | undefined> {
  const text = `select c.object_version::float8 as version, o.resource, o.namespace, o.name, o.object
from simulated_cluster c left join simulated_object o on o.cluster_id = c.id where c.id = $1`;
  type Row = { readonly version: number } & { readonly [Field in keyof SimulatedObjectRow]: string | null };
  const { rows } = await database.query<Row>({ name: "load-simulated-objects", text, values: [clusterId] });
  const [first] = rows;
  if (first === undefined) return undefined;
  const objects = rows.filter((row): row is Row & SimulatedObjectRow => row.object !== null);
  return { version: first.version, objects };
}

/** Returns the ids of clusters with an object that contains this text. */
export async function listSimulatedClustersWith(database: Database, part: string): Promise<string[]> {
  const text = "select distinct cluster_id as id from simulated_object where strpos(object, $1) > 0";
  return (await database.query<{ id: string }>({ text, values: [part] })).rows.map(({ id }) => id);
}

const commit = `with kept as (
  update simulated_cluster set object_version = $3 where id = $1 and object_version = $2 returning id
), given as (
  select k.id, g.* from kept k, unnest($4::text[], $5::text[], $6::text[], $7::text[]) as g (resource, namespace, name, object)
), removed as (
  delete from simulated_object o using given g
  where g.object is null and o.cluster_id = g.id and o.resource = g.resource and o.namespace = g.namespace and o.name = g.name
), written as (
  insert into simulated_object (cluster_id, resource, namespace, name, object)
  select id, resource, namespace, name, object from given where object is not null
  on conflict (cluster_id, resource, namespace, name) do update set object = excluded.object
)
select exists (select from kept) as kept, (select object_version::float8 from simulated_cluster where id = $1) as version`;

/**
 * Stores changes, at most one per object, if the cluster's last version is `after`. Then sets the version to `to`. `kept` says whether the
 * changes were stored. `version` is the current version, or null if the cluster does not exist.
 */
export async function commitSimulatedObjects(
  database: Database,
  clusterId: string,
  versions: { readonly after: number; readonly to: number },
  writes: readonly SimulatedObjectWrite[],
): Promise<{ readonly kept: boolean; readonly version: number | null }> {
  const column = (name: keyof SimulatedObjectWrite): (string | null)[] => writes.map((write) => write[name]);
  const values = [
    clusterId,
    versions.after,
    versions.to,
    column("resource"),
    column("namespace"),
    column("name"),
    column("object"),
  ];
  const { rows } = await database.query<{ kept: boolean; version: number | null }>({
    name: "commit-simulated-objects",
    text: commit,
    values,
  });
  return rows[0] ?? { kept: false, version: null };
}
