/** An operation that is stored together with the change it tracks. `object` is its JSON text. Its parent is the project. */
export interface OperationInsert {
  readonly uid: string;
  readonly project: string;
  readonly name: string;
  readonly environment: string;
  readonly resourceVersion: string;
  readonly at: string;
  readonly object: string;
}

/**
 * Work that a change requests from the reconciler: new operations, and the uids of entities to wake. It is written in the same statement as
 * the change.
 */
export interface Work {
  readonly operations: readonly OperationInsert[];
  readonly wakes: readonly string[];
}

/** Returns the two parameters for `workSql`. */
export function workParameters(work: Work): [operations: string, wakes: readonly string[]] {
  return [`[${work.operations.map(renderOperation).join(",")}]`, work.wakes];
}

/** Renders common table expressions that write the work if the earlier expression named `written` returned rows. */
export function workSql(written: string, firstParameter: number): string {
  const guard = `where exists (select from ${written})`;
  // An entity that the same statement inserts is not visible yet, so its project is taken from its operation.
  const project = `coalesce((select e.project from entity e where e.uid = w.uid),
    (select o.project from json_to_recordset($${firstParameter}::json) as o (project text) limit 1), '?')`;
  return `operations as (
  insert into entity (uid, kind, project, name, parent_uid, environment, labels, resource_version, created_at, updated_at, object)
  select r.uid, 'Operation', r.project, r.name, p.uid, r.environment, '{}', r.resource_version, r.created_at, r.created_at, r.object
  from json_populate_recordset(null::entity, $${firstParameter}::json) r
  left join entity p on p.project = '' and p.kind = 'Project' and p.naming_scope = '' and p.name = r.project ${guard}
), woken as (
  ${wakeSql(`select w.uid, now(), ${project} from (select distinct u.uid from unnest($${firstParameter + 1}::uuid[]) as u (uid) order by 1) w ${guard}`)}
)`;
}

/** Renders a statement that wakes the entities of `source`, a query that returns uid, time and project, ordered by uid. */
export function wakeSql(source: string): string {
  return `insert into due (entity_uid, due_at, project) ${source}
  on conflict (entity_uid) do update set due_at = least(due.due_at, excluded.due_at), wakes = due.wakes + 1`;
}

function renderOperation(operation: OperationInsert): string {
  const { object, resourceVersion, at, ...rest } = operation;
  const row = JSON.stringify({ ...rest, resource_version: resourceVersion, created_at: at });
  return `${row.slice(0, -1)},"object":${object}}`;
}
