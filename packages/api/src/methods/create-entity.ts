import { getKind, type EntityJson, type Json, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import {
  countSiblings,
  countSiblingsInTurn,
  findEntity,
  insertEntity,
  retryCollisions,
  storeFaults,
  writeLinks,
  type EntityInsert,
} from "@cloudwright/store";
import { followedBy, type Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { traceCall } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { admitEntity } from "../entities/admit-entity.ts";
import { draftCreation, type Draft } from "../entities/draft-entity.ts";
import { findReplay, hashRequest, isRepeat } from "../entities/replay.ts";
import { readCreation } from "../entities/read-creation.ts";
import type { Target } from "../entities/target.ts";
import { rulesOf } from "../kinds/rules.ts";
import { openOperation } from "../operations/open-operation.ts";

export interface CreateInput {
  readonly project: string;
  readonly parent: string;
  /** The body as the caller sent it. */
  readonly entity: Json;
  readonly dryRun: boolean;
  readonly idempotencyKey: string | undefined;
}

/** Creates an entity. Checks and authorises the request, then writes the entity with its change-log entry, event and audit record. */
export async function createEntity(deps: ApiDeps, call: Call, method: Method, input: CreateInput): Promise<Answer> {
  for (;;) {
    const answer = await tryCreate(deps, call, method, input);
    if (answer !== undefined) return answer;
  }
}

/** Returns undefined if another request has claimed what was chosen for the entity. The next attempt makes another choice. */
async function tryCreate(deps: ApiDeps, call: Call, method: Method, input: CreateInput): Promise<Answer | undefined> {
  const { target, desired } = await readCreation(deps, call, method, input);
  const kind = target.kind.kind;
  const idempotency = input.idempotencyKey === undefined ? undefined : hashRequest(call, method, input, input.idempotencyKey);
  if (idempotency !== undefined && !input.dryRun) {
    const replayed = await findReplay(deps, call, target, idempotency);
    if (replayed !== undefined) return replayed;
  }
  const { draft, candidate } = await draftCreation(deps, call, target, desired, input);
  const { told, warnings } = await admitEntity(deps, call, target, candidate);
  if (input.dryRun) return { ...(await dryRun(deps, target, draft)), warnings };
  const version = await deps.versions.next();
  draft.entity.metadata.resourceVersion = version;
  const opened = target.kind.provisioned
    ? await openOperation(deps, call, "create", { ...draft.columns, generation: 1 })
    : undefined;
  draft.entity.metadata.operation = opened?.insert.name ?? "";
  const issued = rulesOf(kind).issueCredential?.(draft.entity.spec);
  if (issued !== undefined) Object.assign(draft.entity.status, issued.status);
  const object = JSON.stringify(draft.entity);
  const insert: EntityInsert = {
    ...draft.columns,
    resourceVersion: version,
    object,
    ...issued?.columns,
    ...(idempotency === undefined ? {} : { idempotency }),
  };
  const row = { ...draft.columns, parent_uid: insert.parentUid };
  const message = `${kind} created`;
  const deed = { type: "ADDED", reason: "Created", message, told, row, oldLabels: null, version, object } as const;
  const trace = await traceCall(deps, call, method, opened === undefined ? [deed] : [deed, opened.deed]);
  try {
    const work = opened && { operations: [opened.insert], wakes: [insert.uid] };
    // A concurrent cascading deletion may lock the parent and the project in a different order, so deadlocks are retried.
    await retryCollisions(() => write(deps, insert, draft, trace, work));
  } catch (error) {
    const replayed = idempotency !== undefined && isRepeat(error) ? await findReplay(deps, call, target, idempotency) : undefined;
    if (replayed !== undefined) return replayed;
    if (draft.isPlaced && error instanceof Fault && error.code === apiFaults.host_claimed.code) return undefined;
    throw error;
  }
  deps.feed.poke();
  if (opened !== undefined) deps.wakes.notify();
  const body = issued === undefined ? object : withStatus(draft.entity, issued.revealed);
  return { body, created: true, version, name: desired.name, warnings, ...followedBy(draft.entity) };
}

/** Writes the entity in a single statement. An entity with links, claims or a limit needs more statements, which run in one transaction. */
async function write({ pool }: ApiDeps, insert: EntityInsert, { links, entity }: Draft, ...rest: InsertRest): Promise<void> {
  const { confirm, mostPerOwner } = rulesOf(insert.kind);
  if (links.length === 0 && confirm === undefined && mostPerOwner === undefined) return insertEntity(pool, insert, ...rest);
  const { uid, name, project, parentUid } = insert;
  return pool.transaction(async (database) => {
    await requireRoom(insert, (owner, most) => countSiblingsInTurn(database, insert.kind, owner, most));
    await insertEntity(database, insert, ...rest);
    await confirm?.(database, { uid, name, project, ownerUid: parentUid ?? "", spec: entity.spec, isNew: true });
    if (links.length > 0) await writeLinks(database, uid, links);
  });
}

/** Throws if the owner already has the maximum number of entities of this kind. */
async function requireRoom(
  { kind, parentUid }: Pick<EntityInsert, "kind" | "parentUid">,
  count: (parentUid: string, most: number) => Promise<number>,
): Promise<void> {
  const { mostPerOwner } = rulesOf(kind);
  if (mostPerOwner === undefined || parentUid === null || (await count(parentUid, mostPerOwner)) < mostPerOwner) return;
  const owner = getKind(kind).parent?.kind ?? "owner";
  throw new Fault(storeFaults.limit_reached, `the ${owner} already has ${mostPerOwner} entities of the kind ${kind}`);
}

type InsertRest = Parameters<typeof insertEntity> extends [unknown, unknown, ...infer Rest] ? Rest : never;

async function dryRun(deps: ApiDeps, target: Target, draft: Draft): Promise<Answer> {
  const { kind, project, namingScope } = target;
  const taken = await findEntity(deps.pool, { kind: kind.kind, project, namingScope, ref: draft.columns.name });
  await requireRoom(draft.columns, (parentUid, most) => countSiblings(deps.pool, kind.kind, parentUid, most));
  if (taken !== undefined) throw new Fault(storeFaults.exists, `${kind.kind} "${draft.columns.name}" already exists`);
  return { body: JSON.stringify(draft.entity) };
}

function withStatus(entity: EntityJson, revealed: EntityJson["status"]): string {
  return JSON.stringify({ ...entity, status: { ...entity.status, ...revealed } });
}
