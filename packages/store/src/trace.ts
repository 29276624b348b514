/** A change-log entry for one entity. `object` is JSON text. */
export interface ChangeWrite {
  readonly seq: string;
  readonly at: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly project: string;
  readonly kind: string;
  readonly uid: string;
  readonly parentUid: string | null;
  readonly environment: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly oldLabels: Readonly<Record<string, string>> | null;
  /** Environment before the change. If omitted, the environment has not changed. */
  readonly oldEnvironment?: string;
  readonly object: string;
}

export interface EventWrite {
  readonly uid: string;
  readonly project: string;
  readonly at: string;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly kind: string;
  readonly name: string;
  readonly entityUid: string;
  readonly actor: string;
}

export interface AuditWrite {
  readonly uid: string;
  readonly at: string;
  readonly actor: string;
  readonly credential: string;
  readonly verb: string;
  readonly kind: string;
  readonly project: string;
  readonly name: string;
  readonly entityUid: string | null;
  readonly outcome: "allowed" | "denied" | "failed";
  readonly code: string;
  readonly source: string;
  readonly requestId: string;
}

/** Records that a mutation writes together with the entity, in the same statement. */
export interface Trace {
  readonly changes: readonly ChangeWrite[];
  readonly events: readonly EventWrite[];
  readonly audits: readonly AuditWrite[];
}

/**
 * Returns the three parameters for `traceSql`. Omits the objects of changes selected by `isWritten`. `traceSql` takes those objects from
 * `written` instead.
 */
export function traceParameters(
  trace: Trace,
  isWritten: (change: ChangeWrite) => boolean = () => false,
): [changes: string, events: string, audits: string] {
  const changes = trace.changes.map((change) => renderChange(change, isWritten(change)));
  return [`[${changes.join(",")}]`, renderRows(trace.events), renderRows(trace.audits)];
}

/**
 * Renders common table expressions that write a trace if the earlier expression named `written` returned rows. If `returnsObjects` is true,
 * `written` must return uid and object. A change without an object then uses the returned one, so that each object is sent and parsed only
 * once.
 */
export function traceSql(written: string, firstParameter: number, { returnsObjects = false } = {}): string {
  const [changes, events, audits] = [firstParameter, firstParameter + 1, firstParameter + 2].map((index) => `$${index}::json`);
  const guard = `where exists (select from ${written})`;
  return `changes as (
  insert into change (seq, at, type, project, kind, uid, parent_uid, environment, labels, old_labels, old_environment, object)
  select r.seq, r.at, r.type, r.project, r.kind, r.uid, r.parent_uid, r.environment, r.labels, r.old_labels, r.old_environment, ${returnsObjects ? "coalesce(r.object, w.object)" : "r.object"}
  from json_populate_recordset(null::change, ${changes}) r
  ${returnsObjects ? `left join ${written} w on w.uid = r.uid where r.object is not null or w.uid is not null` : guard}
), events as (
  insert into event select r.* from json_populate_recordset(null::event, ${events}) r ${guard}
), audits as (
  insert into audit select r.* from json_populate_recordset(null::audit, ${audits}) r ${guard}
)`;
}

function renderChange(change: ChangeWrite, isWritten: boolean): string {
  const { object, parentUid, oldLabels, oldEnvironment, ...rest } = change;
  const row = JSON.stringify({ ...rest, parent_uid: parentUid, old_labels: oldLabels, old_environment: oldEnvironment });
  if (isWritten) return row;
  return `${row.slice(0, -1)},"object":${object}}`;
}

function renderRows(rows: readonly (EventWrite | AuditWrite)[]): string {
  return JSON.stringify(
    rows.map((row) => {
      const { entityUid, ...rest } = row;
      if (!("requestId" in rest)) return { ...rest, entity_uid: entityUid };
      const { requestId, ...record } = rest;
      return { ...record, entity_uid: entityUid, request_id: requestId };
    }),
  );
}
