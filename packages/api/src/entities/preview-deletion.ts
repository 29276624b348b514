import { getKind, type Method } from "@cloudwright/contract";
import { findEntity, type EntityRow } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { openOperation } from "../operations/open-operation.ts";
import { chooseVolumes } from "./choose-volumes.ts";
import { saveEntity } from "./save-entity.ts";

/**
 * Starts an operation that lists what a deletion would remove and keep. The entity itself does not change. The operation belongs to the
 * entity whose runs would perform the deletion. For a node pool, that is its cluster.
 */
export async function previewDeletion(
  deps: ApiDeps,
  call: Call,
  method: Method,
  deleted: EntityRow,
  volumes: string,
): Promise<Answer | undefined> {
  const isPart = getKind(deleted.kind).builtByOwnerAs !== undefined;
  const row = isPart ? await findOwner(deps, deleted) : deleted;
  if (row === undefined) return undefined;
  const entity = parseEntity(row.object);
  const subject = { ...row, environment: deleted.environment, generation: entity.metadata.generation ?? 0 };
  const candidate = chooseVolumes(row.kind, entity, isPart ? "" : volumes).spec;
  const part = isPart ? { candidateName: deleted.name, candidateKind: deleted.kind } : {};
  const opened = await openOperation(deps, call, "preview", subject, { candidate, deletion: true, ...part });
  const saved = await saveEntity(deps, call, method, {
    row,
    entity,
    environmentUid: row.environment_uid,
    sealed: row.sealed,
    opened,
    isBeside: true,
    ...(isPart ? { audited: { kind: deleted.kind, name: deleted.name } } : {}),
    reason: "PreviewRequested",
    message: `previewing the deletion${isPart ? ` of ${deleted.kind} "${deleted.name}"` : ""}`,
  });
  if (saved === undefined) return undefined;
  const body = { body: deleted.object, version: deleted.resource_version };
  return { ...(isPart ? body : saved), operation: { project: row.project, name: opened.insert.name } };
}

async function findOwner({ pool }: ApiDeps, { kind, project, parent_uid }: EntityRow): Promise<EntityRow | undefined> {
  const { parent } = getKind(kind);
  if (parent === undefined || parent_uid === null) return undefined;
  return findEntity(pool, { kind: parent.kind, project, namingScope: "", ref: parent_uid });
}
