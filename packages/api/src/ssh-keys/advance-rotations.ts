import { systemProject, type EntityJson, type JsonObject, type Method } from "@cloudwright/contract";
import {
  deleteKeyRotation,
  listKeyRotations,
  listKeyUsers,
  lockKeyRotation,
  tryTransaction,
  updateEntity,
  type Database,
  type EntityRow,
} from "@cloudwright/store";
import { enqueueTasks } from "@cloudwright/tasks";
import type { Call } from "../calls/authorise.ts";
import { parseEntity, traceCall } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { isEqual } from "../entities/json-tree.ts";
import { sealSecrets, unsealSecrets } from "../entities/secrets.ts";
import { advanceInstance, type RotationDeps } from "./advance-instance.ts";
import { formerPrivateHalf, isCreatedInstance, readRotation, type RotatedInstance, type Rotation } from "./rotation.ts";

type AdvanceDeps = RotationDeps & Pick<ApiDeps, "pool" | "versions" | "feed" | "keyRing" | "taskSignal">;

/**
 * Continues the replacement of SSH keys. First, every instance gets the new key. Once all of them accept it, the former one is removed from
 * all of them, and then its private half is deleted. Called every few seconds, possibly on several replicas. Everything that it decides is
 * committed together with the tasks that follow, so it may be killed at any point.
 */
export async function advanceRotations(deps: AdvanceDeps): Promise<void> {
  for (const uid of await listKeyRotations(deps.pool)) {
    const changed = await tryTransaction(deps.pool, (database) => advance(deps, database, uid));
    if (changed !== true) continue;
    deps.feed.poke();
    deps.taskSignal.notify();
  }
}

/** Returns whether anything changed, or undefined if the key was changed at the same time. */
async function advance(deps: AdvanceDeps, database: Database, uid: string): Promise<boolean | undefined> {
  const row = await lockKeyRotation(database, uid);
  if (row === undefined || row.deleted_at !== null) return false;
  const entity = parseEntity(row.object);
  const rotation = readRotation(entity.status);
  if (rotation === undefined) {
    await deleteKeyRotation(database, uid);
    return false;
  }
  const results = [];
  // Inventories and claims that were created in the meantime use the new key anyway.
  for (const user of (await listKeyUsers(database, uid)).filter(isCreatedInstance))
    results.push(await advanceInstance(deps, database, { row, entity, rotation }, user));
  const instances = results.map(({ instance }) => instance);
  const next = decideStage(rotation, instances);
  if (next !== undefined && isEqual(entity.status["rotation"], { ...next } as unknown as JsonObject)) return false;
  await enqueueTasks(
    database,
    results.flatMap(({ task }) => (task === undefined ? [] : [task])),
  );
  if (next === undefined) await deleteKeyRotation(database, uid);
  return (await save(deps, database, row, entity, rotation, next)) ? true : undefined;
}

/** Returns the replacement's next state, or undefined if it is complete. */
function decideStage(rotation: Rotation, instances: readonly RotatedInstance[]): Rotation | undefined {
  if (rotation.stage === "removing") {
    return instances.every(({ accepts }) => accepts === "new") ? undefined : { ...rotation, instances };
  }
  if (!instances.every(({ accepts }) => accepts !== "former")) return { ...rotation, instances };
  const restarted = instances.map(({ name, uid, accepts }) => ({ name, uid, accepts, message: "", failures: 0 }));
  return { ...rotation, stage: "removing", instances: restarted };
}

async function save(
  deps: AdvanceDeps,
  database: Database,
  row: EntityRow,
  entity: EntityJson,
  before: Rotation,
  next: Rotation | undefined,
): Promise<boolean> {
  const version = await deps.versions.next();
  const at = new Date(deps.clock.now()).toISOString();
  const { rotation: _, ...others } = entity.status;
  const status = {
    ...others,
    message: next === undefined ? "" : describe(next),
    ...(next === undefined ? {} : { rotation: next as unknown as JsonObject }),
  };
  const object = JSON.stringify({ ...entity, metadata: { ...entity.metadata, resourceVersion: version, updatedAt: at }, status });
  const secrets = Object.entries(unsealSecrets(deps.keyRing, row.uid, row.sealed));
  const kept = Object.fromEntries(secrets.filter(([name]) => name !== formerPrivateHalf));
  const [reason, message] = describeTurn(next);
  const quiet = next?.stage === before.stage;
  const deed = { type: "MODIFIED", reason, message, row, oldLabels: row.labels, version, object, quiet } as const;
  const { changes, events } = await traceCall(deps, call, { verb: "rotate", kind: row.kind } as Method, [deed]);
  const update = {
    uid: row.uid,
    oldVersion: row.resource_version,
    resourceVersion: version,
    at,
    deletedAt: null,
    environmentUid: row.environment_uid,
    environment: row.environment,
    labels: row.labels,
    object,
    sealed: next === undefined ? sealSecrets(deps.keyRing, row.uid, kept) : row.sealed,
  };
  return updateEntity(database, update, { changes, events, audits: [] });
}

/** Names the instances that the replacement waits for, because only they do not accept the new key, or still accept the former one. */
function describe({ stage, instances }: Rotation): string {
  const goal = stage === "adding" ? "former" : "new";
  const isOpen = ({ accepts }: RotatedInstance): boolean => (stage === "adding" ? accepts === goal : accepts !== goal);
  const open = instances.filter(isOpen);
  const done = `${instances.length - open.length} of ${instances.length} instances`;
  const waits = open.map(({ name, message }) => (message === "" ? name : `${name} (${message})`)).join("; ");
  const what = stage === "adding" ? `${done} have the new key` : `the former key was removed from ${done}`;
  return `${what}${waits === "" ? "" : `; waiting for ${waits}`}`.slice(0, 2000);
}

function describeTurn(next: Rotation | undefined): [reason: string, message: string] {
  if (next === undefined) return ["KeyRotated", "all instances accept only the new key, and the former private half was deleted"];
  return ["KeyAdded", "all instances accept the new key; the former one is being removed"];
}

const call: Call = {
  caller: {
    userUid: "00000000-0000-0000-0000-000000000000",
    user: "platform",
    credential: "platform",
    credentialId: "key-rotation",
    keyUid: undefined,
    cap: { project: "", role: "" },
    grants: [{ project: systemProject, environment: "", role: "owner" }],
  },
  source: "local",
  requestId: "key-rotation",
};
