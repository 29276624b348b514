import type { Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { insertAudit } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { auditOf, parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { textAt } from "../entities/json-tree.ts";
import { unsealSecrets } from "../entities/secrets.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { sshKeyFaults } from "../ssh-keys/faults.ts";
import type { EntityRef } from "./get-entity.ts";

/** Returns both halves of an SSH key. The audit record is written before the response is sent. */
export async function openSshKey(deps: ApiDeps, call: Call, method: Method, input: EntityRef): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, { project: input.project, parent: "" });
  const row = await requireEntity(deps, call, target, input.name);
  const { project, name, uid } = row;
  const { "spec.privateKey": privateKey } = unsealSecrets(deps.keyRing, uid, row.sealed);
  if (privateKey === undefined) {
    throw new Fault(sshKeyFaults.no_private_key, `the platform does not store the private half of SshKey "${name}"`);
  }
  await insertAudit(deps.pool, auditOf(deps, call, method, { project, name, uid }, "allowed", ""));
  return { body: JSON.stringify({ publicKey: textAt(parseEntity(row.object).spec, "publicKey"), privateKey }), secret: true };
}
