import { cloudOf, defaultCloud, findCloudAccount, type CloudName, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findEntity } from "@cloudwright/store";
import { authorise, denied, hide, includes, reachOf, requireCaller, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { getAt } from "../entities/json-tree.ts";
import { requireProject } from "../methods/list-entities.ts";
import { notFound } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";

/** Identifies an account by name or uid. */
export interface AccountRef {
  readonly project: string;
  readonly name: string;
}

export interface SimulatedAccount extends AccountRef {
  readonly uid: string;
  readonly cloud: CloudName;
  /** The cloud's ID for the account, such as a project ID. Undefined if the account does not specify one. */
  readonly cloudAccount: string | undefined;
}

/**
 * Returns the requested simulated account, if the caller may act on it. Throws for real accounts, which simulator methods must never
 * change.
 */
export async function requireSimulated(
  deps: Pick<ApiDeps, "pool">,
  call: Call,
  method: Method,
  { project, name: ref }: AccountRef,
): Promise<SimulatedAccount> {
  const reach = authorise(call, method, project);
  await requireProject(deps, call, { project });
  const row = await findEntity(deps.pool, { kind: "Account", project, namingScope: "", ref });
  if (row === undefined) throw notFound("Account", ref);
  const { uid, name, environment } = row;
  if (!includes(reach, environment)) {
    const sees = reachOf(requireCaller(call), project, "viewer");
    if (sees !== undefined && includes(sees, environment)) throw denied(method, `in environment "${environment}"`);
    throw hide(notFound("Account", ref));
  }
  const { spec } = parseEntity(row.object);
  if (getAt(spec, ["simulated"]) !== true) throw new Fault(apiFaults.not_simulated, `Account "${name}" is not simulated`);
  const cloud = cloudOf(spec) ?? defaultCloud;
  return { project, name, uid, cloud, cloudAccount: findCloudAccount(spec) };
}
