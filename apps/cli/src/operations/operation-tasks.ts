import type { EntityByKind, Stored } from "@cloudwright/api-client";
import type { Session } from "../connection/session.ts";
import type { Operation } from "./operation.ts";

export type Task = Stored<EntityByKind["Task"]>;

/** Lists the tasks of an operation, oldest first. The result does not include attempts. */
export async function listOperationTasks(session: Session, operation: Operation): Promise<Task[]> {
  const tasks: Task[] = [];
  const query = { filter: `spec.operation=${operation.metadata.name}`, signal: session.world.signal };
  for await (const task of session.client.tasks.listAll(session.project, query)) tasks.push(task);
  // Uids start with the time, so sorting by uid sorts by creation time.
  return tasks.toSorted((a, b) => (a.metadata.uid < b.metadata.uid ? -1 : 1));
}
