import { Fault } from "@cloudwright/platform";
import { insertAudit } from "@cloudwright/store";
import { methods, type Method } from "@cloudwright/contract";
import type { Answer } from "../calls/answer.ts";
import { authorise, reachesPlatform, reachOf, requireCaller, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { consoleAudience } from "../identity/token-claims.ts";
import { auditOf } from "../calls/trace-call.ts";
import { requireProject } from "./list-entities.ts";

export async function whoAmI(_deps: ApiDeps, call: Call): Promise<Answer> {
  const { user, credential, grants } = requireCaller(call);
  return { body: JSON.stringify({ user, credential, grants }) };
}

/** Lists all methods and whether the caller may use each of them in this project. */
export async function listPermissions(deps: ApiDeps, call: Call, method: Method, input: { project: string }): Promise<Answer> {
  authorise(call, method, input.project);
  await requireProject(deps, call, input);
  const items = methods.map((candidate) => ({
    operation: candidate.id,
    kind: candidate.kind,
    verb: candidate.verb,
    ...permissionOf(call, candidate, input.project),
  }));
  return { body: JSON.stringify({ project: input.project, items }) };
}

function permissionOf(call: Call, method: Method, project: string): { allowed: boolean; environments: readonly string[] } {
  const caller = requireCaller(call);
  if (method.role === "public" || method.role === "authenticated") return { allowed: true, environments: [] };
  if (method.role === "agent") return { allowed: caller.agent !== undefined, environments: [] };
  if (method.platform) return { allowed: reachesPlatform(caller, method.role), environments: [] };
  const reach = reachOf(caller, project, method.role);
  return { allowed: reach?.all === true, environments: reach === undefined || reach.all ? [] : reach.environments };
}

/** Exchanges the caller's credential for a signed token with the same limits. */
export async function createToken(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: { audience: string; ttlSeconds: number; singleUse: boolean },
): Promise<Answer> {
  const { userUid, cap, credential, key } = requireCaller(call);
  const { audience } = input;
  // A sign-in link works only once.
  const isLink = audience === consoleAudience;
  const singleUse = input.singleUse || isLink;
  // Exchanging tokens for tokens would allow callers to renew them forever.
  if (credential === "token" || credential === "agent")
    throw new Fault(apiFaults.denied, "a token cannot be exchanged for another; use the API key or session that created it");
  const ttlSeconds = input.ttlSeconds || 300;
  const issued = await deps.tokens.issue({ userUid, audience, ttlSeconds, singleUse, cap, key });
  await insertAudit(deps.pool, auditOf(deps, call, method, { project: "", name: audience, uid: null }, "allowed", ""));
  return { body: JSON.stringify(issued), created: true };
}
