import type { JsonObject, Method } from "@cloudwright/contract";
import type { OpenCredentialsRequest } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { Fault } from "@cloudwright/platform";
import { findLeasedAccount, insertAudit } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { requireAgent, type Call } from "../calls/caller.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { setAt } from "../entities/json-tree.ts";
import { unsealSecrets } from "../entities/secrets.ts";
import { auditOf, parseEntity } from "../calls/trace-call.ts";

/**
 * Returns the current credentials of a task's account to the agent that holds the task. Runs in progress thus also receive changed
 * secrets. The access is audited before the response is sent.
 */
export async function openCredentials(
  deps: ApiDeps,
  call: Call,
  method: Method,
  { uid: taskUid, leaseToken }: OpenCredentialsRequest,
): Promise<Answer> {
  const agent = requireAgent(call, method);
  const account = await findLeasedAccount(deps.pool, { taskUid, leaseToken, agentUid: agent.uid });
  if (account === undefined) {
    throw new Fault(apiFaults.lease_lost, `Task "${taskUid}" is not held with this lease, or uses no account`);
  }
  const { uid, project, name } = account;
  const secrets = Object.entries(unsealSecrets(deps.keyRing, uid, account.sealed));
  await insertAudit(
    deps.pool,
    auditOf(deps, call, { verb: method.verb, kind: "Account" }, { project, name, uid }, "allowed", ""),
  );
  let whole: JsonObject = { spec: parseEntity(account.object).spec };
  for (const [path, value] of secrets) whole = setAt(whole, path.split("."), value);
  return { body: JSON.stringify(whole) };
}
