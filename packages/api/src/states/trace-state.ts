import { createUid } from "@cloudwright/platform";
import type { AuditWrite, ChangeWrite, EventWrite, StateRow, Trace } from "@cloudwright/store";
import type { ApiDeps } from "../deps.ts";

/** An event about an entity's state. */
export interface StateEvent {
  readonly type: EventWrite["type"];
  readonly reason: string;
  readonly message: string;
  readonly actor: string;
}

/** Builds the events and audit records for a change to a state, its lock or its plans. */
export async function traceState(
  deps: Pick<ApiDeps, "clock" | "versions">,
  { entityUid, project, kind, name, environment }: Pick<StateRow, "entityUid" | "project" | "kind" | "name" | "environment">,
  told: readonly StateEvent[],
  audits: readonly AuditWrite[] = [],
): Promise<Trace> {
  const events: EventWrite[] = [];
  const changes: ChangeWrite[] = [];
  for (const { type, reason, message, actor } of told) {
    const nowMs = deps.clock.now();
    const at = new Date(nowMs).toISOString();
    const event = { uid: createUid(nowMs), project, at, type, reason, message, kind, name, entityUid, actor };
    events.push(event);
    changes.push({
      seq: await deps.versions.next(),
      at,
      type: "ADDED",
      project,
      kind: "Event",
      uid: event.uid,
      parentUid: entityUid,
      environment,
      labels: {},
      oldLabels: null,
      object: JSON.stringify(event),
    });
  }
  return { changes, events, audits };
}

/** Creates the event for an orphaned lock: its holder's task has ended or lost its lease. */
export function orphanedLock(lock: { readonly id: string; readonly taskUid: string }): StateEvent {
  const message = `the lock "${lock.id}" of task ${lock.taskUid} was left behind: its holder has lost the lease`;
  return { type: "Warning", reason: "StateLockReleased", message, actor: "platform" };
}
