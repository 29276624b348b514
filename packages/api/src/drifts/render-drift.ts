import type { JsonObject } from "@cloudwright/contract";
import type { DriftItemRow, DriftRow } from "@cloudwright/store";

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
    items: row.items.map(renderItem),
    ignored: row.ignored,
  };
}

function renderItem(item: DriftItemRow): JsonObject {
  const { address, resourceType, action, paths, attributes = [], author = "", authorAction = "", changedAt } = item;
  return {
    address,
    resourceType,
    action,
    paths: [...paths],
    attributes: attributes.map((attribute) => ({ ...attribute }) as JsonObject),
    author,
    authorAction,
    ...(changedAt === undefined ? {} : { changedAt }),
  };
}
