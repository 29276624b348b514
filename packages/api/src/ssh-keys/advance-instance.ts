import type { EntityJson } from "@cloudwright/contract";
import { backOffMs } from "@cloudwright/platform";
import type { Database, EntityRow } from "@cloudwright/store";
import { findTasksByKey, type KeyedTask, type TaskInsert } from "@cloudwright/tasks";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { textAt } from "../entities/json-tree.ts";
import { renderInstanceTask } from "../entities/render-instance-task.ts";
import { findForeignCloud, type RotatedInstance, type Rotation } from "./rotation.ts";

export type RotationDeps = Pick<ApiDeps, "clock">;

/** A key that is being replaced. */
interface RotatingKey {
  readonly row: EntityRow;
  readonly entity: EntityJson;
  readonly rotation: Rotation;
}

/** The progress on an instance, and the task to run next. */
interface Advance {
  readonly instance: RotatedInstance;
  readonly task?: TaskInsert;
}

const retries = { firstMs: 5000, longestMs: 5 * 60_000 };
const open: ReadonlySet<string> = new Set(["waiting", "ready", "leased"]);

/** Decides what happens next on one instance that refers to a key. */
export async function advanceInstance(
  deps: RotationDeps,
  database: Database,
  key: RotatingKey,
  user: EntityRow,
): Promise<Advance> {
  const { rotation } = key;
  const fresh = { name: user.name, uid: user.uid, accepts: "former", message: "", failures: 0 } as const;
  const known: RotatedInstance = rotation.instances.find(({ uid }) => uid === user.uid) ?? fresh;
  const goal = rotation.stage === "adding" ? "both" : "new";
  if (known.accepts === goal || known.accepts === "new") return { instance: known };
  // Replacements are refused while such instances exist, so this one was created later, with the new key.
  if ((await findForeignCloud(database, user.uid)) !== undefined) return { instance: { ...fresh, accepts: "new" } };
  // The number of failures makes each attempt a task of its own, and a repeated decision the same task.
  const taskKey = [rotation.id, user.uid, rotation.stage, known.failures].join("/");
  const [task] = await findTasksByKey(database, [taskKey]);
  if (task === undefined) return request(deps, database, key, user, known, taskKey);
  if (open.has(task.state)) return { instance: known };
  const { name, uid, failures } = known;
  if (task.outcome?.state === "done") return { instance: { name, uid, accepts: goal, message: "", failures: 0 } };
  const retryAt = new Date(deps.clock.now() + backOffMs(retries, failures)).toISOString();
  return { instance: { ...known, message: describeFailure(task), failures: failures + 1, retryAt } };
}

async function request(
  deps: RotationDeps,
  database: Database,
  { row, entity, rotation }: RotatingKey,
  user: EntityRow,
  known: RotatedInstance,
  taskKey: string,
): Promise<Advance> {
  if (Date.parse(known.retryAt ?? "") > deps.clock.now()) return { instance: known };
  if (textAt(parseEntity(user.object).status, "machineStatus") === "stopped") {
    return { instance: { ...known, message: "the instance is stopped" } };
  }
  const keys = {
    uid: row.uid,
    publicKey: textAt(entity.spec, "publicKey"),
    formerPublicKey: rotation.formerPublicKey,
    remove: rotation.stage === "removing",
  };
  const task = await renderInstanceTask(deps, database, user, { type: "instance.keys", key: taskKey, keys });
  if (task === undefined) return { instance: { ...known, message: "the instance has not been built yet" } };
  const { retryAt: _, ...rest } = known;
  return { instance: { ...rest, message: known.failures === 0 ? "in progress" : known.message }, task };
}

function describeFailure({ outcome, cancelReason }: KeyedTask): string {
  if (outcome?.state === "failed") return `${outcome.fault.message} (${outcome.fault.code})`.slice(0, 300);
  return `the task was cancelled: ${cancelReason}`;
}
