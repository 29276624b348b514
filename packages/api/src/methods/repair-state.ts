import { parseTaskType, type JsonObject, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import {
  findEntity,
  findOpenTask,
  insertForgotten,
  listForgotten,
  listOpenOperations,
  lockEntities,
  tryTransaction,
  type Database,
  type EntityRow,
  type ForgottenResource,
  type StateRow,
} from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import type { InstanceHead } from "../documents/read-documents.ts";
import { getAt, textAt } from "../entities/json-tree.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { saveEntityIn } from "../entities/save-entity.ts";
import { apiFaults } from "../faults.ts";
import { openOperation } from "../operations/open-operation.ts";
import { operationName } from "../operations/operation-name.ts";
import { requireState, requireUnlocked, requireVersion, type StateRef } from "../states/require-state.ts";
import { openContent } from "../states/state-content.ts";

export interface RepairInput extends StateRef {
  readonly address: string;
  /** The resource's id in the cloud. Absent in requests to forget a resource. */
  readonly id?: string;
  readonly dryRun: boolean;
}

/**
 * Starts an operation that adopts or forgets one resource. The request is rejected while a run for the entity is in progress. No run starts
 * before the operation has ended.
 */
export async function repairState(deps: ApiDeps, call: Call, method: Method, input: RepairInput): Promise<Answer> {
  const verb = method.verb === "adopt" ? "adopt" : "forget";
  const repair = { address: input.address, id: input.id ?? "", dryRun: input.dryRun };
  return retryStale(deps, `State "${input.name}"`, async () => {
    const state = await requireState(deps, call, method, input);
    requireWellFormed(repair);
    requireUnlocked(state);
    const row = await requireLiving(deps, state);
    requireResources(row, verb);
    const forgotten = verb === "forget" ? await requireForgettable(deps, row, state, repair.address) : [];
    const entity = parseEntity(row.object);
    const subject = { ...row, generation: entity.metadata.generation ?? 0 };
    const opened = await openOperation(deps, call, verb, subject, { repair });
    const saved = await tryTransaction(deps.pool, async (database) => {
      // The row lock prevents the reconciler from starting a run after the check.
      await lockEntities(database, [row.uid]);
      await requireNoRun(database, row);
      const answer = await saveEntityIn(database, deps, call, method, {
        row,
        entity,
        environmentUid: row.environment_uid,
        sealed: row.sealed,
        opened,
        isBeside: true,
        audited: { kind: "State", name: row.name },
        ...describeRequest(verb, repair),
      });
      if (answer === undefined || repair.dryRun || forgotten.length === 0) return answer;
      await insertForgotten(database, row.uid, forgotten, opened.insert.uid);
      return answer;
    });
    if (saved === undefined) return undefined;
    deps.feed.poke();
    deps.wakes.notify();
    const { name, object, resourceVersion } = opened.insert;
    return { body: object, version: resourceVersion, operation: { project: row.project, name } };
  });
}

/** Lists the managed resources in the newest version of a state, with their addresses and ids but no other attributes. */
export async function listStateResources(deps: ApiDeps, call: Call, method: Method, input: StateRef): Promise<Answer> {
  const state = await requireState(deps, call, method, input);
  const items = (await readManaged(deps, state)) ?? [];
  const isManaged = (each: ForgottenResource): boolean => items.some(({ type, id }) => type === each.type && id === each.id);
  const forgotten = (await listForgotten(deps.pool, state.entityUid)).filter((each) => !isManaged(each));
  const body: JsonObject = {
    items: items.map(({ address, type, id = "" }) => ({ address, type, id })),
    forgotten: forgotten.map(({ address, type, id }) => ({ address, type, id })),
  };
  return { body: JSON.stringify(body) };
}

// Control characters could forge lines in logs. Terraform would read a leading dash as an option.
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const addressForm =
  /^(?:module\.[\w-]+(?:\[(?:\d+|"[^"]*")\])?\.)*[A-Za-z_][\w-]*\.[A-Za-z_][\w-]*(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?$/;

function requireWellFormed({ address, id }: { readonly address: string; readonly id: string }): void {
  if (unprintable.test(address) || !addressForm.test(address) || address.startsWith("data."))
    throw invalid("the request", [
      {
        field: "address",
        message: 'must be the address of one resource: TYPE.NAME or TYPE.NAME["KEY"]',
      },
    ]);
  if (unprintable.test(id) || id.startsWith("-") || id.trim() !== id)
    throw invalid("the request", [
      { field: "id", message: "must be the id of a resource in the cloud, without control characters or a leading dash" },
    ]);
}

async function requireLiving({ pool }: ApiDeps, { kind, project, name, entityUid }: StateRow): Promise<EntityRow> {
  const row = await findEntity(pool, { kind, project, namingScope: "", ref: entityUid });
  if (row !== undefined) return row;
  throw new Fault(apiFaults.not_found, `${kind} "${name}" was deleted; its state can only be read`);
}

/** Throws for kinds whose entities have no resources, such as accounts. */
function requireResources({ kind, name }: EntityRow, verb: string): void {
  if (parseTaskType(`${kind.toLowerCase()}.${verb}`) !== undefined) return;
  throw new Fault(apiFaults.not_in_state, `${kind} "${name}" has no resources of its own`);
}

/** Throws if a run is queued or in progress. An operation that adopts or forgets another resource is treated as a run. */
async function requireNoRun(database: Database, { uid, kind, name }: EntityRow): Promise<void> {
  const task = await findOpenTask(database, uid);
  if (task !== undefined) {
    const operation = task.operationUid === null ? "" : ` of operation ${operationName(task.operationUid)}`;
    const doing = task.state === "leased" ? "in progress" : "queued";
    throw new Fault(apiFaults.run_in_progress, `${task.type}${operation} is ${doing} for ${kind} "${name}"`);
  }
  const open = (await listOpenOperations(database, [uid])).find((row) => isRepair(textAt(parseEntity(row.object).spec, "verb")));
  if (open !== undefined)
    throw new Fault(apiFaults.run_in_progress, `operation ${open.name} is already changing the state of ${kind} "${name}"`);
}

function isRepair(verb: string): boolean {
  return verb === "adopt" || verb === "forget";
}

/**
 * Returns a list with the resource at the address, or an empty list if it was already forgotten. Throws if the platform cannot read the
 * state, because an external backend stores it or Terraform encrypted it. Without the state, the platform could not record which resource
 * to ignore, and the next run would adopt it again.
 */
async function requireForgettable(
  deps: ApiDeps,
  row: EntityRow,
  state: StateRow,
  address: string,
): Promise<readonly ForgottenResource[]> {
  const managed =
    getAt(parseEntity(row.object).spec, ["infra", "backend"]) === undefined ? await readManaged(deps, state) : undefined;
  if (managed === undefined)
    throw new Fault(apiFaults.cannot_forget, `the platform cannot read the state of ${row.kind} "${row.name}"`);
  const found = managed.filter((each) => each.address === address);
  if (found.length > 0) return found.flatMap(({ type, id }) => (id === undefined ? [] : [{ type, id, address }]));
  if ((await listForgotten(deps.pool, row.uid)).some((each) => each.address === address)) return [];
  const instances = managed.filter((each) => each.address.startsWith(`${address}[`)).map((each) => each.address);
  const hint = instances.length === 0 ? "" : `; name one of its instances: ${instances.slice(0, 10).join(", ")}`;
  throw new Fault(apiFaults.not_in_state, `the state of ${row.kind} "${row.name}" has no resource ${address}${hint}`);
}

/** Returns the managed resources in the newest version, or undefined if the platform cannot read them. */
async function readManaged(deps: ApiDeps, state: StateRow): Promise<InstanceHead[] | undefined> {
  if (state.newest === undefined || state.newest.deleted) return undefined;
  const content = await openContent(deps.keyRing, await requireVersion(deps, state, 0));
  if (content === undefined) return undefined;
  return (await deps.documents.listInstances(state.project, content))?.filter(({ mode }) => mode === "managed");
}

function describeRequest(
  verb: "adopt" | "forget",
  { address, id, dryRun }: { readonly address: string; readonly id: string; readonly dryRun: boolean },
): { reason: string; message: string } {
  const what = verb === "adopt" ? `adoption of ${id} as ${address}` : `removal of ${address} from the state`;
  return {
    reason: verb === "adopt" ? "AdoptionRequested" : "ForgetRequested",
    message: dryRun ? `a check of the ${what} was requested` : `the ${what} was requested`,
  };
}
