import type { TaskLogLineJson } from "@cloudwright/api-client";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { cliFaults } from "../faults.ts";
import { addKindArgument } from "../list-flags.ts";
import { isOpen } from "../operations/operation.ts";
import { listOperationTasks, type Task } from "../operations/operation-tasks.ts";
import { isStructured } from "../output/output.ts";
import { flatten } from "../output/table.ts";
import { requireReferences, type Reference } from "../references.ts";

const pauseMs = 1000;
const pageSize = 1000;

/** `cloud operation logs op-...`, `cloud task logs UID`: what the tasks wrote, in order. */
export const configureLogs: Configure = (command, context) => {
  const { kind } = context;
  addKindArgument(command, kind, "<names...>");
  command.option("-f, --follow", "go on with lines as they are written, until the work ends");
  const head = kind === undefined ? "cloud logs operation" : `cloud ${kind.words[0]} logs`;
  addExamples(command, `${head} NAME`, `${head} NAME --follow`, `${head} NAME -o json`);
  onServer(command, context, async (session, args, flags) => {
    const references = requireReferences("logs", kind, args, {});
    const [reference] = references;
    if (reference === undefined || references.length > 1)
      throw new Fault(cliFaults.usage, "the log of one operation or task is shown at a time");
    await printLogs(session, reference, flags["follow"] === true);
  });
};

async function printLogs(session: Session, reference: Reference, follow: boolean): Promise<void> {
  const { world, output } = session;
  const read = new Map<string, string>();
  for (;;) {
    // Whether it has ended is asked before its lines are read, so that the last ones are not missed.
    const { tasks, ended } = await listSources(session, reference);
    for (const task of tasks) await printTask(session, task, read);
    if (!follow || ended) break;
    await world.clock.sleep(pauseMs, world.signal);
  }
  if (read.size === 0) output.note(`${reference.kind.words[0]}/${reference.name} has written nothing yet`);
}

async function listSources(session: Session, { kind, name }: Reference): Promise<{ tasks: readonly Task[]; ended: boolean }> {
  const { client, project, world } = session;
  const { signal } = world;
  if (kind.kind === "Task") {
    const task = await client.tasks.get(project, name, { signal });
    return { tasks: [task], ended: ["DONE", "FAILED", "CANCELLED"].includes(task.status?.state ?? "") };
  }
  const operation = await client.operations.get(project, name, { signal });
  return { tasks: await listOperationTasks(session, operation), ended: !isOpen(operation) };
}

/** Prints what a task wrote since the last time. */
async function printTask(session: Session, task: Task, read: Map<string, string>): Promise<void> {
  const { client, project, world } = session;
  const { uid } = task.metadata;
  for (;;) {
    const lines = await client.tasks.logs(project, uid, { after: read.get(uid), pageSize, signal: world.signal });
    for (const line of lines) {
      printLine(session, task, line);
      read.set(uid, `${line.attempt ?? 0}.${line.seq ?? 0}`);
    }
    if (lines.length < pageSize) return;
  }
}

function printLine({ output }: Session, task: Task, { attempt = 0, seq = 0, at = "", line = "" }: TaskLogLineJson): void {
  const type = task.spec?.type ?? "";
  if (isStructured(output.format)) return output.line(JSON.stringify({ task: task.metadata.uid, type, attempt, seq, at, line }));
  const again = attempt > 1 ? ` #${attempt}` : "";
  output.line(`${output.format === "wide" ? `${at} ` : ""}[${type}${again}] ${flatten(line)}`);
}
