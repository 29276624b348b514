import type { Database } from "@cloudwright/store";

/** Selects the tasks to cancel. */
export type CancelTarget =
  | { readonly entityUids: readonly string[] }
  | { readonly operationUids: readonly string[] }
  | { readonly uids: readonly string[] };

/** `leased` tasks were asked to stop. Their agent learns of it from its next heartbeat. */
export interface CancelledTask {
  readonly uid: string;
  readonly entityUid: string;
  readonly state: "cancelled" | "leased";
}

/**
 * Cancels tasks that have not been started and, if `running` is included, asks agents to stop the others. Notify the signal after the
 * commit, because other tasks may have become ready.
 */
export async function cancelTasks(
  database: Database,
  target: CancelTarget,
  options: { readonly reason: string; readonly running: "stop" | "leave" },
): Promise<CancelledTask[]> {
  const values = [
    "entityUids" in target ? target.entityUids : [],
    "operationUids" in target ? target.operationUids : [],
    "uids" in target ? target.uids : [],
    options.reason || "cancelled",
    options.running === "stop",
  ];
  const text = `select uid, entity_uid as "entityUid", state from cancel_tasks($1, $2, $3, $4, $5)`;
  return (await database.query<CancelledTask>({ name: "cancel-tasks", text, values })).rows;
}
