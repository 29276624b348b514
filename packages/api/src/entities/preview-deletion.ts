import type { Method } from "@cloudwright/contract";
import type { EntityRow } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { openOperation } from "../operations/open-operation.ts";
import { chooseVolumes } from "./choose-volumes.ts";
import { saveEntity } from "./save-entity.ts";

/** Starts an operation that lists what a deletion would remove and keep. The entity itself does not change. */
export async function previewDeletion(
  deps: ApiDeps,
  call: Call,
  method: Method,
  row: EntityRow,
  volumes: string,
): Promise<Answer | undefined> {
  const entity = parseEntity(row.object);
  const subject = { ...row, generation: entity.metadata.generation ?? 0 };
  const candidate = chooseVolumes(row.kind, entity, volumes).spec;
  const opened = await openOperation(deps, call, "preview", subject, { candidate, deletion: true });
  const saved = await saveEntity(deps, call, method, {
    row,
    entity,
    environmentUid: row.environment_uid,
    sealed: row.sealed,
    opened,
    isBeside: true,
    reason: "PreviewRequested",
    message: "previewing the deletion",
  });
  if (saved === undefined) return undefined;
  return { ...saved, operation: { project: row.project, name: opened.insert.name } };
}
