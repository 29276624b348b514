import { createHash } from "node:crypto";
import { createUid, isObject, numberOf, parseJson, textOf, type ReadonlyJson } from "@cloudwright/platform";
import type { Conditions } from "../cloud/conditions.ts";
import type { CloudRecord, RecordKey } from "../inventory/inventory.ts";
import { finishDeletion, isError, type Acceptance, type Outcome } from "../provider/change-resource.ts";
import type { ApiRefusal, Change } from "../provider/definition.ts";
import { createFrom, deleteFrom, updateFrom } from "../provider/request-change.ts";
import type { Scope } from "../provider/scope.ts";
import type { ValueMap } from "../values/value.ts";
import { ApiError } from "./api-error.ts";
import { inTurn } from "./in-turn.ts";

/**
 * A change that a cloud has accepted. Deletions take effect at the end, and all other changes immediately. Every change counts as in
 * progress until `doneMs`.
 */
export interface Operation {
  readonly id: string;
  /** The record that changes. */
  readonly target: RecordKey;
  readonly verb: Change["operation"];
  /** The cloud's name for the change, such as `VersionUpdate`. */
  readonly name: string;
  readonly startedMs: number;
  readonly doneMs: number;
  readonly token: string;
  /** A hash of the request that carried the token. */
  readonly digest: string;
  /** Whether the change has taken effect. A deletion takes effect only at the end of its operation. */
  readonly isSettled: boolean;
  /** Additional facts that the cloud reports about the operation. */
  readonly facts: ReadonlyJson;
}

/** Properties that an API operation sets on a change. */
export interface ChangeNote {
  readonly name?: string;
  /** The client's idempotency token. A repeated creation with the same token returns the same resource. */
  readonly token?: string | undefined;
  /** The request, to detect a token that is used for two different requests. */
  readonly request?: unknown;
  /** The error for a token that was used for another request. */
  readonly mismatch?: ApiRefusal;
  readonly facts?: ReadonlyJson;
  /** Attributes of the record that are not in the schema. */
  readonly beyond?: ValueMap;
  /** Whether the change is complete when the API replies. */
  readonly isInstant?: boolean;
  /** How large the record may be. Default: 64 KiB. */
  readonly mostBytes?: number | undefined;
}

/** A record together with the operation that changed it. */
export interface Changed {
  readonly record: CloudRecord;
  readonly operation: Operation;
}

/** The asynchronous operations of one tenant. They are hidden records in the tenant's inventory and survive a restart. */
export interface ApiOperations {
  list(): readonly Operation[];
  find(id: string): Operation | undefined;
  isPending(operation: Operation): boolean;
  /** Returns the latest operation on a record that is still in progress. */
  findPending(key: RecordKey): Operation | undefined;
  create(type: string, config: ValueMap, note?: ChangeNote): Promise<Changed>;
  update(record: CloudRecord, patch: ValueMap, note?: ChangeNote): Promise<Changed>;
  /** Accepts the deletion of a record. The record disappears when the operation is done. */
  delete(record: CloudRecord, note?: ChangeNote): Promise<Operation>;
  /** Returns when the next accepted deletion is due. */
  nextDueMs(): number | undefined;
}

const recordType = "cloud_operation";
const keptMs = 3_600_000;
const mostEnded = 1000;
const never = Number.MAX_SAFE_INTEGER;

/**
 * Opens a tenant's operations. Completes the deletions that are due, discards operations that ended more than an hour ago, and reads the
 * rest. With `neverEnds`, changes that are accepted now remain in progress forever.
 */
