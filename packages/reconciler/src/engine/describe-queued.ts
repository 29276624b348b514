import type { Scope } from "./scope.ts";

/**
 * Describes what a task of the given type is waiting for. An entity's tasks run one after the other, so a new task may have to wait for a
 * task of an earlier operation. The wait can last hours if a call to the cloud hangs.
 */
export function describeQueued({ tasks, operation }: Pick<Scope, "tasks" | "operation">, type: string): string {
  const running = tasks.findLast((task) => task.state === "leased");
  if (running === undefined) return `waiting for an agent to run ${type}`;
  if (running.cancelReason !== "") return `${type} is waiting for ${running.type} to stop`;
  const name = operation?.object.metadata.name;
  const advice =
    name === undefined ? "" : `; to stop ${running.type}, run \`cloud operation cancel ${name}\` and repeat your request`;
  return `${type} is waiting for ${running.type} to finish${advice}`;
}
