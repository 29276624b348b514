import type { Method } from "@cloudwright/contract";
import type { OpenStateRequest } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { createToken, Fault } from "@cloudwright/platform";
import { openState } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { requireAgent, type Call } from "../calls/caller.ts";
import type { ApiDeps } from "../deps.ts";
import { statePath } from "../http/terraform-state/routes.ts";
import { apiFaults } from "../faults.ts";
import { hashCredential } from "../identity/api-keys.ts";

/** Gives the agent that holds a task access to the entity's state. The access ends with the lease. */
export async function openStateMethod(
  deps: ApiDeps,
  call: Call,
  method: Method,
  { uid: taskUid, leaseToken }: OpenStateRequest,
): Promise<Answer> {
  const agent = requireAgent(call, method);
  const password = `cws_${createToken()}`;
  const credential = { hash: hashCredential(password), taskUid, leaseToken, agentUid: agent.uid, actor: `agent:${agent.name}` };
  const entityUid = await openState(deps.pool, credential);
  if (entityUid === undefined) throw new Fault(apiFaults.lease_lost, `Task "${taskUid}" is not held with this lease`);
  const address = statePath(entityUid);
  return { body: JSON.stringify({ address, lockAddress: address, unlockAddress: address, username: taskUid, password }) };
}
