import {
  findAccount,
  renderTaskPayload,
  renderTaskPlacement,
  type JsonObject,
  type TaskKeys,
  type TaskTypeName,
} from "@cloudwright/contract";
import { createUid } from "@cloudwright/platform";
import { findLineage, findOutputs, type Database, type EntityRow } from "@cloudwright/store";
import type { TaskInsert } from "@cloudwright/tasks";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { textAt } from "./json-tree.ts";

interface InstanceTask {
  readonly type: TaskTypeName;
  /** Default: a key of its own. */
  readonly key?: string;
  readonly keys?: TaskKeys;
}

/**
 * Renders a task that works on an existing machine outside any operation. It has a single attempt, because its caller decides what happens
 * after a failure. Returns undefined if the machine does not exist.
 */
export async function renderInstanceTask(
  deps: Pick<ApiDeps, "clock">,
  database: Database,
  row: EntityRow,
  { type, key, keys }: InstanceTask,
): Promise<TaskInsert | undefined> {
  const outputs = ((await findOutputs(database, row.uid)) ?? {}) as JsonObject;
  if (textAt(outputs, "instance_id") === "" || row.deleted_at !== null) return undefined;
  const [, ...above] = await findLineage(database, row.uid);
  const parents = above.map(({ kind, uid, object }) => ({ kind, uid, entity: parseEntity(object) }));
  const found = findAccount(parents);
  const account = found && { uid: found.uid, name: found.entity.metadata.name ?? "", spec: found.entity.spec };
  const uid = createUid(deps.clock.now());
  const { kind, name, project, environment, labels } = row;
  const { spec } = parseEntity(row.object);
  const specs = parents.map(({ entity }) => entity.spec);
  return {
    uid,
    key: key ?? uid,
    project,
    entityUid: row.uid,
    entityKind: kind,
    entityName: name,
    operationUid: null,
    accountUid: account?.uid ?? null,
    type,
    lane: "short",
    placement: renderTaskPlacement(project, account, specs),
    priority: 10,
    ...renderTaskPayload({
      type,
      entity: { kind, uid: row.uid, name, project, environment, labels, spec },
      account,
      parents: parents.map(({ kind: of, uid: parentUid, entity }) => ({
        kind: of,
        uid: parentUid,
        name: entity.metadata.name ?? "",
        spec: entity.spec,
        outputs: {},
      })),
      outputs,
      keys,
    }),
    maxAttempts: 1,
  };
}
