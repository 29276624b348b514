import {
  cloudOf,
  getEntitySchema,
  getKind,
  getMethod,
  immutablePaths,
  listLinks,
  type EntityJson,
  type Json,
  type JsonObject,
  type Method,
} from "@cloudwright/contract";
import { Fault, type FieldViolation } from "@cloudwright/platform";
import { findReferences, storeFaults, type Database, type EntityRow } from "@cloudwright/store";
import { admitEntity } from "../entities/admit-entity.ts";
import type { Answer } from "../calls/answer.ts";
import { authorise, denied, includes, isHiddenDenial, type Call } from "../calls/authorise.ts";
import { decode, invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { readDesired, type DesiredEntity } from "../entities/entity-json.ts";
import { apiFaults } from "../faults.ts";
import { findInfraDowngrade } from "../entities/find-infra-downgrade.ts";
import { getAt, isEqual, isObject } from "../entities/json-tree.ts";
import { normaliseSpec } from "../entities/normalise.ts";
import { requireOutside } from "../entities/read-creation.ts";
import { resolveLinks } from "../entities/references.ts";
import { openOperation } from "../operations/open-operation.ts";
import { rulesOf } from "../kinds/rules.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { isAboutDeletion } from "../entities/said-while-deleting.ts";
import { saveEntity } from "../entities/save-entity.ts";
import { clearedSecrets, extractSecrets, sealSecrets, unsealSecrets } from "../entities/secrets.ts";
import { keepBackend } from "../entities/state-backend.ts";
import { findEntityIn, notFound, resolveTarget, type Target } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";
import { createEntity } from "./create-entity.ts";

export interface UpdateInput {
  readonly project: string;
  readonly parent: string;
  /** Name or uid of the entity. */
  readonly name: string;
  /** The body as sent. If a secret is null in the body, the stored secret is cleared. */
  readonly sent: Json;
  /** Computes the desired entity from the current one. */
  readonly change: (current: JsonObject) => Json;
  /** The resourceVersion that the entity must have. An empty string accepts any version. */
  readonly precondition: string;
  readonly allowMissing: boolean;
  readonly dryRun: boolean;
  /** Risky actions that the caller allows, such as `replace`. */
  readonly allow: readonly string[];
  /** Returns whether to start an operation even if the spec does not change. */
  readonly needsWork?: (current: EntityJson) => Promise<boolean>;
}

/** Updates an entity. Writes nothing if the update changes nothing. */
export async function updateEntityMethod(deps: ApiDeps, call: Call, method: Method, input: UpdateInput): Promise<Answer> {
  requireAllowed(method.kind, input.allow);
  const target = await resolveTarget(deps, call, method, input);
  return retryStale(deps, `${target.kind.kind} "${input.name}"`, async () => {
    const row = await findEntityIn(deps, call, target, input.name).catch((error: unknown) =>
      answerHidden(call, method, input, error),
    );
    if (row !== undefined) return updateRow(deps, call, target, row, input);
    if (!input.allowMissing) throw notFound(target.kind.kind, input.name);
    return createMissing(deps, call, method, input);
  });
}

function requireAllowed(kind: string, words: readonly string[]): void {
  const allowed = getKind(kind).allows ?? [];
  if (words.every((word, index) => allowed.includes(word) && words.indexOf(word) === index)) return;
  throw invalid("the request", [{ field: "allow", message: `may only contain ${allowed.join(", ")}, each at most once` }]);
}

/** Rethrows an error. A caller who may not create the entity must get the same fault whether or not a hidden entity exists. */
function answerHidden(call: Call, method: Method, input: UpdateInput, error: unknown): never {
  if (input.allowMissing && error instanceof Fault && isHiddenDenial(error)) {
    authorise(call, getMethod(method.kind, "create"), input.project);
  }
  throw error;
}

/** Creates the missing entity. Returns undefined if a concurrent request creates it first; the caller then retries the update. */
async function createMissing(deps: ApiDeps, call: Call, method: Method, input: UpdateInput): Promise<Answer | undefined> {
  if (input.precondition !== "") throw new Fault(storeFaults.stale, `"${input.name}" no longer exists`);
  const entity = withName(input.change({ metadata: { name: input.name } }), input.name);
  if (getAt(entity, ["metadata", "name"]) !== input.name) {
    throw invalid(`the ${method.kind}`, [{ field: "metadata.name", message: `must be "${input.name}", the name in the path` }]);
  }
  const { project, parent, dryRun } = input;
  try {
    // Creating may require a different role than updating.
    return await createEntity(deps, call, getMethod(method.kind, "create"), {
      project,
      parent,
      entity,
      dryRun,
      idempotencyKey: undefined,
    });
  } catch (error) {
    if (error instanceof Fault && error.code === storeFaults.exists.code) return undefined;
    throw error;
  }
}

async function updateRow(
  deps: ApiDeps,
  call: Call,
  target: Target,
  row: EntityRow,
  input: UpdateInput,
): Promise<Answer | undefined> {
  const kind = target.kind.kind;
  if (input.precondition !== "" && input.precondition !== row.resource_version) {
    throw new Fault(storeFaults.stale, `${kind} "${row.name}" has changed since resourceVersion ${input.precondition}`, {
      extra: { resourceVersion: row.resource_version },
    });
  }
  const current = parseEntity(row.object);
  const changed = input.change({ metadata: current.metadata, spec: current.spec });
  const desired = readDesired(kind, decode(getEntitySchema(kind), withName(changed, row.name), `the ${kind}`));
  requireSameIdentity(kind, changed, desired, row);

  const cleared = new Set(clearedSecrets(kind, input.sent).map((path) => path.join(".")));
  const former = unsealSecrets(deps.keyRing, row.uid, row.sealed);
  const kept = Object.fromEntries(Object.entries(former).filter(([path]) => !cleared.has(path)));
  const { entity: stripped, secrets } = extractSecrets(kind, { spec: desired.spec }, kept);
  const desiredSpec = keepBackend(stripped["spec"] as JsonObject, current.spec);
  const normalised = normaliseSpec(target.kind, desiredSpec, sameCloud(current.spec), current.spec);
  const { spec, links } = await resolveLinks(deps, call, target, keepReferences(target, row, current.spec, normalised));
  requireImmutable(kind, current.spec, spec);
  const violations = [
    ...(rulesOf(kind).checkChange?.(current, spec) ?? []),
    ...(row.deleted_at === null ? await findInfraDowngrade(deps, row.uid, current.spec, spec) : []),
  ];
  if (violations.length > 0) throw invalid(`the ${kind}`, violations);

  const environment = await resolveEnvironment(deps, target, row, desired);
  const isOther = !isEqual(current.spec, spec) || !isEqual(former, secrets);
  const specChanged = isOther || (await input.needsWork?.(current)) === true;
  const before = pickMetadata(current.metadata);
  const after = pickMetadata({ ...desired, environment: environment.name });
  const metadataChanged = !isEqual(before, after);
  const isGoing = row.deleted_at !== null;
  const tagsChanged = target.kind.labelsAreTags === true && !isGoing && !isEqual(before.labels, after.labels);
  const needsRun = specChanged || tagsChanged;
  if (!specChanged && !metadataChanged) return { body: row.object, version: row.resource_version };
  const projectUid = target.kind.parent === undefined ? (row.parent_uid ?? "") : "";
  const entity: EntityJson = {
    metadata: {
      ...current.metadata,
      ...after,
      generation: (current.metadata.generation ?? 0) + (needsRun ? 1 : 0),
    },
    spec,
    status: { ...current.status, ...rulesOf(kind).renderStatus?.(spec, Object.keys(secrets), projectUid) },
  };
  if (specChanged && isGoing && !isAboutDeletion(kind, current.spec, spec))
    throw new Fault(apiFaults.being_deleted, `${kind} "${row.name}" is being deleted`);
  if (specChanged && !isGoing) {
    const { uid, project } = row;
    const stored = { spec: current.spec, status: current.status, secrets: former };
    await rulesOf(kind).admit?.(deps, call, { uid, project, projectUid, spec, secrets, before: stored });
  }
  // Policies are not evaluated during a deletion, because a policy that was added later must not prevent the deletion.
  const isJudged = !isGoing && (specChanged || !isEqual(judgedPart(before), judgedPart(after)));
  const { told, warnings } = isJudged
    ? await admitEntity(deps, call, target, {
        entity,
        before: current.spec,
        formerLabels: before.labels,
        isApplied: isApplied(current),
        environments: [row.environment, environment.name],
        parent: row.parent_uid === null ? undefined : { uid: row.parent_uid },
      })
    : { told: [], warnings: [] };
  if (input.dryRun) return { body: JSON.stringify(entity), warnings };
  const { provisioned } = target.kind;
  const subject = { ...row, environment: environment.name, generation: entity.metadata.generation ?? 0 };
  const saved = await saveEntity(deps, call, target.method, {
    row,
    entity,
    environmentUid: environment.uid,
    sealed: isEqual(former, secrets) ? row.sealed : sealSecrets(deps.keyRing, row.uid, secrets),
    opened:
      provisioned && needsRun && !isGoing
        ? await openOperation(deps, call, "update", subject, { allow: input.allow })
        : undefined,
    wake: provisioned && (before.environment !== after.environment || before.deletionPolicy !== after.deletionPolicy),
    told,
    ...(listLinks(target.kind).length === 0 ? {} : { links }),
    confirm: specChanged && !isGoing ? confirmed(row, spec) : undefined,
    reason: "Updated",
    message: needsRun ? `${kind} changed to generation ${entity.metadata.generation ?? 0}` : `${kind} metadata changed`,
  });
  return saved === undefined ? undefined : { ...saved, warnings };
}

function confirmed(row: EntityRow, spec: JsonObject): ((database: Database) => Promise<void>) | undefined {
  const { confirm } = rulesOf(row.kind);
  const { uid, name, project, parent_uid: ownerUid } = row;
  return confirm && ((database) => confirm(database, { uid, name, project, ownerUid: ownerUid ?? "", spec, isNew: false }));
}

/** Returns whether the stored spec has been applied in the cloud. */
function isApplied({ metadata, status }: EntityJson): boolean {
  return status["observedGeneration"] === metadata.generation;
}

/** The metadata fields that callers can set. */
type DesiredMetadata = {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  environment: string;
  deletionProtection: boolean;
  deletionPolicy: string;
};

function pickMetadata({
  labels = {},
  annotations = {},
  environment = "",
  deletionProtection = false,
  deletionPolicy = "",
}: Readonly<Partial<DesiredMetadata>>): DesiredMetadata {
  return { labels, annotations, environment, deletionProtection, deletionPolicy };
}

/** Returns the metadata fields that policies can refer to. */
function judgedPart({ labels, annotations, environment }: DesiredMetadata): JsonObject {
  return { labels, annotations, environment };
}

/** Adds the name from the path if the body omits it. */
export function withName(changed: Json, name: string): Json {
  if (!isObject(changed)) return changed;
  const metadata = changed["metadata"] ?? {};
  if (!isObject(metadata) || metadata["name"] !== undefined) return changed;
  return { ...changed, metadata: { ...metadata, name } };
}

function requireSameIdentity(kind: string, changed: Json, desired: DesiredEntity, row: EntityRow): void {
  if (desired.name !== row.name)
    throw invalid(`the ${kind}`, [{ field: "metadata.name", message: `cannot be changed from "${row.name}"` }]);
  const uid = getAt(changed, ["metadata", "uid"]);
  if (typeof uid === "string" && uid !== "" && uid !== row.uid) {
    throw new Fault(storeFaults.stale, `${kind} "${row.name}" does not have the uid ${uid}: it was deleted and created again`);
  }
}

/** Keeps the name in a reference field if the request contains the uid of the same entity, because this does not count as a change. */
function keepReferences({ kind }: Target, row: EntityRow, current: JsonObject, next: JsonObject): JsonObject {
  const kept = { ...next };
  for (const { field, owning } of kind.references) {
    if (kept[field] === (owning ? row.parent_uid : row.subject_uid)) kept[field] = current[field] ?? null;
  }
  return kept;
}

function sameCloud(current: JsonObject): JsonObject {
  const cloud = cloudOf(current);
  return cloud === undefined ? {} : { [cloud]: {} };
}

function requireImmutable(kind: string, current: JsonObject, next: JsonObject): void {
  const fields: FieldViolation[] = (immutablePaths[kind] ?? [])
    .filter((path) => !isEqual(getAt({ spec: current }, path) ?? "", getAt({ spec: next }, path) ?? ""))
    .map((path) => ({ field: path.join("."), message: "cannot be changed after creation" }));
  if (getKind(kind).cloud !== undefined && cloudOf(current) !== cloudOf(next)) {
    fields.push({
      field: "spec",
      message: `must stay on ${cloudOf(current) ?? "its cloud"}: the cloud cannot be changed after creation`,
    });
  }
  if (fields.length > 0) throw invalid(`the ${kind}`, fields);
}

async function resolveEnvironment(
  deps: ApiDeps,
  target: Target,
  row: EntityRow,
  desired: DesiredEntity,
): Promise<{ name: string; uid: string | null }> {
  requireOutside(target.kind, desired.environment);
  if (desired.environment === row.environment) return { name: row.environment, uid: row.environment_uid };
  if (!includes(target.reach, desired.environment)) throw denied(target.method, `in environment "${desired.environment}"`);
  if (desired.environment === "") return { name: "", uid: null };
  const [found] = await findReferences(deps.pool, [{ kind: "Environment", project: row.project, ref: desired.environment }]);
  if (found === undefined) {
    throw invalid(`the ${row.kind}`, [
      { field: "metadata.environment", message: `Environment "${desired.environment}" not found` },
    ]);
  }
  return { name: found.name, uid: found.uid };
}
