import { cloudOf, findCloud, renderExternalId, usesAgentIdentity, type JsonObject, type Method } from "@cloudwright/contract";
import type { OpenCredentialsRequest } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { Fault } from "@cloudwright/platform";
import { findLeasedAccount, insertAudit, type LeasedAccount } from "@cloudwright/store";
import { grantsIdentity } from "@cloudwright/tasks";
import { auditRefusal } from "../agents/audit-refusal.ts";
import type { Answer } from "../calls/answer.ts";
import { requireAgent, type Call, type CallingAgent } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { getAt, setAt } from "../entities/json-tree.ts";
import { unsealSecrets } from "../entities/secrets.ts";
import { auditOf, parseEntity } from "../calls/trace-call.ts";

/**
 * Returns the current credentials of a task's account to the agent that holds the task, so that a run in progress also receives changed
 * secrets. The access is audited before the response is sent. If the account uses the agent's own identity, the request is denied unless
 * the agent's grants allow this account to use it.
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
    throw new Fault(apiFaults.lease_lost, `Task "${taskUid}" is not held with this lease, or does not use an account`);
  }
  const { uid, project, name } = account;
  const { spec } = parseEntity(account.object);
  const usesIdentity = usesAgentIdentity(spec);
  if (usesIdentity && !grantsIdentity(agent.grants.identity, { project, account: uid })) {
    const fault = refuseIdentity(agent, account);
    await auditRefusal(deps, call, { verb: method.verb, kind: "Account", project, name, uid }, fault);
    throw fault;
  }
  const secrets = Object.entries(unsealSecrets(deps.keyRing, uid, account.sealed));
  await insertAudit(
    deps.pool,
    auditOf(deps, call, { verb: method.verb, kind: "Account" }, { project, name, uid }, "allowed", ""),
  );
  let whole: JsonObject = { spec };
  for (const [path, value] of secrets) whole = setAt(whole, path.split("."), value);
  return { body: JSON.stringify(usesIdentity ? withExternalId(whole, account) : whole) };
}

function refuseIdentity(agent: CallingAgent, { project, name }: LeasedAccount): Fault {
  const message = `the cloud identity of agent "${agent.name}" is not granted to Account "${name}" in project "${project}"`;
  return new Fault(apiFaults.identity_refused, message);
}

/**
 * Adds the project's external id, so that a role that trusts the agent's identity can tell projects apart. Accounts created before the
 * platform generated external ids keep their own external ids.
 */
function withExternalId(whole: JsonObject, { projectUid }: LeasedAccount): JsonObject {
  const cloud = cloudOf((whole["spec"] ?? {}) as JsonObject) ?? "";
  const field = findCloud(cloud)?.agent.externalIdField;
  if (field === undefined) return whole;
  const path = ["spec", cloud, field];
  return getAt(whole, path) === undefined ? setAt(whole, path, renderExternalId(projectUid)) : whole;
}
