import type { Method } from "@cloudwright/contract";
import { authorise, denied, hide, includes, reachOf, requireCaller, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { requireProject } from "../methods/list-entities.ts";
import { notFound } from "./target.ts";

/** Identifies a record that belongs to an entity in a project, such as a run or a state. */
export interface PlacedRef {
  readonly project: string;
  readonly name: string;
}

/**
 * Returns the requested record. A caller who may see the record but lacks the required role is denied. All other callers get the same fault
 * as for an unknown record.
 */
export async function requirePlaced<Found extends { readonly environment: string }>(
  deps: Pick<ApiDeps, "pool">,
  call: Call,
  method: Method,
  { kind, project, name }: PlacedRef & { readonly kind: string },
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  const reach = authorise(call, method, project);
  await requireProject(deps, call, { project });
  const found = await find();
  if (found === undefined) throw notFound(kind, name);
  if (includes(reach, found.environment)) return found;
  const sees = reachOf(requireCaller(call), project, "viewer");
  if (sees !== undefined && includes(sees, found.environment)) throw denied(method, `in environment "${found.environment}"`);
  throw hide(notFound(kind, name));
}
