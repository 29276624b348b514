import type { EntityJson, Json, JsonObject, Method } from "@cloudwright/contract";
import { isUid } from "@cloudwright/platform";
import { listEntityEvents, type EntityEvent } from "@cloudwright/store";
import { listTaskMoments, type TaskMoment } from "@cloudwright/tasks";
import type { Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { textAt } from "../entities/json-tree.ts";
import { findSubject } from "../operations/operation-subject.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";

/** Tolerance for the event that reports the end of an operation. The event's time may be slightly later than `endedAt`. */
const lateMs = 1000;

/** Returns the history of an operation: the request, the reconciler's decisions, and the progress and logs of its tasks. */
export async function getTimeline(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: { readonly project: string; readonly name: string; readonly logLines?: number },
): Promise<Answer> {
  const target = await resolveTarget(deps, call, { ...method, kind: "Operation" }, { project: input.project, parent: "" });
  const row = await requireEntity(deps, call, target, input.name);
  const followed = parseEntity(row.object);
  await findSubject(deps.pool, target, row, followed.spec);
  const [events, moments] = await Promise.all([
    listEvents(deps, followed),
    listTaskMoments(deps.pool, { operationUid: row.uid, taskUids: listStepTasks(followed) }, input.logLines ?? 0),
  ]);
  // The sort is stable: at equal times, events come before task entries.
  const items = [...events.map(renderEvent), ...moments.map(renderMoment)].toSorted((a, b) =>
    compare(textAt(a, "at"), textAt(b, "at")),
  );
  return { body: JSON.stringify({ items }) };
}

async function listEvents(deps: ApiDeps, { metadata, spec, status }: EntityJson): Promise<EntityEvent[]> {
  const uids = [metadata.uid, textAt(spec, "entityUid")].filter((uid) => uid !== undefined && uid !== "") as string[];
  const endedAt = textAt(status, "endedAt");
  const to = endedAt === "" ? null : new Date(Date.parse(endedAt) + lateMs).toISOString();
  return listEntityEvents(deps.pool, uids, metadata.createdAt ?? "", to);
}

/**
 * Returns the tasks of an operation's steps. A task may belong to another operation: for example, a cluster's run also applies the changes
 * to its node pools.
 */
function listStepTasks({ status }: EntityJson): string[] {
  const { steps } = status;
  return Array.isArray(steps) ? steps.map((step) => textAt(step, "task")).filter(isUid) : [];
}

/** Actors that represent the platform itself. The timeline attributes their events to the reconciler. */
const platformActors = new Set(["", "platform", "reconciler"]);

function renderEvent({ at, reason, message, actor }: EntityEvent): JsonObject {
  const source = platformActors.has(actor) ? "reconciler" : "api";
  return { at: at.toISOString(), source, reason, message, task: "", taskType: "", attempt: 0, actor: actor || "platform" };
}

function renderMoment(moment: TaskMoment): JsonObject {
  const { what, at, task, type, attempt, agent } = moment;
  const actor: Json = agent === null ? "platform" : `agent:${agent}`;
  const base = { at: at.toISOString(), task, taskType: type, attempt };
  return what === "line"
    ? { ...base, source: "log", reason: "Line", message: moment.message ?? "", actor: agent === null ? "agent" : actor }
    : { ...base, source: "task", ...describe(moment), actor };
}

const endings: Readonly<Record<string, string>> = { done: "TaskDone", failed: "TaskFailed", cancelled: "TaskCancelled" };

function describe({ what, type, attempt, state, message }: TaskMoment): { reason: string; message: string } {
  const why = message === null || message === "" ? "" : `: ${message}`;
  if (what === "enqueued") return { reason: "TaskEnqueued", message: `${type} is waiting for an agent` };
  if (what === "started") return { reason: "TaskStarted", message: `${type} started (attempt ${attempt})` };
  if (what === "tried") return { reason: "TaskAttemptFailed", message: `${type} failed and will be retried${why}` };
  return { reason: endings[state ?? ""] ?? "TaskEnded", message: `${type} ${state ?? "ended"}${why}` };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
