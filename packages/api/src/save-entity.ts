import type { EntityJson, Operation } from "@cloudwright/contract";
import { updateEntity, type EntityRow } from "@cloudwright/store";
import type { Answer } from "./answer.ts";
import type { Call } from "./caller.ts";
import type { ApiDeps } from "./deps.ts";
import { traceCall } from "./trace-call.ts";

export interface Save {
  readonly row: EntityRow;
  readonly entity: EntityJson;
  readonly environmentUid: string | null;
  readonly sealed: Buffer | null;
  readonly apiKey?: { readonly hash: Buffer; readonly prefix: string };
  readonly reason: string;
  readonly message: string;
}

/** Writes an entity that was read before; undefined when somebody else changed it meanwhile. */
export async function saveEntity(deps: ApiDeps, call: Call, operation: Operation, save: Save): Promise<Answer | undefined> {
  const { row, entity } = save;
  const version = await deps.versions.next();
  const at = new Date(deps.clock.now()).toISOString();
  const metadata = { ...entity.metadata, resourceVersion: version, updatedAt: at };
  const object = JSON.stringify({ ...entity, metadata });
  const labels = metadata.labels ?? {};
  const environment = metadata.environment ?? "";
  const deed = {
    type: "MODIFIED",
    reason: save.reason,
    message: save.message,
    row: { ...row, labels, environment },
    oldLabels: row.labels,
    oldEnvironment: row.environment,
    version,
    object,
  } as const;
  const trace = await traceCall(deps, call, operation, [deed]);
  const update = {
    uid: row.uid,
    oldVersion: row.resource_version,
    resourceVersion: version,
    at,
    deletedAt: row.deleted_at?.toISOString() ?? null,
    environmentUid: save.environmentUid,
    environment,
    labels,
    object,
    sealed: save.sealed,
    ...(save.apiKey === undefined ? {} : { apiKey: save.apiKey }),
  };
  if (!(await updateEntity(deps.pool, update, trace))) return undefined;
  deps.feed.poke();
  return { body: object, version };
}
