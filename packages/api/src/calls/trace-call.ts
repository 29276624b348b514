import { createUid } from "@cloudwright/platform";
import type { AuditWrite, ChangeWrite, EntityRow, EventWrite, Trace } from "@cloudwright/store";
import { projectOf, systemProject, type EntityJson, type Method } from "@cloudwright/contract";
import type { Call } from "./authorise.ts";
import type { ApiDeps } from "../deps.ts";

export type Told = Pick<EventWrite, "type" | "reason" | "message">;

/** The effect of a call on one entity. */
export interface Deed {
  readonly type: ChangeWrite["type"];
  /** If true, only the change log is written, because the owning entity's event and audit record cover this change. */
  readonly quiet?: boolean;
  /** The reason shown in the event. If empty, no event is written. */
  readonly reason: string;
  readonly message: string;
  /** Kind and name to record in the audit log instead of the entity's own. Used for requests about an entity that does not exist. */
  readonly audited?: { readonly kind: string; readonly name: string };
  /** Additional events, such as policy warnings. */
  readonly told?: readonly Told[];
  readonly row: Pick<EntityRow, "uid" | "kind" | "project" | "name" | "parent_uid" | "environment" | "labels">;
  readonly oldLabels: Readonly<Record<string, string>> | null;
  /** The environment before the change. Undefined if it did not change. */
  readonly oldEnvironment?: string;
  readonly version: string;
  /** The entity as JSON text. */
  readonly object: string;
}

/**
 * Builds the change-log entries, events and audit records for a call. A deed that is marked as `quiet` produces only a change-log entry.
 */
export async function traceCall(
  deps: Pick<ApiDeps, "clock" | "versions">,
  call: Call,
  method: Method,
  deeds: readonly Deed[],
): Promise<Trace> {
  const changes: ChangeWrite[] = [];
  const events: EventWrite[] = [];
  const audits: AuditWrite[] = [];
  for (const deed of deeds) {
    const at = new Date(deps.clock.now()).toISOString();
    const { row } = deed;
    changes.push({
      seq: deed.version,
      at,
      type: deed.type,
      project: projectOf(row),
      kind: row.kind,
      uid: row.uid,
      parentUid: row.parent_uid,
      environment: row.environment,
      labels: row.labels,
      oldLabels: deed.oldLabels,
      ...(deed.oldEnvironment === undefined ? {} : { oldEnvironment: deed.oldEnvironment }),
      object: deed.object,
    });
    if (deed.quiet === true) continue;
    const happened = deed.reason === "" ? [] : [{ type: "Normal", reason: deed.reason, message: deed.message } as const];
    for (const told of [...happened, ...(deed.told ?? [])]) {
      const event: EventWrite = {
        uid: createUid(deps.clock.now()),
        project: projectOf(row) || systemProject,
        at,
        ...told,
        kind: row.kind,
        name: row.name,
        entityUid: row.uid,
        actor: call.caller?.user ?? "",
      };
      events.push(event);
      changes.push({
        seq: await deps.versions.next(),
        at,
        type: "ADDED",
        project: event.project,
        kind: "Event",
        uid: event.uid,
        parentUid: row.uid,
        environment: row.environment,
        labels: {},
        oldLabels: null,
        object: JSON.stringify(event),
      });
    }
    const { kind, name, uid } = deed.audited === undefined ? row : { ...deed.audited, uid: null };
    audits.push(auditOf(deps, call, { verb: method.verb, kind }, { project: projectOf(row), name, uid }, "allowed", ""));
  }
  return { changes, events, audits };
}

export function auditOf(
  deps: Pick<ApiDeps, "clock">,
  call: Call,
  method: Pick<Method, "verb" | "kind">,
  target: { project: string; name: string; uid: string | null },
  outcome: AuditWrite["outcome"],
  code: string,
): AuditWrite {
  const now = deps.clock.now();
  return {
    uid: createUid(now),
    at: new Date(now).toISOString(),
    actor: call.caller?.user ?? "",
    credential: call.caller === undefined ? "" : `${call.caller.credential}:${call.caller.credentialId}`,
    verb: method.verb,
    kind: method.kind,
    // Records without a project are stored in the system project.
    project: target.project || systemProject,
    name: target.name,
    entityUid: target.uid,
    outcome,
    code,
    source: call.source,
    requestId: call.requestId,
  };
}

export function parseEntity(object: string): EntityJson {
  return JSON.parse(object) as EntityJson;
}
