import { getKind, type Kind, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findEntity, findReferences, type EntityRow, type ReferenceRow } from "@cloudwright/store";
import {
  authorise,
  capCovers,
  denied,
  hide,
  includes,
  isHiddenDenial,
  reachesPlatform,
  reachOf,
  requireCaller,
  type Call,
  type Cap,
  type Reach,
} from "../calls/caller.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { textAt } from "./json-tree.ts";
import { parseEntity } from "../calls/trace-call.ts";

/** Where an operation acts: the kind, the project, the place that names are unique in, and how far the caller's role reaches. */
export interface Target {
  readonly method: Method;
  readonly kind: Kind;
  readonly project: string;
  readonly namingScope: string;
  readonly parent: ReferenceRow | undefined;
  readonly reach: Reach;
}

/** Authorises the call and resolves its place. Node pools need their cluster; elsewhere `parent` narrows. */
export async function resolveTarget(
  deps: Pick<ApiDeps, "pool">,
  call: Call,
  method: Method,
  place: { project: string; parent: string },
): Promise<Target> {
  const kind = getKind(method.kind);
  if (kind.scope === "global" && place.project !== "") {
    throw invalid("the request", [{ field: "project", message: `${kind.collection} belong to no project` }]);
  }
  // A project's own rights are looked up by its name, once it has been found.
  const reach: Reach = kind.kind === "Project" && !method.platform ? { all: true } : authorise(call, method, place.project);
  if (kind.kind === "Project") requireCaller(call);
  // Who sets an agent's key is given the work of the whole project.
  if (kind.kind === "Agent" && !reach.all && (method.verb === "create" || method.verb === "update"))
    throw denied(method, `in the whole of project "${place.project}"`);
  const base = { method, kind, project: place.project, reach };
  const namedBelow = kind.parent !== undefined && kind.parent.field === undefined;
  if (place.parent === "") {
    if (namedBelow) throw invalid("the request", [{ field: "parent", message: `names the ${kind.parent?.kind ?? "parent"}` }]);
    return { ...base, namingScope: "", parent: undefined };
  }
  if (kind.parent === undefined)
    throw invalid("the request", [{ field: "parent", message: `${kind.collection} have no parent` }]);
  const [parent] = await findReferences(deps.pool, [{ kind: kind.parent.kind, project: place.project, ref: place.parent }]);
  if (parent === undefined || !includes(reach, parent.environment)) throw notFound(kind.parent.kind, place.parent);
  return { ...base, namingScope: namedBelow ? parent.uid : "", parent };
}

/** The entity a call names, if the caller may act on it; else the very fault of an unknown name. */
export async function requireEntity(deps: Pick<ApiDeps, "pool">, call: Call, target: Target, ref: string): Promise<EntityRow> {
  const row = await findEntityIn(deps, call, target, ref);
  if (row === undefined) throw notFound(target.kind.kind, ref);
  return row;
}

/** Like requireEntity, but undefined when there is none. */
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

/** What is hidden is answered by the caller's own words: the name of an entity given by uid would tell that it exists. */
function requireAccess(call: Call, target: Target, row: EntityRow, ref: string): void {
  const { method, reach, kind } = target;
  const caller = requireCaller(call);
  if (kind.kind === "ApiKey") {
    const own = row.parent_uid === caller.userUid && capCovers(caller.cap, capOf(row.object));
    if (!own && !reachesPlatform(caller, "owner")) throw hide(notFound(kind.kind, ref));
    return;
  }
  if (kind.kind === "Project") {
    authoriseProject(call, method, row.name, ref);
    return;
  }
  // Who works in one environment may look at it, too.
  const place = kind.kind === "Environment" && method.role === "viewer" ? row.name : row.environment;
  if (includes(reach, place)) return;
  const sees = reachOf(caller, row.project, "viewer");
  if (sees !== undefined && includes(sees, row.environment)) throw denied(method, `in environment "${row.environment}"`);
  throw hide(notFound(kind.kind, ref));
}

function authoriseProject(call: Call, method: Method, name: string, ref: string): void {
  if (method.platform) return;
  try {
    const reach = authorise(call, method, name);
    // Whoever sees one environment knows the project; to change it one environment is not enough.
    if (!reach.all && method.role !== "viewer") throw denied(method, `in the whole of project "${name}"`);
  } catch (error) {
    if (error instanceof Fault && isHiddenDenial(error)) throw hide(notFound("Project", ref));
    throw error;
  }
}

/** The limits that an API key's own spec sets. */
function capOf(object: string): Cap {
  const { spec } = parseEntity(object);
  return { project: textAt(spec, "project"), role: textAt(spec, "role") as Cap["role"] };
}

/** The fault for an entity that does not exist or that the caller may not know of. */
export function notFound(kind: string, ref: string): Fault {
  return new Fault(apiFaults.not_found, `${kind} "${ref}" not found`);
}
