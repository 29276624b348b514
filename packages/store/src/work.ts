/** An operation that is written beside the change it follows. `object` is its JSON text; its parent is its project. */
export interface OperationInsert {
  readonly uid: string;
  readonly project: string;
  readonly name: string;
  readonly environment: string;
  readonly resourceVersion: string;
  readonly at: string;
  readonly object: string;
}

/** What a change asks the reconciler for, written by the same statement: operations to follow, and the uids of entities to look at. */
export interface Work {
  readonly operations: readonly OperationInsert[];
  readonly wakes: readonly string[];
}

/** The two parameters that `workSql` takes. */
export function workParameters(work: Work): [operations: string, wakes: readonly string[]] {
  return [`[${work.operations.map(renderOperation).join(",")}]`, work.wakes];
}

/** Common table expressions that write work when `written`, the name of an earlier one, has rows. */
export function workSql(written: string, firstParameter: number): string {
  const guard = `where exists (select from ${written})`;
  // An entity that this very statement writes cannot be looked up yet; it is of its operation's project.
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

/** A statement that wakes the entities that `source`, a query of uid, time and project in the order of the uids, gives. */
export function wakeSql(source: string): string {
  return `insert into due (entity_uid, due_at, project) ${source}
  on conflict (entity_uid) do update set due_at = least(due.due_at, excluded.due_at), wakes = due.wakes + 1`;
}

function renderOperation(operation: OperationInsert): string {
  const { object, resourceVersion, at, ...rest } = operation;
  const row = JSON.stringify({ ...rest, resource_version: resourceVersion, created_at: at });
  return `${row.slice(0, -1)},"object":${object}}`;
}
