import type { EntityJson, JsonObject } from "@cloudwright/contract";
import { createUid } from "@cloudwright/platform";
import type { EntityInsert, Link, ReferenceRow } from "@cloudwright/store";
import { denied, includes, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { rulesOf } from "../kinds/rules.ts";
import { requireGuarded, type Candidate } from "./admit-entity.ts";
import { firstStatus, type DesiredEntity } from "./entity-json.ts";
import { getAt } from "./json-tree.ts";
import { checkAgainstOwner, normaliseSpec } from "./normalise.ts";
import type { CreationInput } from "./read-creation.ts";
import { resolveReferences, type References } from "./references.ts";
import { extractSecrets, sealSecrets } from "./secrets.ts";
import { resolveBackend } from "./state-backend.ts";
import type { Target } from "./target.ts";

/** A new entity and its derived columns, ready to be written. */
export interface Draft {
  readonly entity: EntityJson;
  readonly columns: Omit<EntityInsert, "resourceVersion" | "object" | "apiKey" | "idempotency">;
  readonly links: readonly Link[];
  /** True if the platform chose a part of the spec that another entity could claim at the same time. */
  readonly isPlaced: boolean;
}

/** Drafts a new entity and checks it against the entities it references. Also returns the input for policy checks. */
export async function draftCreation(
  deps: ApiDeps,
  call: Call,
  target: Target,
  desired: DesiredEntity,
  { entity }: Pick<CreationInput, "entity">,
): Promise<{ readonly draft: Draft; readonly candidate: Candidate }> {
  const completed = await rulesOf(target.kind.kind).resolve?.(deps, target, desired.spec);
  const references = await resolveReferences(deps, call, target, { ...desired, spec: completed ?? desired.spec });
  // An omitted environment is inherited from the owner. An empty one means no environment.
  const inherits = getAt(entity, ["metadata", "environment"]) !== "";
  const environment = chooseEnvironment(target, references, inherits);
  const draft = await draftEntity(deps, call, target, desired, references, environment);
  const environments = [environment.name];
  return { draft, candidate: { entity: draft.entity, before: {}, environments, parent: references.parent } };
}

interface ChosenEnvironment {
  readonly name: string;
  readonly uid: string | null;
}

function chooseEnvironment(target: Target, { parent, environment }: References, inherits: boolean): ChosenEnvironment {
  const inherited: ReferenceRow | undefined = inherits ? parent : undefined;
  const name = environment?.name ?? inherited?.environment ?? "";
  if (!includes(target.reach, name))
    throw denied(target.method, name === "" ? `in the entire project "${target.project}"` : `in environment "${name}"`);
  return { name, uid: environment?.uid ?? inherited?.environment_uid ?? null };
}

async function draftEntity(
  deps: ApiDeps,
  call: Call,
  target: Target,
  desired: DesiredEntity,
  references: References,
  environment: ChosenEnvironment,
): Promise<Draft> {
  const { kind, project } = target;
  const { parent, owner, subject, links } = references;
  const rules = rulesOf(kind.kind);
  const extracted = extractSecrets(kind.kind, { spec: references.spec }, {});
  const given = { spec: extracted.entity["spec"] as JsonObject, secrets: extracted.secrets };
  const { spec: completed, secrets } = rules.complete?.(given.spec, given.secrets) ?? given;
  const nowMs = deps.clock.now();
  const uid = createUid(nowMs);
  const normalised = normaliseSpec(kind, completed, owner?.spec);
  // This check comes before the backend is resolved, because callers who may not choose a backend must not learn which ones their project
  // may use.
  requireGuarded(call, target, { entity: { spec: normalised }, before: {}, environments: [environment.name] });
  const chosen = await resolveBackend(deps, { project, kind: kind.kind, uid }, normalised);
  const fields = owner === undefined ? [] : checkAgainstOwner(kind, chosen, owner);
  if (fields.length > 0) throw invalid(`the ${kind.kind}`, fields);
  const placed = await rules.place?.(deps, { project, ownerUid: parent?.uid ?? "", spec: chosen });
  const spec = placed ?? chosen;
  rules.requireCreation?.(call, target.method, spec);
  const projectUid = owner === undefined ? (parent?.uid ?? "") : "";
  await rules.admit?.(deps, call, { uid, project, projectUid, spec, secrets, before: undefined });
  const at = new Date(nowMs).toISOString();
  const entity: EntityJson = {
    metadata: {
      project,
      name: desired.name,
      uid,
      labels: desired.labels,
      annotations: desired.annotations,
      generation: 1,
      resourceVersion: "",
      createdAt: at,
      updatedAt: at,
      environment: environment.name,
      paused: false,
      deletionProtection: desired.deletionProtection,
      deletionPolicy: desired.deletionPolicy,
      operation: "",
      parent: owner?.name ?? "",
    },
    spec,
    status: { ...firstStatus(kind), ...rules.renderStatus?.(spec, Object.keys(secrets), projectUid) },
  };
  const columns = {
    uid,
    kind: kind.kind,
    project,
    namingScope: target.namingScope,
    name: desired.name,
    parentUid: parent?.uid ?? null,
    subjectUid: subject?.uid ?? null,
    environmentUid: environment.uid,
    environment: environment.name,
    labels: desired.labels,
    at,
    sealed: sealSecrets(deps.keyRing, uid, secrets),
  };
  return { entity, columns, links, isPlaced: placed !== undefined };
}
