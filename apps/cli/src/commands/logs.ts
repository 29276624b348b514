import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { cliFaults } from "../faults.ts";
import { cliKindOf } from "../kinds/registry.ts";
import { addKindArgument } from "../list-flags.ts";
import { isOpen } from "../operations/operation.ts";
import { listOperationTasks } from "../operations/operation-tasks.ts";
import { printLogs, type LogSources } from "../operations/print-logs.ts";
import { requireReferences, type Reference } from "../references.ts";

/**
 * `cloud operation logs op-...`, `cloud task logs UID`: prints the task logs, oldest first. `cloud instance logs NAME`: prints the console
 * output of the machine.
 */
export const configureLogs: Configure = (command, context) => {
  const { kind } = context;
  addKindArgument(command, kind, "<names...>");
  command.option("-f, --follow", "keep printing new lines until the operation or task ends");
  const head = kind === undefined ? "cloud logs operation" : `cloud ${kind.words[0]} logs`;
  addExamples(command, `${head} NAME`, `${head} NAME --follow`, `${head} NAME -o json`);
  onServer(command, context, async (session, args, flags) => {
    const references = requireReferences("logs", kind, args, {});
    const [reference] = references;
    if (reference === undefined || references.length > 1) throw new Fault(cliFaults.usage, "specify exactly one name");
    const { readLog } = cliKindOf(reference.kind);
    if (readLog !== undefined) {
      const { client, output, project, world } = session;
      return output.line((await readLog(client, project, reference.name, { signal: world.signal })).trimEnd());
    }
    const label = `${reference.kind.words[0]}/${reference.name}`;
    await printLogs(session, { label, follow: flags["follow"] === true }, () => listSources(session, reference));
  });
};

async function listSources(session: Session, { kind, name }: Reference): Promise<LogSources> {
  const { client, project, world } = session;
  const { signal } = world;
  if (kind.kind === "Task") {
    const task = await client.tasks.get(project, name, { signal });
    return { tasks: [task], ended: ["DONE", "FAILED", "CANCELLED"].includes(task.status?.state ?? "") };
  }
  const operation = await client.operations.get(project, name, { signal });
  return { tasks: await listOperationTasks(session, operation), ended: !isOpen(operation) };
}
