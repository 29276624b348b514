import type { EntityJson, Method } from "@cloudwright/contract";
import { tryTransaction, updateEntity, writeLinks, type Database, type EntityRow, type Link } from "@cloudwright/store";
import { followedBy, type Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import type { OpenOperation } from "../operations/open-operation.ts";
import { traceCall, type Deed, type Told } from "../calls/trace-call.ts";

export interface Save {
  readonly row: EntityRow;
  readonly entity: EntityJson;
  readonly environmentUid: string | null;
  readonly sealed: Buffer | null;
  readonly apiKey?: { readonly hash: Buffer; readonly prefix: string };
  readonly reason: string;
  readonly message: string;
  readonly told?: readonly Told[];
  /** Kind and name to record in the audit log instead of the entity's own. */
  readonly audited?: Deed["audited"];
  /** The operation that tracks the requested work. */
  readonly opened?: OpenOperation | undefined;
  /** The links in the new spec. Undefined for kinds without links. */
  readonly links?: readonly Link[];
  /** Runs in the transaction after the entity was written. If it throws, nothing is written. */
  readonly confirm?: ((database: Database) => Promise<void>) | undefined;
  /** True for an operation that does not apply the spec, such as a preview. Such an operation leaves `metadata.operation` unchanged. */
  readonly isBeside?: boolean;
  /** Whether to wake the reconciler. A new operation always wakes it. */
  readonly wake?: boolean;
}

/** Writes a changed entity. Returns undefined if the stored entity has changed since it was read. */
export async function saveEntity(deps: ApiDeps, call: Call, method: Method, save: Save): Promise<Answer | undefined> {
  const { links, row, confirm } = save;
  const answer =
    links === undefined && confirm === undefined
      ? await saveEntityIn(deps.pool, deps, call, method, save)
      : await tryTransaction(deps.pool, async (database) => {
          const saved = await saveEntityIn(database, deps, call, method, save);
          if (saved !== undefined) await confirm?.(database);
          if (saved !== undefined && links !== undefined) await writeLinks(database, row.uid, links);
          return saved;
        });
  if (answer === undefined) return undefined;
  deps.feed.poke();
  if (asksForWork(save)) deps.wakes.notify();
  return answer;
}

/** Like `saveEntity`, but inside a transaction. After the commit, the calling function must notify the change feed and the reconciler. */
export async function saveEntityIn(
  database: Database,
  deps: ApiDeps,
  call: Call,
  method: Method,
  save: Save,
): Promise<Answer | undefined> {
  const { row, opened } = save;
  const version = await deps.versions.next();
  const at = new Date(deps.clock.now()).toISOString();
  const metadata = { ...save.entity.metadata, resourceVersion: version, updatedAt: at };
  if (opened !== undefined && save.isBeside !== true) metadata.operation = opened.insert.name;
  const entity = { ...save.entity, metadata };
  const object = JSON.stringify(entity);
  const labels = metadata.labels ?? {};
  const environment = metadata.environment ?? "";
  const deed = {
    type: "MODIFIED",
    reason: save.reason,
    message: save.message,
    ...(save.told === undefined ? {} : { told: save.told }),
    ...(save.audited === undefined ? {} : { audited: save.audited }),
    row: { ...row, labels, environment },
    oldLabels: row.labels,
    oldEnvironment: row.environment,
    version,
    object,
  } as const;
  const trace = await traceCall(deps, call, method, opened === undefined ? [deed] : [deed, opened.deed]);
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
  const work = { operations: opened === undefined ? [] : [opened.insert], wakes: [row.uid] };
  if (!(await updateEntity(database, update, trace, asksForWork(save) ? work : undefined))) return undefined;
  return { body: object, version, ...(opened === undefined ? {} : followedBy(entity)) };
}

function asksForWork({ opened, wake = false }: Save): boolean {
  return wake || opened !== undefined;
}
