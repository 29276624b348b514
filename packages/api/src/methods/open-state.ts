import { findAccount, type Method } from "@cloudwright/contract";
import type { OpenStateRequest } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { Fault } from "@cloudwright/platform";
import { insertAudit, openState, type OpenedState } from "@cloudwright/store";
import { auditRefusal } from "../agents/audit-refusal.ts";
import type { Answer } from "../calls/answer.ts";
import { requireAgent, type Call } from "../calls/authorise.ts";
import { auditOf } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { openLentSecrets } from "../entities/lent-secrets.ts";
import { unsealSecrets } from "../entities/secrets.ts";
import { openBackend } from "../entities/state-backend.ts";
import { statePath } from "../http/terraform-state/routes.ts";
import { apiFaults } from "../faults.ts";
import { hashCredential } from "../identity/api-keys.ts";
import { rulesOf } from "../kinds/rules.ts";
import { createRunPassword } from "../identity/run-password.ts";

/**
 * Gives the agent that holds a task access to the entity's state. The access ends with the lease. If the state is stored in an external
 * backend, the response contains that backend with its secrets, provided that the project may use it and the agent may see them. The response also contains the
 * entity's own secrets, such as the user data of an instance. Account secrets are available only through `openCredentials`, which has more
 * checks. Secrets that other entities lend to this one, such as the SSH key of an inventory, are included and audited.
 */
export async function openStateMethod(
  deps: ApiDeps,
  call: Call,
  method: Method,
  { uid: taskUid, leaseToken }: OpenStateRequest,
): Promise<Answer> {
  const agent = requireAgent(call, method);
  const password = createRunPassword(deps.keyRing, taskUid);
  const credential = { hash: hashCredential(password), taskUid, leaseToken, agentUid: agent.uid, actor: `agent:${agent.name}` };
  const entity = await openState(deps.pool, credential);
  if (entity === undefined) throw new Fault(apiFaults.lease_lost, `Task "${taskUid}" is not held with this lease`);
  const backend = await openBackend(deps, entity, entity.backend, agent.project).catch(async (error: unknown) => {
    await auditRefusal(deps, call, { verb: method.verb, ...entity }, error);
    throw error;
  });
  const address = statePath(entity.uid);
  const forgotten = (entity.forgotten ?? []).map(({ type, id }) => ({ type, id }));
  const endpoint = { address, lockAddress: address, unlockAddress: address, username: taskUid, password };
  const access = forgotten.length === 0 ? endpoint : { ...endpoint, forgotten };
  const lent = await openLentSecrets(deps, call, method.verb, entity);
  const own = findAccount([entity]) === undefined ? unsealSecrets(deps.keyRing, entity.uid, entity.sealed) : {};
  const secrets = { ...own, ...(await readTaskSecrets(deps, call, method, entity)) };
  return {
    body: JSON.stringify({
      ...access,
      ...(backend === undefined ? {} : { backend }),
      ...(Object.keys(secrets).length === 0 ? {} : { secrets }),
      ...(lent.length === 0 ? {} : { lent }),
    }),
  };
}

/** Returns secrets of other entities that the task needs. The access is audited before they are returned. */
async function readTaskSecrets(
  deps: ApiDeps,
  call: Call,
  { verb }: Method,
  { uid, kind, project, task_type }: OpenedState,
): Promise<Readonly<Record<string, string>>> {
  const found = (await rulesOf(kind).listTaskSecrets?.(deps, uid, task_type)) ?? [];
  for (const each of found) {
    const of = { project, name: each.name, uid: each.uid };
    await insertAudit(deps.pool, auditOf(deps, call, { verb, kind: each.kind }, of, "allowed", ""));
  }
  return Object.assign({}, ...found.map(({ secrets }) => secrets)) as Record<string, string>;
}
