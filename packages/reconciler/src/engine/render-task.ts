import { cloudOf, type JsonObject } from "@cloudwright/contract";
import { payloadVersion, plainPayloadVersion, taskKey, type TaskInsert } from "@cloudwright/tasks";
import type { TaskWish } from "./decision.ts";
import { findOutputs } from "./decide-idle.ts";
import { findAccount, renderPlacement } from "./placement.ts";
import type { Rules } from "./step.ts";
import type { Scope } from "./scope.ts";
import { findVersionOnTheWay } from "./version-on-the-way.ts";

/** What frees things goes before what takes them, and looking comes last. */
const priorities: Readonly<Record<string, number>> = { destroy: 10, check: -10 };

/** A task with everything needed to do it, but for secrets. Its key is a hash of what it depends on: the same is enqueued once. */
export function renderTask(scope: Scope, wish: TaskWish, uid: string, rules: Rules): TaskInsert {
  const { entity } = scope;
  const account = findAccount(scope);
  return {
    uid,
    key: taskKey({ entity: entity.uid, ...wish }),
    project: entity.project,
    entityUid: entity.uid,
    entityKind: entity.kind,
    entityName: entity.name,
    operationUid: wish.operationUid,
    accountUid: account?.uid ?? null,
    type: wish.type,
    lane: wish.lane,
    placement: renderPlacement(scope, wish.candidate),
    priority: priorities[wish.type.split(".")[1] ?? ""] ?? 0,
    payload: renderPayload(scope, wish, rules.parallelism),
    payloadVersion: wish.plan === undefined ? plainPayloadVersion : payloadVersion,
    maxAttempts: rules.taskAttempts,
  };
}

function renderPayload(scope: Scope, wish: TaskWish, parallelism: number): JsonObject {
  const payload = renderOwnPayload(scope, wish, parallelism);
  return wish.newcomer === undefined ? payload : { ...payload, ...renderNewcomer(scope, wish, payload, wish.newcomer) };
}

/** What differs where the task is about something that would lie in the entity: the entity is its parent, and nothing of it is there. */
function renderNewcomer(
  { entity }: Scope,
  { candidate = {} }: TaskWish,
  { parents, outputs, nodePools }: JsonObject,
  newcomer: NonNullable<TaskWish["newcomer"]>,
): JsonObject {
  const { kind, uid, name, project, object } = entity;
  if (newcomer.kind === "NodePool") {
    const pool = { uid: newcomer.uid, name: newcomer.name, generation: 1, retries: 0, spec: candidate };
    return { nodePools: [...(nodePools as JsonObject[]), pool], newPool: newcomer.name };
  }
  const parent = { kind, uid, name, spec: object.spec, outputs: outputs ?? {} };
  return {
    entity: { ...newcomer, project, generation: 1, labels: {}, annotations: {}, spec: candidate },
    parents: [parent, ...(parents as JsonObject[])],
    nodePools: [],
    outputs: {},
  };
}

function renderOwnPayload(scope: Scope, wish: TaskWish, parallelism: number): JsonObject {
  const { entity, above, nodePools } = scope;
  const { metadata, spec } = entity.object;
  const account = findAccount(scope);
  const version = findVersionOnTheWay(scope);
  // Of what is only looked at nothing was allowed.
  const allow = wish.candidate === undefined ? (scope.operation?.object.spec.allow ?? []) : [];
  const isAside = wish.newcomer !== undefined;
  return {
    action: wish.type.split(".")[1] ?? "",
    entity: {
      kind: entity.kind,
      uid: entity.uid,
      name: entity.name,
      project: entity.project,
      environment: entity.environment,
      generation: metadata.generation ?? 0,
      labels: { ...metadata.labels },
      annotations: { ...metadata.annotations },
      spec: (isAside ? undefined : wish.candidate) ?? (version === undefined ? spec : { ...spec, version }),
    },
    account:
      account === undefined
        ? null
        : {
            uid: account.uid,
            name: account.object.metadata.name ?? "",
            cloud: cloudOf(account.object.spec) ?? "",
            simulated: account.object.spec["simulated"] === true,
            spec: account.object.spec,
          },
    parents: above.map(({ uid, kind, object, outputs }) => ({
      kind,
      uid,
      name: object.metadata.name ?? "",
      spec: object.spec,
      outputs,
    })),
    nodePools: nodePools.map(({ uid, name, generation, retries, spec: pool }) => ({
      uid,
      name,
      generation,
      retries,
      spec: pool,
    })),
    outputs: findOutputs(scope) ?? {},
    fingerprint: wish.fingerprint,
    retries: wish.retries,
    ...(wish.candidate === undefined || wish.newcomer !== undefined ? {} : { formerSpec: spec }),
    ...(version === undefined ? {} : { finalVersion: spec["version"] ?? "" }),
    ...(allow.length === 0 ? {} : { allow: [...allow] }),
    ...(wish.round === undefined ? {} : { round: wish.round }),
    ...(wish.plan === undefined ? {} : { plan: wish.plan }),
    parallelism,
  };
}
