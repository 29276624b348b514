import type { TaskLogLineJson } from "@cloudwright/api-client";
import type { Session } from "../connection/session.ts";
import { isStructured } from "../output/output.ts";
import { flatten } from "../output/table.ts";
import type { Task } from "./operation-tasks.ts";

const pauseMs = 1000;
const pageSize = 1000;

/** The tasks whose logs are printed, and whether all of them have ended. */
export interface LogSources {
  readonly tasks: readonly Task[];
  readonly ended: boolean;
}

/** Prints task logs, oldest first. With `follow`, continues until all tasks have ended. */
export async function printLogs(
  session: Session,
  { label, follow }: { readonly label: string; readonly follow: boolean },
  listSources: () => Promise<LogSources>,
): Promise<void> {
  const { world, output } = session;
  const read = new Map<string, string>();
  for (;;) {
    // Reads the task states before the logs, so that the last lines are not missed.
    const { tasks, ended } = await listSources();
    for (const task of tasks) await printTask(session, task, read);
    if (!follow || ended) break;
    await world.clock.sleep(pauseMs, world.signal);
  }
  if (read.size === 0) output.note(`${label} has no log yet`);
}

/** Prints the log lines added since the previous call. */
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
