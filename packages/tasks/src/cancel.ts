import type { Database } from "@cloudwright/store";

export type CancelTarget =
  | { readonly entityUids: readonly string[] }
  | { readonly operationUids: readonly string[] }
  | { readonly uids: readonly string[] };

/** A cancelled task. If its state is `leased`, the agent learns from its next heartbeat that it must stop. */
export interface CancelledTask {
  readonly uid: string;
  readonly entityUid: string;
  readonly state: "cancelled" | "leased";
}

/**
 * Cancels tasks that no agent has leased. If `running` is `stop`, also asks agents to stop leased tasks. Notify the signal after the
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