export async function openOperations(
  scope: Scope,
  conditions: Conditions,
  options: { readonly neverEnds?: boolean } = {},
): Promise<ApiOperations> {
  const { inventory, tenant, clock } = scope;
  const held = new Map((await inventory.list(tenant, recordType)).map((record) => [record.id, parseOperation(record)]));
  for (const operation of held.values()) await settle(operation);
  // Limits how many operations each request from a busy tenant has to read.
  const ended = [...held.values()].filter((operation) => operation.isSettled && operation.doneMs <= clock.now());
  for (const operation of ended.toSorted((a, b) => a.doneMs - b.doneMs).slice(0, -mostEnded)) await forget(operation);

  async function settle(operation: Operation): Promise<void> {
    const nowMs = clock.now();
    if (!operation.isSettled && operation.doneMs <= nowMs) {
      const record = await inventory.find(tenant, operation.target);
      // Someone may have deleted the resource and created another one with the same name, which must be kept.
      if (record !== undefined && birthOf(record) === operation.digest) await finishDeletion(scope, operation.target, conditions);
      await save({ ...operation, isSettled: true });
    }
    if (operation.doneMs + keptMs > nowMs) return;
    await forget(operation);
  }

  async function forget({ id }: Operation): Promise<void> {
    held.delete(id);
    await inventory.delete(tenant, { type: recordType, id });
  }

  async function save(operation: Operation): Promise<void> {
    held.set(operation.id, operation);
    await inventory.put(tenant, renderOperation(operation));
  }

  function accept(
    note: ChangeNote,
    type: string,
    digest: string,
    id = createUid(clock.now()),
  ): Acceptance & { made(): Operation } {
    let made: Operation | undefined;
    return {
      ...(note.beyond === undefined ? {} : { beyond: note.beyond }),
      isInstant: note.isInstant ?? false,
      async begin(change, takesMs) {
        const startedMs = clock.now();
        const doneMs = options.neverEnds === true ? never : startedMs + Math.floor(takesMs);
        made = {
          id,
          target: { type, id: change.id },
          verb: change.operation,
          name: note.name ?? "",
          startedMs,
          doneMs,
          token: note.token ?? "",
          digest,
          isSettled: change.operation !== "delete" || takesMs < 1,
          facts: note.facts ?? null,
        };
        await save(made);
      },
      async cancel() {
        held.delete(id);
        await inventory.delete(tenant, { type: recordType, id });
      },
      made() {
        if (made === undefined) throw new Error("the change was not accepted");
        return made;
      },
    };
  }

  // A deletion that becomes due during this request is completed by the next one. Until then, the record still exists.
  const isPending = ({ doneMs, isSettled }: Operation): boolean => !isSettled || doneMs > clock.now();
  const findRecord = (key: RecordKey): Promise<CloudRecord | undefined> => inventory.find(tenant, key);

  async function findKnown(
    note: ChangeNote,
    verb: Operation["verb"],
    type: string,
    digest: string,
  ): Promise<Operation | undefined> {
    if ((note.token ?? "") === "") return undefined;
    // Reads the operations again, because a concurrent request may have used the same token.
    for (const record of await inventory.list(tenant, recordType)) held.set(record.id, parseOperation(record));
    const known = [...held.values()].find((each) => each.token === note.token && each.verb === verb && each.target.type === type);
    if (known !== undefined && known.digest !== digest && note.mismatch !== undefined) throw new ApiError(note.mismatch);
    return known;
  }

  async function create(type: string, config: ValueMap, note: ChangeNote): Promise<Changed> {
    const digest = hashOf(note.request ?? null);
    const known = await findKnown(note, "create", type, digest);
    if (known !== undefined) {
      const record = await findRecord(known.target);
      if (record !== undefined) return { record, operation: known };
    }
    checkRecordSize({ ...config, ...note.beyond }, note);
    if ((await inventory.list(tenant, type)).length >= mostRecords) {
      const message = `An account can have at most ${mostRecords} resources of this type.`;
      throw new ApiError({ code: "", message, status: 400 });
    }
    const acceptance = accept(note, type, digest, known?.id);
    const outcome = await createFrom(scope, type, config, {
      conditions,
      acceptance,
      ...(known === undefined ? {} : { id: known.target.id }),
    });
    throwProblems(outcome);
    const operation = acceptance.made();
    return { record: await getRecord(operation.target), operation };
  }

  async function update(record: CloudRecord, patch: ValueMap, note: ChangeNote): Promise<Changed> {
    const digest = hashOf([record.id, note.request ?? null]);
    const known = await findKnown(note, "update", record.type, digest);
    if (known !== undefined) return { record, operation: known };
    checkRecordSize({ ...record.attributes, ...patch }, note);
    const acceptance = accept(note, record.type, digest);
    throwProblems(await updateFrom(scope, record, patch, { conditions, acceptance }));
    return { record: await getRecord(record), operation: acceptance.made() };
  }

  async function getRecord(key: RecordKey): Promise<CloudRecord> {
    const record = await findRecord(key);
    if (record === undefined) throw new Error(`${key.type} ${key.id} disappeared while it was being changed`);
    return record;
  }

  return {
    list: () => [...held.values()].toSorted((a, b) => a.startedMs - b.startedMs || (a.id < b.id ? -1 : 1)),
    find: (id) => held.get(id),
    isPending,
    findPending: ({ type, id }) =>
      [...held.values()].findLast((each) => each.target.type === type && each.target.id === id && isPending(each)),
    create: (type, config, note = {}) => takeTokenTurn(tenant, note, () => create(type, config, note)),
    update: (record, patch, note = {}) => takeTokenTurn(tenant, note, () => update(record, patch, note)),
    async delete(record, note = {}) {
      const acceptance = accept(note, record.type, birthOf(record));
      throwProblems(await deleteFrom(scope, record, { conditions, acceptance }));
      return acceptance.made();
    },
    nextDueMs() {
      const due = [...held.values()].filter((each) => !each.isSettled && each.doneMs !== never);
      return due.length === 0 ? undefined : Math.min(...due.map(({ doneMs }) => doneMs));
    },
  };
}

