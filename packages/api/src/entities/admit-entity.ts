import { cloudOf, getKind, guardedPaths, type EntityJson, type JsonObject } from "@cloudwright/contract";
import { Fault, type FieldViolation } from "@cloudwright/platform";
import type { LineageRow } from "@cloudwright/store";
import { includes, reachOf, requireCaller, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import { sharedReads } from "../calls/shared-reads.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { noExtras } from "./catalogue-extras.ts";
import { findRefused, findUnknown, findVersionWarnings } from "./find-unknown.ts";
import { getAt, isEqual, isObject } from "./json-tree.ts";
import type { JudgedEntity, JudgedFinding } from "./judge.ts";
import { placeEntity } from "./place-entity.ts";
import { requirePassable } from "./require-passable.ts";
import type { Target } from "./target.ts";
import type { Told } from "../calls/trace-call.ts";

/** An entity that is about to be written. */
export interface Candidate {
  readonly entity: Pick<EntityJson, "metadata" | "spec">;
  /** The current spec. Empty for a new entity. */
  readonly before: JsonObject;
  /** The current labels. Undefined for a new entity. */
  readonly formerLabels?: JsonObject;
  /** True if the current spec has been applied in the cloud. */
  readonly isApplied?: boolean;
  /** The entity's environments before and after the write. They are equal unless the entity moves. */
  readonly environments: readonly string[];
  readonly parent: { readonly uid: string; readonly object?: string } | undefined;
}

type Place = Pick<Target, "kind" | "project">;

/** The result of admission for an entity that may be written. */
export interface Admission {
  /** Events for policy warnings. */
  readonly told: readonly Told[];
  /** Warnings for the caller from policies and from the cloud's catalogue, one line each. */
  readonly warnings: readonly string[];
}

/**
 * Throws unless the entity may be written. Checks the roles that guarded fields require, the cloud identities, the overrides, the cloud's
 * catalogue and the active policies. Returns policy warnings.
 */
export async function admitEntity(deps: ApiDeps, call: Call, target: Place, candidate: Candidate): Promise<Admission> {
  const kind = target.kind.kind;
  requireGuarded(call, target, candidate);
  const placed = placeEntity(kind, candidate.entity, await findAbove(deps, target, candidate));
  requirePassable(call, target.project, placed, candidate);
  const violations = [...findUnknown(placed, candidate.before, deps.catalogue ?? noExtras), ...findRefused(placed, candidate)];
  if (violations.length > 0) throw invalid(`the ${kind}`, violations);
  const findings = judgePlaced(deps, placed, candidate);
  const denials = findings.filter(({ severity }) => severity === "must");
  if (denials.length > 0) throw deniedByPolicy(kind, denials);
  const notes = findVersionWarnings(placed, candidate.before);
  if (findings.length === 0) return { told: [], warnings: notes };
  return {
    told: [{ type: "Warning", reason: "PolicyWarned", message: describeFindings(findings) }],
    warnings: [...notes, ...findings.filter(({ severity }) => severity === "should").map(describeWarning)],
  };
}

function judgePlaced(deps: ApiDeps, placed: JudgedEntity, { before }: Candidate): readonly JudgedFinding[] {
  requireOverrides(deps, placed, before);
  return deps.judge.entity(placed);
}

function describeWarning({ path, message, rule, fix }: JudgedFinding): string {
  return `${path === "" ? "" : `${path}: `}${message} (${rule})${fix === "" ? "" : `. ${fix}`}`;
}

/**
 * Runs the same checks as `admitEntity`, but returns all findings instead of throwing on denials. Skips the catalogue check, because the
 * preflight checks query the cloud itself.
 */
export async function judgeEntity(
  deps: ApiDeps,
  call: Call,
  target: Place,
  candidate: Candidate,
): Promise<readonly JudgedFinding[]> {
  requireGuarded(call, target, candidate);
  const placed = placeEntity(target.kind.kind, candidate.entity, await findAbove(deps, target, candidate));
  requirePassable(call, target.project, placed, candidate);
  const refused = findRefused(placed, candidate).map(({ field, message }): JudgedFinding => ({
    rule: "",
    severity: "must",
    message,
    path: field,
    fix: "",
  }));
  return [...refused, ...judgePlaced(deps, placed, candidate)];
}

async function findAbove(
  { pool }: ApiDeps,
  { kind }: Place,
  { parent }: Candidate,
): Promise<readonly Pick<LineageRow, "kind" | "object">[]> {
  if (parent === undefined || kind.parent === undefined) return [];
  const isTop = getKind(kind.parent.kind).parent === undefined;
  return isTop && parent.object !== undefined
    ? [{ kind: kind.parent.kind, object: parent.object }]
    : sharedReads(pool).findLineage(parent.uid);
}

/**
 * Throws if the caller sets or changes a field without the role that the field requires. Moving an entity requires the role in both
 * environments. Otherwise, an admin of one environment could set guarded fields there and then move the entity to another one.
 */
export function requireGuarded(
  call: Call,
  { kind, project }: Place,
  { entity, before, environments }: Pick<Candidate, "before" | "environments"> & { readonly entity: Pick<EntityJson, "spec"> },
): void {
  const isMoved = new Set(environments).size > 1;
  const changed = (guardedPaths[kind.kind] ?? []).filter(({ path }) => {
    const [old, next] = [valueAt({ spec: before }, path), valueAt({ spec: entity.spec }, path)];
    return isMoved ? old !== undefined || next !== undefined : !isEqual(old, next);
  });
  const missing = changed.filter(({ role }) => {
    const reach = reachOf(requireCaller(call), project, role);
    return reach === undefined || environments.some((environment) => !includes(reach, environment));
  });
  const [first] = missing;
  if (first === undefined) return;
  const fields = missing.map(({ path, role }) => ({ field: path.join("."), message: `requires the ${role} role` }));
  throw new Fault(apiFaults.denied, `setting or changing ${first.path.join(".")} requires the ${first.role} role`, { fields });
}

/** Returns the value at a path. Empty values are treated as unset. */
function valueAt(json: JsonObject, path: readonly string[]): JsonObject[string] | undefined {
  const value = getAt(json, path);
  const isEmpty = value === "" || value === null;
  const hasNothing = (Array.isArray(value) || isObject(value)) && Object.keys(value).length === 0;
  return isEmpty || hasNothing ? undefined : value;
}

const overridesPath = ["infra", "overrides"];

function requireOverrides({ checkOverrides }: ApiDeps, { kind, spec, account }: JudgedEntity, before: JsonObject): void {
  const overrides = getAt(spec, overridesPath);
  if (!isObject(overrides) || isEqual(overrides, getAt(before, overridesPath))) return;
  const cloud = cloudOf(account?.spec ?? spec) ?? "";
  const fields = checkOverrides({ kind, cloud }, overrides).map(({ path, message }): FieldViolation => {
    const below = path === "" || path.startsWith("[") ? path : `.${path}`;
    return { field: `spec.infra.overrides${below}`, message };
  });
  if (fields.length > 0) throw invalid(`the ${kind}`, fields);
}

function deniedByPolicy(kind: string, denials: readonly JudgedFinding[]): Fault {
  const fields = denials.map(({ path, rule, message, fix }) => ({
    field: path,
    message: `${message} (${rule})${fix === "" ? "" : `. ${fix}`}`,
  }));
  return new Fault(apiFaults.denied_by_policy, `the ${kind} is denied by policy: ${describeFindings(denials)}`, { fields });
}

const mostDescribed = 5;

function describeFindings(findings: readonly JudgedFinding[]): string {
  const words = findings
    .slice(0, mostDescribed)
    .map(({ path, message, rule }) => `${path === "" ? "" : `${path}: `}${message} (${rule})`);
  const rest = findings.length - words.length;
  return [...words, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}
