import type { JsonObject } from "@cloudwright/contract";
import type { DriftRow } from "@cloudwright/store";

export function renderDrift(row: DriftRow): JsonObject {
  return {
    uid: row.uid,
    project: row.project,
    environment: row.environment,
    entityKind: row.kind,
    entityUid: row.entityUid,
    entityName: row.name,
    state: row.endedAs === null ? "OPEN" : row.endedAs.toUpperCase(),
    foundAt: row.foundAt.toISOString(),
    ...(row.endedAt === null ? {} : { endedAt: row.endedAt.toISOString() }),
    task: row.taskUid,
    items: row.items.map(({ address, resourceType, action, paths }) => ({ address, resourceType, action, paths: [...paths] })),
    ignored: row.ignored,
  };
}
