import {
  getKind,
  listLinks,
  listNames,
  namedInPath,
  replaceNames,
  type JsonObject,
  type Kind,
  type KindReference,
} from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import type { Link, Reference, ReferenceRow } from "@cloudwright/store";
import { includes, reachesPlatform, requireCaller, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import { sharedReads } from "../calls/shared-reads.ts";
import type { ApiDeps } from "../deps.ts";
import type { NamedSpec } from "../kinds/kind-rules.ts";
import type { DesiredEntity } from "./entity-json.ts";
import { notFound } from "./not-found.ts";
import { parsePart } from "./place-entity.ts";
import type { Target } from "./target.ts";

/** The resolved references of a new entity. */
export interface References {
  /** The owner, or the project if the kind has no owner. */
  readonly parent: ReferenceRow | undefined;
  /** The owner with its spec. Undefined for kinds without an owner. */
  readonly owner: NamedSpec | undefined;
  readonly environment: ReferenceRow | undefined;
  /** An entity other than the owner whose deletion also deletes this entity. */
  readonly subject: ReferenceRow | undefined;
  readonly links: readonly Link[];
  /** The spec after replacing uids in reference fields with names. */
  readonly spec: JsonObject;
}

/**
 * Resolves all references of a new entity in one database statement. The thrown fault lists the field of each reference that was not found.
 */
export async function resolveReferences(
  deps: Pick<ApiDeps, "pool">,
  call: Call,
  target: Target,
  desired: DesiredEntity,
): Promise<References> {
  const found = await findWanted(deps, call, target, listWanted(call, target, desired));
  const find = (role: Wanted["role"]): FoundReference | undefined => found.find((one) => one.wanted.role === role);
  const owner = find("owner");
  const row = owner?.row ?? target.parent;
  const ownerKind = owner?.wanted.reference.kind ?? target.kind.parent?.kind ?? "";
  return {
    parent: row ?? find("project")?.row,
    owner:
      row === undefined || target.kind.parent === undefined
        ? undefined
        : { kind: ownerKind, name: row.name, spec: parsePart({ kind: ownerKind, object: row.object }).spec },
    environment: find("environment")?.row,
    subject: find("subject")?.row,
    links: renderLinks(found),
    spec: nameReferences(desired.spec, found),
  };
}

/** Resolves the links of a changed spec. Skips the query if the kind has no links. */
export async function resolveLinks(
  deps: Pick<ApiDeps, "pool">,
  call: Call,
  target: Target,
  spec: JsonObject,
): Promise<{ readonly spec: JsonObject; readonly links: readonly Link[] }> {
  const wanted = listLinks(target.kind).flatMap((declared) => listWantedAt(declared, target.project, spec, "link"));
  const found = await findWanted(deps, call, target, wanted);
  return { spec: nameReferences(spec, found), links: renderLinks(found) };
}

interface Wanted {
  readonly role: "owner" | "project" | "subject" | "environment" | "link";
  readonly reference: Reference;
  readonly field: string;
  /** The reference that the kind declares. Absent for the project and the environment. */
  readonly declared?: KindReference;
}

interface FoundReference {
  readonly wanted: Wanted;
  readonly row: ReferenceRow;
}

async function findWanted(
  { pool }: Pick<ApiDeps, "pool">,
  call: Call,
  target: Target,
  wanted: readonly Wanted[],
): Promise<FoundReference[]> {
  const references = wanted.map(({ reference }) => reference);
  const rows = await sharedReads(pool).findReferences(references);
  const found: FoundReference[] = [];
  const fields: FieldViolation[] = [];
  for (const [index, one] of wanted.entries()) {
    const row = rows[index];
    if (row !== undefined && !isHidden(call, target, one, row)) found.push({ wanted: one, row });
    else if (one.role === "project") throw notFound(one.reference.kind, one.reference.ref);
    else fields.push({ field: one.field, message: `${one.reference.kind} "${one.reference.ref}" not found` });
  }
  if (fields.length > 0) throw invalid(`the ${target.kind.kind}`, fields);
  return found;
}

/** Returns whether a referenced entity is hidden from the caller. Hidden entities are reported as not found. */
function isHidden(call: Call, target: Target, { role, reference, declared }: Wanted, row: ReferenceRow): boolean {
  if (role === "environment" || role === "subject") return false;
  // A URL must contain the project's name. An entity stored under the project's uid would not belong to the project.
  if (role === "project") return row.name !== reference.ref;
  const caller = requireCaller(call);
  // Only platform owners can create keys for other users, and only they may learn which users exist.
  if (declared?.defaultsToCaller === true) return row.uid !== caller.userUid && !reachesPlatform(caller, "owner");
  return !includes(target.reach, row.environment);
}

function listWanted(call: Call, { kind, project }: Target, desired: DesiredEntity): Wanted[] {
  const declared = kind.references.filter(({ field }) => field !== namedInPath);
  const wanted = declared.flatMap((reference) => {
    const role = reference.owning ? "owner" : reference.onDelete === "cascade" ? "subject" : "link";
    const named = listWantedAt(reference, project, desired.spec, role);
    if (named.length > 0 || reference.defaultsToCaller !== true) return named;
    return [renderWanted(reference, project, requireCaller(call).user, role)];
  });
  requireOneOwner(kind, wanted);
  if (kind.scope === "project" && !kind.references.some(({ owning }) => owning))
    wanted.push({ role: "project", reference: { kind: "Project", project: "", ref: project }, field: "project" });
  if (desired.environment === "") return wanted;
  const environment = { kind: "Environment", project, ref: desired.environment };
  return [...wanted, { role: "environment", reference: environment, field: "metadata.environment" }];
}

/** A kind's owning references are alternatives: an entity has exactly one owner. */
function requireOneOwner({ kind, references }: Kind, wanted: readonly Wanted[]): void {
  const owners = references.filter(({ owning, field }) => owning && field !== namedInPath);
  const count = wanted.filter(({ role }) => role === "owner").length;
  if (owners.length === 0 || count === 1) return;
  const fields = owners.map(({ field }) => `spec.${field}`);
  const message = fields.length === 1 ? "is required" : `is missing or ambiguous: set exactly one of ${fields.join(", ")}`;
  throw invalid(`the ${kind}`, [{ field: fields[0] ?? "spec", message }]);
}

function listWantedAt(declared: KindReference, project: string, spec: JsonObject, role: Wanted["role"]): Wanted[] {
  return listNames(spec, declared).map((ref) => renderWanted(declared, project, ref, role));
}

function renderWanted(declared: KindReference, project: string, ref: string, role: Wanted["role"]): Wanted {
  const place = getKind(declared.kind).scope === "global" ? "" : project;
  return { role, reference: { kind: declared.kind, project: place, ref }, field: `spec.${declared.field}`, declared };
}

function renderLinks(found: readonly FoundReference[]): Link[] {
  const links = found.filter(({ wanted }) => wanted.role === "link");
  return links.map(({ wanted, row }) => ({ field: wanted.declared?.field ?? "", uid: row.uid }));
}

/** Replaces uids with names, and fills in the caller's name in fields that default to the caller. */
function nameReferences(spec: JsonObject, found: readonly FoundReference[]): JsonObject {
  let named = spec;
  for (const { wanted, row } of found) {
    const { declared, reference } = wanted;
    if (declared === undefined) continue;
    if (declared.defaultsToCaller === true) named = { ...named, [declared.field]: row.name };
    else named = replaceNames(named, declared, (name) => (name === reference.ref ? row.name : name));
  }
  return named;
}
