import { createUid } from "@cloudwright/platform";
import type { ChangeWrite, EventWrite, Trace } from "@cloudwright/store";
import type { Decision } from "./decision.ts";
import type { ScopeEntity } from "./scope.ts";

/** The actor of operations that the platform opens on its own. */
export const platformActor = "platform";

/** A changed entity, as recorded in the change log. */
export interface Changed {
  readonly type: ChangeWrite["type"];
  readonly row: Pick<ScopeEntity, "uid" | "kind" | "project" | "parentUid" | "environment" | "labels">;
  readonly version: string;
  /** The entity as JSON. */
  readonly object: string;
}

/** Renders the change log entries for a write, and the event that explains them. */
export async function renderTrace(
  nextVersion: () => Promise<string>,
  entity: ScopeEntity,
  changed: readonly Changed[],
  event: Decision["event"],
  nowMs: number,
): Promise<Trace> {
  const at = new Date(nowMs).toISOString();
  const changes: ChangeWrite[] = changed.map(({ type, row, version, object }) => ({
    seq: version,
    at,
    type,
    project: row.project,
    kind: row.kind,
    uid: row.uid,
    parentUid: row.parentUid,
    environment: row.environment,
    labels: row.labels,
    oldLabels: type === "ADDED" ? null : row.labels,
    object,
  }));
  if (event === undefined) return { changes, events: [], audits: [] };
  const { uid: entityUid, kind, project, name, environment } = entity;
  const written: EventWrite = { uid: createUid(nowMs), project, at, ...event, kind, name, entityUid, actor: platformActor };
  const change: ChangeWrite = {
    seq: await nextVersion(),
    at,
    type: "ADDED",
    project,
    kind: "Event",
    uid: written.uid,
    parentUid: entityUid,
    environment,
    labels: {},
    oldLabels: null,
    object: JSON.stringify(written),
  };
  return { changes: [...changes, change], events: [written], audits: [] };
}
