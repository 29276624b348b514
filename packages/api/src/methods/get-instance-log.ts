import type { Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { insertAudit, waitForSignal, type EntityRow } from "@cloudwright/store";
import { enqueueTasks, findTasksByKey, type KeyedTask, type TaskInsert } from "@cloudwright/tasks";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { auditOf } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { renderInstanceTask } from "../entities/render-instance-task.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { apiFaults } from "../faults.ts";
import type { EntityRef } from "./get-entity.ts";

const waitMs = 30_000;
const recheckMs = 1000;
const open: ReadonlySet<string> = new Set(["waiting", "ready", "leased"]);

/** Returns the output of an instance's serial console, which an agent reads from the cloud. Writes an audit record. */
export async function getInstanceLog(deps: ApiDeps, call: Call, method: Method, input: EntityRef): Promise<Answer> {
  const target = await resolveTarget(deps, call, method, { project: input.project, parent: "" });
  const row = await requireEntity(deps, call, target, input.name);
  const { project, name, uid } = row;
  const task = await renderLogTask(deps, row);
  await insertAudit(deps.pool, auditOf(deps, call, method, { project, name, uid }, "allowed", ""));
  await deps.pool.transaction((database) => enqueueTasks(database, [task]));
  deps.taskSignal.notify();
  const { outcome } = await waitForTask(deps, call, task);
  if (outcome?.state === "done") {
    const { text = "" } = (outcome.result ?? {}) as { readonly text?: string };
    return { body: JSON.stringify({ text }), secret: true };
  }
  const why = outcome?.state === "failed" ? `${outcome.fault.message} (${outcome.fault.code})` : "the task was cancelled";
  throw new Fault(apiFaults.log_failed, `could not read the log of Instance "${name}": ${why}`);
}

async function waitForTask(deps: ApiDeps, call: Call, { key, entityName }: TaskInsert): Promise<KeyedTask> {
  const startMs = deps.clock.now();
  const abort = call.signal ?? new AbortController().signal;
  for (;;) {
    const since = deps.taskSignal.version();
    const [task] = await findTasksByKey(deps.pool, [key]);
    if (task !== undefined && !open.has(task.state)) return task;
    const leftMs = startMs + (deps.accessWaitMs ?? waitMs) - deps.clock.now();
    if (leftMs <= 0 || abort.aborted) {
      const how = task?.state === "leased" ? "an agent is still reading it" : "no agent has taken the task yet";
      throw new Fault(apiFaults.log_not_in_time, `the log of Instance "${entityName}" was not read in time: ${how}`);
    }
    await waitForSignal(deps.taskSignal, since, Math.min(recheckMs, leftMs), abort);
  }
}

async function renderLogTask(deps: ApiDeps, row: EntityRow): Promise<TaskInsert> {
  const task = await renderInstanceTask(deps, deps.pool, row, { type: "instance.console" });
  if (task !== undefined) return task;
  throw new Fault(apiFaults.instance_not_ready, `Instance "${row.name}" has no log, because it does not exist in the cloud`);
}
