import type { Operation } from "@cloudwright/contract";
import { isUid } from "@cloudwright/platform";
import { findState, findStateVersion, type StateContentRow, type StateRow } from "@cloudwright/store";
import { authorise, denied, hide, includes, reachOf, requireCaller, type Call } from "../caller.ts";
import type { ApiDeps } from "../deps.ts";
import { requireProject } from "../operations/list-entities.ts";
import { notFound } from "../target.ts";

/** Which state: by the uid of its entity. */
export interface StateRef {
  readonly project: string;
  readonly name: string;
}

/** The state that a call names, if the caller may act on it; else the very fault of an unknown one. */
export async function requireState(
  deps: Pick<ApiDeps, "pool">,
  call: Call,
  operation: Operation,
  { project, name }: StateRef,
): Promise<StateRow> {
  const reach = authorise(call, operation, project);
  await requireProject(deps, call, { project });
  const state = isUid(name) ? await findState(deps.pool, project, name) : undefined;
  if (state === undefined) throw notFound("State", name);
  if (includes(reach, state.environment)) return state;
  const sees = reachOf(requireCaller(call), project, "viewer");
  if (sees !== undefined && includes(sees, state.environment)) throw denied(operation, `in environment "${state.environment}"`);
  throw hide(notFound("State", name));
}

/** A version of a state with its content; 0 is the newest. */
export async function requireVersion(
  deps: Pick<ApiDeps, "pool">,
  { entityUid, newest }: StateRow,
  version: number,
): Promise<StateContentRow> {
  const wanted = version || (newest?.version ?? 0);
  const found = await findStateVersion(deps.pool, entityUid, wanted);
  if (found === undefined) throw notFound("StateVersion", String(wanted));
  return found;
}
