import type { Method } from "@cloudwright/contract";
import { createUid, Fault } from "@cloudwright/platform";
import { generateKeyPair } from "@cloudwright/platform/openssh-key";
import { insertKeyRotation, listKeyUsers, tryTransaction, type EntityRow } from "@cloudwright/store";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { textAt } from "../entities/json-tree.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { saveEntityIn } from "../entities/save-entity.ts";
import { sealSecrets, unsealSecrets } from "../entities/secrets.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { apiFaults } from "../faults.ts";
import { rulesOf } from "../kinds/rules.ts";
import {
  findForeignCloud,
  formerPrivateHalf,
  isCreatedInstance,
  privateHalf,
  readRotation,
  type Rotation,
} from "../ssh-keys/rotation.ts";
import { sshKeyFaults } from "../ssh-keys/faults.ts";
import type { EntityRef } from "./get-entity.ts";

/**
 * Starts the replacement of a key pair. From then on, the entity has the new pair, and its secrets also contain the former private half.
 * `advanceRotations` does the rest. A repeated request returns the replacement in progress.
 */
export async function rotateSshKey(deps: ApiDeps, call: Call, method: Method, input: EntityRef): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, { project: input.project, parent: "" });
  const answer = await retryStale(deps, `SshKey "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    const { status } = parseEntity(row.object);
    if (readRotation(status) !== undefined) return { body: row.object, version: row.resource_version };
    return tryTransaction(deps.pool, async (database) => {
      await requireReplaceable(deps, row);
      const saved = await saveEntityIn(database, deps, call, method, renderStart(deps, row));
      if (saved !== undefined) await insertKeyRotation(database, row.uid);
      return saved;
    });
  });
  deps.feed.poke();
  return answer;
}

async function requireReplaceable(deps: ApiDeps, row: EntityRow): Promise<void> {
  const refuse = (reason: string): Fault => new Fault(sshKeyFaults.key_not_replaceable, `SshKey "${row.name}" ${reason}`);
  if (row.deleted_at !== null) throw new Fault(apiFaults.being_deleted, `SshKey "${row.name}" is being deleted`);
  if (unsealSecrets(deps.keyRing, row.uid, row.sealed)[privateHalf] === undefined) {
    throw refuse("cannot be replaced on instances, because the platform does not store its private half and so cannot log in");
  }
  for (const user of await listKeyUsers(deps.pool, row.uid)) {
    if (!isCreatedInstance(user)) {
      const how = "create another SSH key, add its public half on the machines, and use it instead";
      throw refuse(
        `cannot be replaced, because ${user.kind} "${user.name}" uses it on machines that the platform did not create; ${how}`,
      );
    }
    const cloud = await findForeignCloud(deps.pool, user.uid);
    if (cloud === undefined) continue;
    throw refuse(`cannot be replaced on Instance "${user.name}", because the platform cannot log in on instances in ${cloud}`);
  }
}

function renderStart({ clock, keyRing }: ApiDeps, row: EntityRow): Parameters<typeof saveEntityIn>[4] {
  const entity = parseEntity(row.object);
  const { [privateHalf]: former = "", ...others } = unsealSecrets(keyRing, row.uid, row.sealed);
  const { publicKey, privateKey } = generateKeyPair();
  const secrets = { ...others, [privateHalf]: privateKey, [formerPrivateHalf]: former };
  const spec = { ...entity.spec, publicKey };
  const rotation: Rotation = {
    id: createUid(clock.now()),
    stage: "adding",
    formerPublicKey: textAt(entity.spec, "publicKey"),
    startedAt: new Date(clock.now()).toISOString(),
    instances: [],
  };
  const rendered = rulesOf(row.kind).renderStatus?.(spec, Object.keys(secrets), "");
  return {
    row,
    entity: {
      metadata: { ...entity.metadata, generation: (entity.metadata.generation ?? 0) + 1 },
      spec,
      status: {
        ...entity.status,
        ...rendered,
        message: "the new key is being added to all instances",
        rotation: { ...rotation, instances: [] },
      },
    },
    environmentUid: row.environment_uid,
    sealed: sealSecrets(keyRing, row.uid, secrets),
    reason: "KeyRotationStarted",
    message: "a new key pair replaces the former one on all instances",
  };
}
