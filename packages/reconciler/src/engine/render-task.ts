import {
  findAccount,
  getKind,
  parseTaskType,
  renderTaskPayload,
  renderTaskPlacement,
  type JsonObject,
  type PayloadAccountInput,
  type PayloadInput,
  type TaskAction,
} from "@cloudwright/contract";
import { backendEntry, taskKey, type Placement, type TaskInsert } from "@cloudwright/tasks";
import type { TaskWish } from "./decision.ts";
import { findOutputs } from "./decide-idle.ts";
import { groupParts } from "./parts.ts";
import type { Rules } from "./step.ts";
import type { Part, Scope } from "./scope.ts";
import { findNextVersion } from "./next-version.ts";

/** Tasks that free resources run before tasks that need them. Drift checks run last. */
const priorities: Readonly<Partial<Record<TaskAction, number>>> = { destroy: 10, findDrift: -10 };

/** Renders a task for the queue. The task's key is a hash of its inputs, so that a task requested twice is enqueued only once. */
export function renderTask(scope: Scope, wish: TaskWish, uid: string, rules: Rules): TaskInsert {
  const { entity } = scope;
  const account = describeAccount(scope);
  const action = parseTaskType(wish.type)?.action;
  const specs = [
    wish.candidate ?? {},
    { region: wish.region ?? "" },
    ...[scope.entity, ...scope.above].map(({ object }) => object.spec),
  ];
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
    placement: { ...renderTaskPlacement(entity.project, account, specs), ...renderBackendPlacement(entity.object.spec) },
    priority: (action === undefined ? undefined : priorities[action]) ?? 0,
    ...renderTaskPayload(describeTask(scope, wish, account, rules.parallelism)),
    maxAttempts: rules.taskAttempts,
  };
}

/** The task runs on an agent that may receive the secrets of the external state backend. Entities of earlier releases do not name it. */
function renderBackendPlacement(spec: JsonObject): Placement {
  const { backend } = (spec["infra"] ?? {}) as { readonly backend?: { readonly name?: string } };
  return backend?.name ? { [backendEntry]: backend.name } : {};
}

function renderPart({ uid, name, generation, retries, labels = {}, spec }: Part): NonNullable<PayloadInput["nodePools"]>[number] {
  return { uid, name, generation, retries, ...(Object.keys(labels).length === 0 ? {} : { labels }), spec };
}

function describeAccount(scope: Scope): PayloadAccountInput | undefined {
  const account = findAccount([scope.entity, ...scope.above]);
  return account && { uid: account.uid, name: account.object.metadata.name ?? "", spec: account.object.spec };
}

function describeTask(scope: Scope, wish: TaskWish, account: PayloadAccountInput | undefined, parallelism: number): PayloadInput {
  const { entity, above, links, parts } = scope;
  const { metadata, spec } = entity.object;
  const {
    type,
    candidate,
    newcomer,
    fingerprint,
    retries,
    round,
    plan,
    deletion = false,
    repair,
    gates,
    withoutPart,
    region,
    imageWork,
  } = wish;
  const version = findNextVersion(scope);
  const stored = version === undefined ? spec : { ...spec, version };
  const input: PayloadInput = {
    type,
    entity: {
      kind: entity.kind,
      uid: entity.uid,
      name: entity.name,
      project: entity.project,
      environment: entity.environment,
      generation: metadata.generation ?? 0,
      labels: metadata.labels ?? {},
      annotations: metadata.annotations ?? {},
      spec: newcomer === undefined ? (candidate ?? stored) : stored,
    },
    account,
    parents: above.map(({ uid, kind, object, outputs }) => ({
      kind,
      uid,
      name: object.metadata.name ?? "",
      spec: object.spec,
      outputs,
    })),
    references: links.map(({ field, uid, kind, object, outputs }) => ({
      field,
      kind,
      uid,
      name: object.metadata.name ?? "",
      spec: object.spec,
      outputs,
    })),
    ...groupParts(
      parts.filter(({ name }) => name !== withoutPart),
      renderPart,
    ),
    outputs: findOutputs(scope) ?? {},
    fingerprint,
    retries,
    formerSpec: candidate === undefined || newcomer !== undefined ? undefined : spec,
    finalVersion: version === undefined ? undefined : ((spec["version"] ?? "") as string),
    // A user's consent to destructive changes covers the stored spec, not a proposed one.
    allow: candidate === undefined ? (scope.operation?.object.spec.allow ?? []) : [],
    round,
    plan,
    deletion,
    parallelism,
    repair,
    gates,
    region,
    imageWork,
  };
  return newcomer === undefined ? input : { ...input, ...describeNewcomer(input, spec, candidate ?? {}, newcomer) };
}

/** Returns the payload fields for an entity that does not exist yet. The stored entity becomes its parent. */
function describeNewcomer(
  input: PayloadInput,
  storedSpec: JsonObject,
  candidate: JsonObject,
  newcomer: NonNullable<TaskWish["newcomer"]>,
): Partial<PayloadInput> {
  const { entity, parents, outputs } = input;
  const { kind, uid, name, project } = entity;
  const field = getKind(newcomer.kind).builtByOwnerAs;
  if (field !== undefined) {
    const part = { uid: newcomer.uid, name: newcomer.name, generation: 1, retries: 0, spec: candidate };
    return { [field]: [...(input[field] ?? []), part], newPool: newcomer.name };
  }
  return {
    entity: { ...newcomer, project, generation: 1, labels: {}, annotations: {}, spec: candidate },
    parents: [{ kind, uid, name, spec: storedSpec, outputs }, ...parents],
    references: [],
    ...groupParts([], renderPart),
    outputs: {},
  };
}
