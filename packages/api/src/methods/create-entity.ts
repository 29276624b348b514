import { createHash } from "node:crypto";
import { cloudOf, getEntitySchema, type EntityJson, type Json, type JsonObject, type Method } from "@cloudwright/contract";
import { createUid, Fault, isUid } from "@cloudwright/platform";
import {
  findEntity,
  findIdempotent,
  insertEntity,
  isViolation,
  retryCollisions,
  storeFaults,
  type EntityInsert,
} from "@cloudwright/store";
import { admitEntity, type Candidate } from "../entities/admit-entity.ts";
import { followedBy, type Answer } from "../calls/answer.ts";
import { capCovers, denied, includes, requireCaller, type Call, type Cap } from "../calls/caller.ts";
import { decode, invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { firstStatus, readWish, type Wish } from "../entities/entity-json.ts";
import { createApiKey } from "../identity/api-keys.ts";
import { getAt, textAt } from "../entities/json-tree.ts";
import { checkAgainstParent, normaliseSpec } from "../entities/normalise.ts";
import { openOperation } from "../operations/open-operation.ts";
import { resolveReferences, type References } from "../entities/references.ts";
import { extractSecrets, sealSecrets } from "../entities/secrets.ts";
import { requireEntity, resolveTarget, type Target } from "../entities/target.ts";
import { parseEntity, traceCall } from "../calls/trace-call.ts";

export interface CreateInput {
  readonly project: string;
  readonly parent: string;
  /** The entity as the caller sent it. */
  readonly entity: Json;
  readonly dryRun: boolean;
  readonly idempotencyKey: string | undefined;
}

/** Creates an entity: checked, authorised, then one statement that writes it with its change, event and audit record. */
export async function createEntity(deps: ApiDeps, call: Call, method: Method, input: CreateInput): Promise<Answer> {
  const { target, wish } = await readCreation(deps, call, method, input);
  const kind = target.kind.kind;
  const idempotency = input.idempotencyKey === undefined ? undefined : hashIdempotency(call, method, input, input.idempotencyKey);
  if (idempotency !== undefined && !input.dryRun) {
    const replayed = await findReplay(deps, call, target, idempotency);
    if (replayed !== undefined) return replayed;
  }
  const { draft, candidate } = await draftCreation(deps, call, target, wish, input);
  const told = await admitEntity(deps, call, target, candidate);
  if (input.dryRun) return dryRun(deps, target, draft);
  const version = await deps.versions.next();
  draft.entity.metadata.resourceVersion = version;
  const opened = target.kind.provisioned
    ? await openOperation(deps, call, "create", { ...draft.columns, generation: 1 })
    : undefined;
  draft.entity.metadata.operation = opened?.insert.name ?? "";
  const key = kind === "ApiKey" ? createApiKey() : undefined;
  if (key !== undefined) draft.entity.status["prefix"] = key.prefix;
  const object = JSON.stringify(draft.entity);
  const insert: EntityInsert = {
    ...draft.columns,
    resourceVersion: version,
    object,
    ...(key === undefined ? {} : { apiKey: { hash: key.hash, prefix: key.prefix, ...keyLimits(draft.entity.spec) } }),
    ...(idempotency === undefined ? {} : { idempotency }),
  };
  const row = { ...draft.columns, parent_uid: insert.parentUid };
  const message = `${kind} created`;
  const deed = { type: "ADDED", reason: "Created", message, told, row, oldLabels: null, version, object } as const;
  const trace = await traceCall(deps, call, method, opened === undefined ? [deed] : [deed, opened.deed]);
  try {
    const work = opened && { operations: [opened.insert], wakes: [insert.uid] };
    // A cascade that takes the parent and the project in another order may get into its way.
    await retryCollisions(() => insertEntity(deps.pool, insert, trace, work));
  } catch (error) {
    const replayed = idempotency !== undefined && isRepeat(error) ? await findReplay(deps, call, target, idempotency) : undefined;
    if (replayed !== undefined) return replayed;
    throw error;
  }
  deps.feed.poke();
  if (opened !== undefined) deps.wakes.notify();
  const body = key === undefined ? object : withKey(draft.entity, key.key.reveal());
  return { body, created: true, version, name: wish.name, ...followedBy(draft.entity) };
}

/** Where a creation goes and what it wishes for: authorised, and checked as far as it needs nothing else. */
export async function readCreation(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: Pick<CreateInput, "project" | "parent" | "entity">,
): Promise<{ readonly target: Target; readonly wish: Wish }> {
  const target = await resolveTarget(deps, call, method, input);
  const kind = target.kind.kind;
  const wish = readWish(kind, decode(getEntitySchema(kind), input.entity, `the ${kind}`));
  requireOwnPlace(kind, input);
  return { target, wish };
}

/** What a creation would write, checked against what it names, and what policies are asked about. */
export async function draftCreation(
  deps: ApiDeps,
  call: Call,
  target: Target,
  wish: Wish,
  { entity }: Pick<CreateInput, "entity">,
): Promise<{ readonly draft: Draft; readonly candidate: Candidate }> {
  const references = await resolveReferences(deps, call, target, wish);
  // An environment that is not mentioned is the parent's; one that is said to be none is none.
  const inherits = getAt(entity, ["metadata", "environment"]) !== "";
  const draft = draftEntity(deps, call, target, wish, references, inherits);
  const environments = [draft.columns.environment];
  return { draft, candidate: { entity: draft.entity, before: {}, environments, parent: references.parent } };
}

interface Draft {
  readonly entity: EntityJson;
  readonly columns: Omit<EntityInsert, "resourceVersion" | "object" | "apiKey" | "idempotency">;
}

function draftEntity(deps: ApiDeps, call: Call, target: Target, wish: Wish, references: References, inherits: boolean): Draft {
  const { kind, project } = target;
  const { parent, environment, subject } = references;
  const inherited = inherits ? parent : undefined;
  const environmentName = environment?.name ?? inherited?.environment ?? "";
  if (!includes(target.reach, environmentName)) {
    throw denied(
      target.method,
      environmentName === "" ? `in the whole of project "${project}"` : `in environment "${environmentName}"`,
    );
  }
  const { entity: stripped, secrets } = extractSecrets(kind.kind, { spec: wish.spec }, {});
  const spec = normaliseSpec(kind.kind, { ...(stripped["spec"] as JsonObject), ...references.names }, references.parentSpec);
  if (parent !== undefined && references.parentSpec !== undefined) {
    const fields = checkAgainstParent(kind.kind, spec, {
      kind: kind.parent?.kind ?? "",
      name: parent.name,
      spec: references.parentSpec,
    });
    if (fields.length > 0) throw invalid(`the ${kind.kind}`, fields);
  }
  if (kind.kind === "ApiKey") requireNarrowerKey(call, target.method, spec);
  const nowMs = deps.clock.now();
  const at = new Date(nowMs).toISOString();
  const uid = createUid(nowMs);
  const status = { ...firstStatus(kind), ...accountStatus(kind.kind, spec, Object.keys(secrets)) };
  const entity: EntityJson = {
    metadata: {
      project,
      name: wish.name,
      uid,
      labels: wish.labels,
      annotations: wish.annotations,
      generation: 1,
      resourceVersion: "",
      createdAt: at,
      updatedAt: at,
      environment: environmentName,
      paused: false,
      deletionProtection: wish.deletionProtection,
      deletionPolicy: wish.deletionPolicy,
      operation: "",
      parent: kind.parent === undefined ? "" : (parent?.name ?? ""),
    },
    spec,
    status,
  };
  const columns = {
    uid,
    kind: kind.kind,
    project,
    namingScope: target.namingScope,
    name: wish.name,
    parentUid: parent?.uid ?? null,
    subjectUid: kind.kind === "ApiKey" ? null : (subject?.uid ?? null),
    environmentUid: environment?.uid ?? inherited?.environment_uid ?? null,
    environment: environmentName,
    labels: wish.labels,
    at,
    sealed: sealSecrets(deps.keyRing, uid, secrets),
  };
  return { entity, columns };
}

/** What an account's status says of its secrets and its cloud. */
export function accountStatus(kind: string, spec: JsonObject, secretsSet: string[]): JsonObject {
  return kind === "Account" ? { secretsSet, cloud: cloudOf(spec) ?? "" } : {};
}

function requireNarrowerKey(call: Call, method: Method, spec: JsonObject): void {
  const { cap: outer, credential, keyExpiresAtMs } = requireCaller(call);
  // Five minutes must not become for ever.
  if (credential === "token" || credential === "agent")
    throw denied(method, "by an API key or a session; a token cannot make keys");
  const expiresAt = textAt(spec, "expiresAt");
  if (keyExpiresAtMs !== undefined && (expiresAt === "" || Date.parse(expiresAt) > keyExpiresAtMs)) {
    const latest = new Date(keyExpiresAtMs).toISOString();
    throw invalid("the ApiKey", [
      { field: "spec.expiresAt", message: `must be at most ${latest}, when the key it is made with expires` },
    ]);
  }
  const cap: Cap = { project: textAt(spec, "project"), role: textAt(spec, "role") as Cap["role"] };
  if (!capCovers(outer, cap)) {
    throw invalid("the ApiKey", [
      { field: "spec", message: "reaches further than the key it is made with; set project and role as narrow or narrower" },
    ]);
  }
}

function keyLimits(spec: JsonObject): { project: string; role: string; expiresAt: string | null } {
  return { project: textAt(spec, "project"), role: textAt(spec, "role"), expiresAt: textAt(spec, "expiresAt") || null };
}

async function dryRun(deps: ApiDeps, target: Target, draft: Draft): Promise<Answer> {
  const { kind, project, namingScope } = target;
  const taken = await findEntity(deps.pool, { kind: kind.kind, project, namingScope, ref: draft.columns.name });
  if (taken !== undefined) throw new Fault(storeFaults.exists, `${kind.kind} "${draft.columns.name}" exists already`);
  return { body: JSON.stringify(draft.entity) };
}

function withKey(entity: EntityJson, key: string): string {
  return JSON.stringify({ ...entity, status: { ...entity.status, key } });
}

function hashIdempotency(call: Call, method: Method, input: CreateInput, key: string): { hash: Buffer; requestHash: Buffer } {
  const place = [call.caller?.userUid ?? "", method.id, input.project, input.parent, key];
  return { hash: sha256(JSON.stringify(place)), requestHash: sha256(JSON.stringify(input.entity)) };
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** A name that looks like a uid could not be told from one, and an entity cannot be sent to another project than the path's. */
function requireOwnPlace(kind: string, { entity, project }: Pick<CreateInput, "entity" | "project">): void {
  if (isUid(textAt(entity, "metadata", "name"))) {
    throw invalid(`the ${kind}`, [{ field: "metadata.name", message: "looks like a uid; choose another" }]);
  }
  if (kind === "Environment" && textAt(entity, "metadata", "environment") !== "") {
    throw invalid("the Environment", [{ field: "metadata.environment", message: "environments do not belong to one another" }]);
  }
  const named = textAt(entity, "metadata", "project");
  if (named !== "" && named !== project) {
    throw invalid(`the ${kind}`, [{ field: "metadata.project", message: `is "${named}", but the request is for "${project}"` }]);
  }
}

/** What this key made before, if the caller may still see it. */
async function findReplay(
  deps: ApiDeps,
  call: Call,
  target: Target,
  idempotency: { hash: Buffer; requestHash: Buffer },
): Promise<Answer | undefined> {
  const found = await findIdempotent(deps.pool, idempotency.hash);
  if (found === undefined) return undefined;
  if (!found.request_hash.equals(idempotency.requestHash)) {
    throw new Fault(storeFaults.key_reused, "this Idempotency-Key was used before with another request");
  }
  const entity = parseEntity(found.object);
  const { metadata } = entity;
  await requireEntity(deps, call, target, metadata.uid ?? "");
  if (target.kind.kind === "ApiKey") {
    throw new Fault(
      storeFaults.exists,
      `ApiKey "${metadata.name ?? ""}" was made by this request before; rotate it to get a key`,
    );
  }
  const { resourceVersion = "", name = "" } = metadata;
  return { body: found.object, created: true, version: resourceVersion, name, ...followedBy(entity) };
}

/** A concurrent equal request was first: by its key, or by the name it took. */
function isRepeat(error: unknown): boolean {
  return isViolation(error, "23505", "idempotency_pkey") || (error instanceof Fault && error.code === storeFaults.exists.code);
}
