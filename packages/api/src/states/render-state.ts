import type { JsonObject } from "@cloudwright/contract";
import type { StateLockRow, StateRow, StateVersionRow } from "@cloudwright/store";
import { operationName } from "../operations/operation-name.ts";

export function renderState({ entityUid, project, kind, name, environment, newest, lock }: StateRow): JsonObject {
  return {
    entityUid,
    entityKind: kind,
    entityName: name,
    project,
    environment,
    ...(newest === undefined ? {} : { newest: renderVersion(newest) }),
    ...(lock === undefined ? {} : { lock: renderLock(lock) }),
  };
}

export function renderVersion(row: StateVersionRow): JsonObject {
  return {
    version: row.version,
    serial: row.serial,
    lineage: row.lineage,
    md5: row.md5,
    sizeBytes: row.size,
    resources: row.resources,
    createdAt: row.created_at.toISOString(),
    task: row.task_uid ?? "",
    operation: operationName(row.operation_uid),
    actor: row.actor,
    deleted: row.deleted,
    rolledBackTo: row.rolled_back_to,
  };
}

function renderLock({ id, info, taskUid, at, isAlive }: StateLockRow): JsonObject {
  return {
    id,
    operation: info["Operation"] ?? "",
    who: info["Who"] ?? "",
    terraformVersion: info["Version"] ?? "",
    createdAt: at.toISOString(),
    task: taskUid,
    alive: isAlive,
  };
}
