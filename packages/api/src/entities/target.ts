import { getKind, isNamedBelow, listOwners, type Kind, type Method } from "@cloudwright/contract";
import { findEntity, findReferences, type EntityRow, type ReferenceRow } from "@cloudwright/store";
import { authorise, denied, hide, includes, reachOf, requireCaller, type Call, type Reach } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { rulesOf } from "../kinds/rules.ts";
import { notFound } from "./not-found.ts";

export { notFound };

/**
 * The target of a method. `namingScope` is the scope in which names are unique, and `reach` is the part of the project that the caller's
 * role covers.
 */
export interface Target {
  readonly method: Method;
  readonly kind: Kind;
  readonly project: string;
  readonly namingScope: string;
  readonly parent: ReferenceRow | undefined;
  readonly reach: Reach;
}

/**
 * Authorises the call and resolves the parent. Kinds whose names are unique only within their parent require `parent`. For other kinds,
 * `parent` filters lists.
 */
export async function resolveTarget(
  deps: Pick<ApiDeps, "pool">,
  call: Call,
  method: Method,
  place: { project: string; parent: string },
): Promise<Target> {
  const kind = getKind(method.kind);
  if (kind.scope === "global" && place.project !== "") {
    throw invalid("the request", [{ field: "project", message: `must be empty: ${kind.collection} do not belong to a project` }]);
  }
  const reach = (rulesOf(kind.kind).authorise ?? authorise)(call, method, place.project);
  const base = { method, kind, project: place.project, reach };
  const namedBelow = isNamedBelow(kind);
  if (place.parent === "") {
    if (namedBelow)
      throw invalid("the request", [{ field: "parent", message: `is required: name the ${kind.parent?.kind ?? "parent"}` }]);
    return { ...base, namingScope: "", parent: undefined };
  }
  const owners = listOwners(kind);
  const [owner] = owners;
  if (owner === undefined)
    throw invalid("the request", [{ field: "parent", message: `must be empty: ${kind.collection} have no parent` }]);
  const wanted = owners.map((alternative) => ({ kind: alternative.kind, project: place.project, ref: place.parent }));
  const parent = (await findReferences(deps.pool, wanted)).find((row) => row !== undefined);
  if (parent === undefined || !includes(reach, parent.environment)) throw notFound(owner.kind, place.parent);
  return { ...base, namingScope: namedBelow ? parent.uid : "", parent };
}

/** Returns the requested entity. A caller who may not see it gets the same fault as for an unknown name. */
export async function requireEntity(deps: Pick<ApiDeps, "pool">, call: Call, target: Target, ref: string): Promise<EntityRow> {
  const row = await findEntityIn(deps, call, target, ref);
  if (row === undefined) throw notFound(target.kind.kind, ref);
  return row;
}

/** Like `requireEntity`, but returns undefined if the entity does not exist. */
export async function findEntityIn(
  deps: Pick<ApiDeps, "pool">,
  call: Call,
  target: Target,
  ref: string,
): Promise<EntityRow | undefined> {
  const { kind, project, namingScope, parent } = target;
  const row = await findEntity(deps.pool, { kind: kind.kind, project, namingScope, ref });
  if (row === undefined || (parent !== undefined && row.parent_uid !== parent.uid)) return undefined;
  requireAccess(call, target, row, ref);
  return row;
}

/**
 * Throws unless the caller may use the method on the entity. The fault for a hidden entity contains only the reference that the caller
 * sent. Returning the name for a uid would reveal that the entity exists.
 */
function requireAccess(call: Call, target: Target, row: EntityRow, ref: string): void {
  const { method, reach, kind } = target;
  const rules = rulesOf(kind.kind);
  if (rules.requireAccess !== undefined) {
    rules.requireAccess(call, method, row, ref);
    return;
  }
  if (includes(reach, rules.environmentOf?.(method, row) ?? row.environment)) return;
  const sees = reachOf(requireCaller(call), row.project, "viewer");
  if (sees !== undefined && includes(sees, row.environment)) throw denied(method, `in environment "${row.environment}"`);
  throw hide(notFound(kind.kind, ref));
}
