import type { EntityByKind, Stored } from "@cloudwright/api-client";
import type { Session } from "../connection/session.ts";
import type { Operation } from "./operation.ts";

/** A task as the server gives it. */
export type Task = Stored<EntityByKind["Task"]>;

/** The tasks of an operation, the oldest first; a list leaves out their attempts. */
export async function listOperationTasks(session: Session, operation: Operation): Promise<Task[]> {
  const tasks: Task[] = [];
  const query = { filter: `spec.operation=${operation.metadata.name}`, signal: session.world.signal };
  for await (const task of session.client.tasks.listAll(session.project, query)) tasks.push(task);
  // Uids begin with the time, so that their order is the order in which the tasks were made.
  return tasks.toSorted((a, b) => (a.metadata.uid < b.metadata.uid ? -1 : 1));
}
