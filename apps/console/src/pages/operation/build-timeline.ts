import type { OperationStepJson, TimelineEntryJson } from "@cloudwright/api-client";
import type { Tone } from "../../design/phase.ts";

/** A period on the time axis with a single activity. */
export interface Span {
  readonly from: number;
  /** Undefined while the activity is in progress. */
  readonly to: number | undefined;
  /** `wait`: waiting for an agent or a person. `pause`: the delay between two attempts. `work`: an attempt. */
  readonly kind: "wait" | "pause" | "work";
  readonly tone: Tone;
  readonly title: string;
}

/** One step of an operation on the time axis. */
export interface TimelineRow {
  readonly name: string;
  readonly state: string;
  readonly message: string;
  readonly spans: readonly Span[];
  readonly attempts: number;
}

/** A point on the time axis, such as a request or a decision. */
export interface Moment {
  readonly at: number;
  readonly tone: Tone;
  readonly title: string;
}

export interface TimelinePicture {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly TimelineRow[];
  readonly moments: readonly Moment[];
}

interface OperationTimes {
  readonly steps: readonly OperationStepJson[];
  readonly createdAt: string;
  readonly endedAt: string | undefined;
  /** True while the operation is in progress. */
  readonly isOpen: boolean;
}

/** Waits shorter than this are not drawn. */
const leastWaitMs = 400;

/** Builds the timeline of an operation: its steps with their tasks, attempts and waits. */
export function buildTimeline(operation: OperationTimes, entries: readonly TimelineEntryJson[], now: number): TimelinePicture {
  const from = timeOf(operation.createdAt) ?? now;
  const last = Math.max(from, ...entries.map(({ at }) => timeOf(at) ?? from));
  const end = operation.isOpen ? Math.max(now, last) : (timeOf(operation.endedAt) ?? last);
  const tasks = groupTasks(entries);
  const rows: TimelineRow[] = [];
  let previousEnd: number | undefined = from;
  for (const step of operation.steps) {
    const type = tasks.find(({ uid }) => uid === step.task)?.type;
    // A step refers only to its newest task. Earlier tasks of the step are found by their type, which is the same.
    const own = type === undefined ? [] : tasks.filter((task) => task.type === type);
    const spans =
      own.length > 0 ? own.flatMap((task) => listSpans(task, operation.isOpen)) : listWaits(step, previousEnd, operation);
    const attempts = spans.filter(({ kind }) => kind === "work").length;
    rows.push({ name: step.name ?? "", state: step.state ?? "", message: step.message ?? "", spans, attempts });
    previousEnd = timeOf(step.endedAt) ?? (step.state === "DONE" ? previousEnd : undefined);
  }
  const known = new Set(operation.steps.flatMap((step) => tasks.find(({ uid }) => uid === step.task)?.type ?? []));
  for (const task of tasks.filter(({ type }) => !known.has(type))) {
    rows.push({
      name: task.type,
      state: "",
      message: "",
      spans: listSpans(task, operation.isOpen),
      attempts: 1,
    });
  }
  const moments = entries
    .filter(({ source }) => source === "api" || source === "reconciler")
    .map((entry) => ({ at: timeOf(entry.at) ?? from, tone: toneOfEntry(entry), title: describeMoment(entry) }));
  return { from, to: Math.max(end, from + 1000), rows, moments };
}

interface TaskEntries {
  readonly uid: string;
  /** The task type, such as `network.apply`. */
  readonly type: string;
  readonly entries: TimelineEntryJson[];
}

function groupTasks(entries: readonly TimelineEntryJson[]): TaskEntries[] {
  const tasks = new Map<string, TaskEntries>();
  for (const entry of entries) {
    if (entry.source !== "task" || entry.task === undefined || entry.task === "") continue;
    const known = tasks.get(entry.task) ?? { uid: entry.task, type: entry.taskType ?? "", entries: [] };
    tasks.set(entry.task, known);
    known.entries.push(entry);
  }
  return [...tasks.values()];
}

/** Returns the spans of a task, from its creation to its end. */
function listSpans({ entries, type }: TaskEntries, isOpen: boolean): Span[] {
  const spans: Span[] = [];
  let open: { at: number; kind: Span["kind"]; title: string } | undefined;
  const close = (to: number | undefined, tone: Tone, end: string): void => {
    if (open !== undefined && (open.kind === "work" || to === undefined || to - open.at >= leastWaitMs))
      spans.push({ from: open.at, to, kind: open.kind, tone, title: `${open.title}${end}` });
    open = undefined;
  };
  for (const { reason, at: text, attempt = 0, actor = "", message = "" } of entries) {
    const at = timeOf(text) ?? 0;
    if (reason === "TaskEnqueued") open = { at, kind: "wait", title: `${type} waited for an agent` };
    else if (reason === "TaskStarted") {
      close(at, "idle", "");
      open = { at, kind: "work", title: `${type}, attempt ${attempt}, ${actor}` };
    } else if (reason === "TaskAttemptFailed") {
      close(at, "bad", `: ${message}`);
      open = { at, kind: "pause", title: `${type} waited before its next attempt` };
    } else close(at, reason === "TaskDone" ? "good" : reason === "TaskCancelled" ? "idle" : "bad", `: ${message}`);
  }
  if (isOpen) close(undefined, open?.kind === "work" ? "busy" : "idle", "");
  return spans;
}

/**
 * Returns the time span during which a step without a task waits. Such a step waits for a person, a maintenance window or a parent entity.
 */
function listWaits(step: OperationStepJson, previousEnd: number | undefined, { isOpen }: OperationTimes): Span[] {
  const done = timeOf(step.endedAt) ?? timeOf(step.startedAt);
  const since = timeOf(step.startedAt) ?? previousEnd;
  const begun = Math.min(since ?? Infinity, previousEnd ?? Infinity);
  if (!Number.isFinite(begun)) return [];
  if (step.state === "DONE" || step.state === "FAILED") {
    if (done === undefined) return [];
    const tone = step.state === "FAILED" ? "bad" : "good";
    const wait: Span = { from: begun, to: done, kind: "wait", tone: "warn", title: `waited for ${step.name ?? ""}` };
    return [...(done - begun >= leastWaitMs ? [wait] : []), { from: done, to: done, kind: "work", tone, title: step.name ?? "" }];
  }
  return isOpen
    ? [{ from: begun, to: undefined, kind: "wait", tone: "warn", title: step.message || `waiting for ${step.name ?? ""}` }]
    : [];
}

/** Returns the tone of a timeline entry. */
export function toneOfEntry({ reason = "", source }: TimelineEntryJson): Tone {
  if (/fail|lost|denied|expired/i.test(reason)) return "bad";
  if (/cancel|retry|wait|approv/i.test(reason)) return "warn";
  if (/done|succeed|running|created|ready/i.test(reason)) return "good";
  return source === "task" ? "busy" : "idle";
}

function describeMoment({ message = "", actor = "" }: TimelineEntryJson): string {
  return actor === "" ? message : `${message} · ${actor}`;
}

function timeOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : time;
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];
const mostTicks = 8;

/** Returns the positions of the axis ticks, in milliseconds from the start. */
export function listTicks(lengthMs: number): number[] {
  const step =
    1000 *
    (steps.find((seconds) => lengthMs / (seconds * 1000) <= mostTicks) ?? 86_400 * Math.ceil(lengthMs / 86_400_000 / mostTicks));
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, index) => index * step);
}