// Every list request reads all resources of a type. These limits bound how much a single request can make the host read.
const recordBytes = 64 * 1024;
const mostRecords = 1000;

function checkRecordSize(attributes: ValueMap, { mostBytes = recordBytes }: ChangeNote): void {
  if (JSON.stringify(attributes).length <= mostBytes) return;
  throw new ApiError({ code: "", message: `A resource can have at most ${mostBytes} bytes.`, status: 400 });
}

// Two concurrent requests with the same token must not create two resources.
async function takeTokenTurn<Result>(tenant: string, { token = "" }: ChangeNote, act: () => Promise<Result>): Promise<Result> {
  return token === "" ? act() : inTurn(`${tenant}\n${token}`, act);
}

function throwProblems({ problems }: Outcome): void {
  const problem = problems.find(isError);
  if (problem === undefined) return;
  throw new ApiError(problem.refusal ?? { code: "", message: [problem.summary, problem.detail ?? ""].join(" ").trim() });
}

// Attributes that contain the creation time. Types without such an attribute have ids that are never reused.
const births = ["created_at", "create_date", "api_created_ms"] as const;

function birthOf({ attributes }: CloudRecord): string {
  return JSON.stringify(births.map((name) => attributes[name] ?? null));
}

function hashOf(request: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(request) ?? "")
    .digest("hex");
}

function renderOperation({ id, target, facts, ...rest }: Operation): CloudRecord {
  return { type: recordType, id, attributes: { ...rest, type: target.type, target: target.id, facts: JSON.stringify(facts) } };
}

function parseOperation({ id, attributes }: CloudRecord): Operation {
  const { verb } = attributes;
  return {
    id,
    target: { type: textOf(attributes["type"]), id: textOf(attributes["target"]) },
    verb: verb === "create" || verb === "update" ? verb : "delete",
    name: textOf(attributes["name"]),
    startedMs: numberOf(attributes["startedMs"]),
    doneMs: numberOf(attributes["doneMs"]),
    token: textOf(attributes["token"]),
    digest: textOf(attributes["digest"]),
    isSettled: attributes["isSettled"] === true,
    facts: parseJson(textOf(attributes["facts"])) ?? null,
  };
}

/** Returns one of the additional facts about an operation. */
export function factOf({ facts }: Operation, name: string): ReadonlyJson | undefined {
  return isObject(facts) && Object.hasOwn(facts, name) ? facts[name] : undefined;
}
