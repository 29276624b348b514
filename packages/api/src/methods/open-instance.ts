import { findAccount, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findEntity, findLineage, insertAudit } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import { includes, reachOf, requireCaller, type Call } from "../calls/authorise.ts";
import { auditOf, parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { getAt, textAt } from "../entities/json-tree.ts";
import { unsealSecrets } from "../entities/secrets.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { apiFaults } from "../faults.ts";
import { formerPrivateHalf, privateHalf } from "../ssh-keys/rotation.ts";
import type { EntityRef } from "./get-entity.ts";

/**
 * Returns what an SSH client needs to log in to an instance, and writes an audit record. Private keys are included only if the caller may
 * also change the SSH key itself, which can belong to another environment.
 */
export async function openInstance(deps: ApiDeps, call: Call, method: Method, input: EntityRef): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, { project: input.project, parent: "" });
  const row = await requireEntity(deps, call, target, input.name);
  const { spec, status } = parseEntity(row.object);
  const address = textAt(status, "publicAddress") || textAt(status, "privateAddress");
  if (address === "" || row.deleted_at !== null) {
    const phase = textAt(status, "phase") || "PENDING";
    throw new Fault(apiFaults.instance_not_ready, `Instance "${row.name}" has no address while it is ${phase}`);
  }
  const isCurrent = textAt(status, "hostKeysOf") === textAt(status, "instanceId");
  const pinned = textsAt(spec, "hostKeys");
  const hostKeys = pinned.length > 0 ? pinned : isCurrent ? textsAt(status, "hostKeys") : [];
  const privateKeys = await readPrivateKeys(deps, call, row.project, textsAt(spec, "sshKeys"));
  const { project, name, uid } = row;
  await insertAudit(deps.pool, auditOf(deps, call, method, { project, name, uid }, "allowed", ""));
  const simulated = await isSimulated(deps, uid);
  const port = Number(status["port"] ?? 0);
  const access = { address, user: textAt(status, "user"), hostKeys, privateKeys, simulated, ...(port === 0 ? {} : { port }) };
  return { body: JSON.stringify(access), secret: true };
}

async function isSimulated({ pool }: Pick<ApiDeps, "pool">, uid: string): Promise<boolean> {
  const [, ...above] = await findLineage(pool, uid);
  return findAccount(above.map(({ kind, object }) => ({ kind, entity: parseEntity(object) })))?.entity.spec["simulated"] === true;
}

async function readPrivateKeys(deps: ApiDeps, call: Call, project: string, names: readonly string[]): Promise<string[]> {
  const reach = reachOf(requireCaller(call), project, "editor");
  const found: string[] = [];
  for (const ref of names) {
    const row = await findEntity(deps.pool, { kind: "SshKey", project, namingScope: "", ref });
    if (row === undefined || reach === undefined || !includes(reach, row.environment)) continue;
    // While a key is being replaced, instances accept the new key, the former one, or both.
    const { [privateHalf]: key, [formerPrivateHalf]: former } = unsealSecrets(deps.keyRing, row.uid, row.sealed);
    found.push(...[key, former].filter((each) => each !== undefined));
  }
  return found;
}

function textsAt(json: Parameters<typeof getAt>[0], field: string): string[] {
  const value = getAt(json, [field]);
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
