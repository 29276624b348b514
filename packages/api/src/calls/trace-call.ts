import { createUid } from "@cloudwright/platform";
import type { AuditWrite, ChangeWrite, EntityRow, EventWrite, Trace } from "@cloudwright/store";
import { projectOf, systemProject, type EntityJson, type Method } from "@cloudwright/contract";
import type { Call } from "./caller.ts";
import type { ApiDeps } from "../deps.ts";

/** Something else to tell of an entity: an event of its own. */
export type Told = Pick<EventWrite, "type" | "reason" | "message">;

/** What a call did to one entity. */
export interface Deed {
  readonly type: ChangeWrite["type"];
  /** Goes into the change log only: what it is part of speaks for it. */
  readonly quiet?: boolean;
  /** Empty: nothing happened to the entity that anybody has to hear of. */
  readonly reason: string;
  readonly message: string;
  /** What the audit log is to name instead of the entity: something that does not exist was asked about. */
  readonly audited?: { readonly kind: string; readonly name: string };
  /** What else is to be told of it. */
  readonly told?: readonly Told[];
  readonly row: Pick<EntityRow, "uid" | "kind" | "project" | "name" | "parent_uid" | "environment" | "labels">;
  readonly oldLabels: Readonly<Record<string, string>> | null;
  /** The environment before; the same when left out. */
  readonly oldEnvironment?: string;
  readonly version: string;
  /** JSON text of the entity. */
  readonly object: string;
}

/** The change-log entries, events and audit records that a call leaves, one of each per entity unless it is quiet. */
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

/** One audit record. */
export function auditOf(
  deps: Pick<ApiDeps, "clock">,
  call: Call,
  operation: Pick<Method, "verb" | "kind">,
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
    verb: operation.verb,
    kind: operation.kind,
    // What belongs to no project is the platform's own business.
    project: target.project || systemProject,
    name: target.name,
    entityUid: target.uid,
    outcome,
    code,
    source: call.source,
    requestId: call.requestId,
  };
}

/** Parses an entity's stored text. */
export function parseEntity(object: string): EntityJson {
  return JSON.parse(object) as EntityJson;
}
