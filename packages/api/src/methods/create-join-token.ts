import { systemProject, type Method } from "@cloudwright/contract";
import type { CreateJoinTokenRequest } from "@cloudwright/contract/gen/cloudwright/v1/agent_pb.ts";
import { createToken, Secret } from "@cloudwright/platform";
import { insertAudit, insertJoinToken } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { authorise, denied, requireCaller, type Call, type Caller } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { hashCredential } from "../identity/api-keys.ts";
import { notFound } from "../entities/target.ts";
import { auditOf } from "../calls/trace-call.ts";
import { requireProject } from "./list-entities.ts";

const defaultSeconds = 3600;
/** Lifetime of the embedded agent's join token. Long enough for the agent to start on a slow machine. */
const ownSeconds = 600;

/**
 * Creates a token that one agent can use to join. The token is shown once and stored as a hash. It becomes invalid when the API key that
 * created it expires or is revoked or rotated.
 */
export async function createJoinToken(
  deps: ApiDeps,
  call: Call,
  method: Method,
  { project, ttlSeconds }: Pick<CreateJoinTokenRequest, "project" | "ttlSeconds">,
): Promise<Answer> {
  const reach = authorise(call, method, project);
  if (!reach.all) throw denied(method, `in the entire project "${project}"`);
  await requireProject(deps, call, { project });
  const { joinToken, expiresAt, token } = draftToken(deps, project, requireCaller(call), ttlSeconds || defaultSeconds);
  await deps.pool.transaction(async (database) => {
    if (!(await insertJoinToken(database, token))) throw notFound("Project", project);
    await insertAudit(database, auditOf(deps, call, method, { project, name: "", uid: null }, "allowed", ""));
  });
  return { body: JSON.stringify({ joinToken, expiresAt }), created: true };
}

/** Creates a join token for the embedded agent, which serves every project. */
export async function issueOwnJoinToken(deps: Pick<ApiDeps, "pool" | "clock">): Promise<Secret> {
  const { joinToken, token } = draftToken(deps, systemProject, { user: "platform", keyUid: undefined }, ownSeconds);
  if (!(await insertJoinToken(deps.pool, token))) throw notFound("Project", systemProject);
  return new Secret(joinToken);
}

function draftToken(
  deps: Pick<ApiDeps, "clock">,
  project: string,
  { user: createdBy, keyUid, keyExpiresAtMs = Number.POSITIVE_INFINITY }: Pick<Caller, "user" | "keyUid" | "keyExpiresAtMs">,
  seconds: number,
): { joinToken: string; expiresAt: string; token: Parameters<typeof insertJoinToken>[1] } {
  const joinToken = `cwj_${createToken()}`;
  const expiresAt = new Date(Math.min(deps.clock.now() + seconds * 1000, keyExpiresAtMs)).toISOString();
  return {
    joinToken,
    expiresAt,
    token: { hash: hashCredential(joinToken), project, createdBy, keyUid: keyUid ?? null, expiresAt },
  };
}
