import type { OperationStepJson, TimelineEntryJson } from "@cloudwright/api-client";
import type { Session } from "../connection/session.ts";
import { renderTable, type Column } from "../output/table.ts";
import { findingColumns } from "./findings.ts";
import type { Operation } from "./operation.ts";
import { listOperationTasks, type Task } from "./operation-tasks.ts";

const timelineLogLines = 20;

/** Returns the timeline of an operation, including the last log lines of its tasks. */
export async function getTimeline(session: Session, { metadata }: Operation): Promise<readonly TimelineEntryJson[]> {
  const options = { logLines: timelineLogLines, signal: session.world.signal };
  return session.client.operations.timeline(session.project, metadata.name, options);
}

/** Renders an operation's steps, tasks with attempts, findings, leftover and abandoned resources and, on request, its timeline. */
export async function renderOperation(
  session: Session,
  operation: Operation,
  options: { readonly timeline: boolean },
): Promise<string[]> {
  const { signal } = session.world;
  const tasks: Task[] = [];
  for (const task of await listOperationTasks(session, operation))
    tasks.push(await session.client.tasks.get(session.project, task.metadata.name, { signal }));
  const { steps = [], left = [], abandoned = [], findings = [] } = operation.status ?? {};
  const { paint } = session.output;
  return [
    ...section("Steps", stepColumns(paint.phase), steps),
    ...section("Tasks", attemptColumns(paint.phase), tasks.flatMap(listAttempts)),
    ...section("Findings", findingColumns, findings),
    ...items("Leftover resources", left),
    ...items("Abandoned", abandoned),
    ...(options.timeline ? section("Timeline", timelineColumns, await getTimeline(session, operation)) : []),
  ];
}

function stepColumns(paint: (text: string) => string): Column<OperationStepJson>[] {
  return [
    { title: "STEP", value: ({ name = "" }) => name },
    { title: "STATE", value: ({ state = "" }) => state, paint },
    { title: "DURATION", value: ({ startedAt, endedAt }) => renderTook(startedAt, endedAt) },
    { title: "MESSAGE", value: ({ message = "" }) => message },
  ];
}

/** One attempt at a task. The state of the last attempt is the task's current state. */
interface Attempt {
  readonly task: Task;
  readonly attempt: number;
  readonly state: string;
  readonly agent: string;
  readonly took: string;
  readonly message: string;
}

function listAttempts(task: Task): Attempt[] {
  const { attempts = [], attempt = 0, state = "", agent = "", message = "", fault, progressPercent = 0 } = task.status ?? {};
  const before = attempts
    .filter((past) => past.attempt !== attempt)
    .map((past) => ({
      task,
      attempt: past.attempt ?? 0,
      state: "FAILED",
      agent: past.agent ?? "",
      took: renderTook(past.startedAt, past.endedAt),
      message: past.fault?.message ?? "",
    }));
  const percent = state === "LEASED" && progressPercent > 0 ? ` ${progressPercent}%` : "";
  const took = renderTook(task.status?.startedAt, task.status?.endedAt);
  return [...before, { task, attempt, state: `${state}${percent}`, agent, took, message: fault?.message ?? message }];
}

function attemptColumns(paint: (text: string) => string): Column<Attempt>[] {
  return [
    { title: "TYPE", value: ({ task }) => task.spec?.type ?? "" },
    { title: "ATTEMPT", value: ({ attempt, task }) => `${attempt}/${task.spec?.maxAttempts ?? 0}` },
    { title: "STATE", value: ({ state }) => state, paint },
    { title: "DURATION", value: ({ took }) => took },
    { title: "AGENT", value: ({ agent }) => agent },
    { title: "TASK", value: ({ task }) => task.metadata.uid },
    { title: "MESSAGE", value: ({ message }) => message },
  ];
}

const timelineColumns: readonly Column<TimelineEntryJson>[] = [
  { title: "TIME", value: ({ at = "" }) => at },
  { title: "SOURCE", value: ({ source = "" }) => source },
  { title: "REASON", value: ({ reason = "" }) => reason },
  { title: "ACTOR", value: ({ actor = "" }) => actor },
  { title: "MESSAGE", value: ({ message = "" }) => message },
];

function renderTook(from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined) return "";
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return Number.isNaN(seconds) ? "" : seconds < 10 ? `${seconds.toFixed(1)}s` : `${Math.round(seconds)}s`;
}

function section<Row>(title: string, columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  return rows.length === 0 ? [] : [`${title}:`, ...renderTable(columns, rows).map((line) => `  ${line}`)];
}

function items(title: string, lines: readonly string[]): string[] {
  return section(title, [{ title: "WHAT", value: (line: string) => line }], lines).filter((line) => line !== "  WHAT");
}
