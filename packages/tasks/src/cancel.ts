import type { Database } from "@cloudwright/store";

/** Which tasks to cancel. */
export type CancelTarget =
  | { readonly entityUids: readonly string[] }
  | { readonly operationUids: readonly string[] }
  | { readonly uids: readonly string[] };

/** `leased` tasks were asked to stop: their agent hears of it at its next heartbeat. */
export interface CancelledTask {
  readonly uid: string;
  readonly entityUid: string;
  readonly state: "cancelled" | "leased";
}

/**
 * Cancels at once what nobody has begun and, unless `running` is left alone, asks agents to stop the rest. Notify the signal once it is
 * committed: other tasks may have become ready.
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
