import type { Operation } from "@cloudwright/contract";
import type { CreateJoinTokenRequest } from "@cloudwright/contract/gen/cloudwright/v1/agent_pb.ts";
import { createToken } from "@cloudwright/platform";
import { insertAudit, insertJoinToken } from "@cloudwright/store";
import type { Answer } from "../answer.ts";
import { authorise, denied, requireCaller, type Call } from "../caller.ts";
import type { ApiDeps } from "../deps.ts";
import { hashCredential } from "../identity/api-keys.ts";
import { notFound } from "../target.ts";
import { auditOf } from "../trace-call.ts";
import { requireProject } from "./list-entities.ts";

const defaultSeconds = 3600;

/** Makes a token that lets one agent join; it is shown once and kept as a hash. */
export async function createJoinToken(
  deps: ApiDeps,
  call: Call,
  operation: Operation,
  { project, ttlSeconds }: Pick<CreateJoinTokenRequest, "project" | "ttlSeconds">,
): Promise<Answer> {
  const reach = authorise(call, operation, project);
  if (!reach.all) throw denied(operation, `in the whole of project "${project}"`);
  await requireProject(deps, call, { project });
  const joinToken = `cwj_${createToken()}`;
  const expiresAt = new Date(deps.clock.now() + (ttlSeconds || defaultSeconds) * 1000).toISOString();
  const token = { hash: hashCredential(joinToken), project, createdBy: requireCaller(call).user, expiresAt };
  await deps.pool.transaction(async (database) => {
    if (!(await insertJoinToken(database, token))) throw notFound("Project", project);
    await insertAudit(database, auditOf(deps, call, operation, { project, name: "", uid: null }, "allowed", ""));
  });
  return { body: JSON.stringify({ joinToken, expiresAt }), created: true };
}
