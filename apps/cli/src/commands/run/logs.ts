import type { RunJson } from "@cloudwright/api-client";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import type { Session } from "../../connection/session.ts";
import type { Task } from "../../operations/operation-tasks.ts";
import { printLogs } from "../../operations/print-logs.ts";
import { addRunArgument, isOpenRun, nameRun, renderRunCommand, requireRun } from "../../runs/run.ts";

/** `cloud run logs RUN`: prints the logs of the plan task, then those of the apply task. */
export const configureRunLogs: Configure = (command, context) => {
  addRunArgument(command).option("-f, --follow", "keep printing new lines until the run ends");
  addExamples(
    command,
    "cloud run logs cluster/dev",
    "cloud run logs cluster/dev --follow",
    "cloud run logs 0123456789ab -o json",
  );
  onServer(command, context, async (session, [text = ""], flags) => {
    const { client, output, project, world } = session;
    const first = await requireRun(session, text);
    const follow = flags["follow"] === true;
    let isTold = false;
    await printLogs(session, { label: nameRun(first), follow }, async () => {
      const run = await client.runs.get(project, first.uid ?? "", { signal: world.signal });
      if (follow && !isTold && run.state === "NEEDS_APPROVAL") {
        output.note(`the run is waiting for approval; approve with: ${renderRunCommand(session, "approve", run)}`);
        isTold = true;
      }
      return { tasks: await listTasks(session, run), ended: !isOpenRun(run) };
    });
  });
};

/** Returns the run's tasks, except those already pruned. */
async function listTasks({ client, project, world }: Session, run: RunJson): Promise<Task[]> {
  const uids = new Set([run.planTask || run.uid, run.applyTask].filter((uid) => uid !== undefined && uid !== ""));
  const tasks: Task[] = [];
  for (const uid of uids) {
    try {
      tasks.push(await client.tasks.get(project, uid as string, { signal: world.signal }));
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== "not_found") throw error;
    }
  }
  return tasks;
}
