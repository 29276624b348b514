import { isUid } from "@cloudwright/platform";
import { retryCollisions, type Database } from "@cloudwright/store";

/** One task in a heartbeat. */
export interface Renewal {
  readonly uid: string;
  readonly leaseToken: string;
  /** The progress to display. Undefined leaves the last progress unchanged. */
  readonly progress?: { readonly percent?: number; readonly message?: string } & Readonly<Record<string, unknown>>;
}

/** The result of a renewal. If it is rejected, the agent has lost the lease and must stop the task. */
export type Renewed =
  | { readonly uid: string; readonly accepted: false }
  | {
      readonly uid: string;
      readonly accepted: true;
      readonly leaseExpiresAt: string;
      readonly cancelReason: string | undefined;
      /** True if the progress has changed. The entity is then woken. */
      readonly changed: boolean;
    };

interface RenewedRow {
  readonly uid: string;
  readonly cancel_reason: string;
  readonly leased_until: Date;
  readonly changed: boolean;
}

/**
 * Renews leases, stores progress and returns the tasks that must stop. Wakes entities whose progress has changed. If `agentUid` is given,
 * only this agent's leases are renewed.
 */
export async function renewTasks(
  database: Database,
  renewals: readonly Renewal[],
  leaseSeconds: number,
  agentUid?: string,
): Promise<Renewed[]> {
  const asked = renewals.filter(({ uid, leaseToken }) => isUid(uid) && isUid(leaseToken));
  const values = [
    agentUid ?? null,
    asked.map(({ uid }) => uid),
    asked.map(({ leaseToken }) => leaseToken),
    asked.map(({ progress }) => (progress === undefined ? null : JSON.stringify(progress))),
    leaseSeconds,
  ];
  const text = "select uid, cancel_reason, leased_until, changed from renew_tasks($1, $2, $3, $4, $5)";
  const { rows } = await retryCollisions(() => database.query<RenewedRow>({ name: "renew-tasks", text, values }));
  const held = new Map(rows.map((row) => [row.uid, row]));
  return renewals.map(({ uid }) => {
    const row = held.get(uid);
    if (row === undefined) return { uid, accepted: false };
    const { leased_until, cancel_reason, changed } = row;
    return { uid, accepted: true, leaseExpiresAt: leased_until.toISOString(), cancelReason: cancel_reason || undefined, changed };
  });
}
