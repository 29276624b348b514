import { isUid } from "@cloudwright/platform";
import type { Database } from "@cloudwright/store";

/** One task of a heartbeat. */
export interface Renewal {
  readonly uid: string;
  readonly leaseToken: string;
  /** The progress to show. Undefined keeps the last one. `percent` and `message` are shown by name. */
  readonly progress?: { readonly percent?: number; readonly message?: string } & Readonly<Record<string, unknown>>;
}

/** The result of a renewal. A rejected one has lost its lease and must stop. */
export type Renewed =
  | { readonly uid: string; readonly accepted: false }
  | {
      readonly uid: string;
      readonly accepted: true;
      readonly leaseExpiresAt: string;
      readonly cancelReason: string | undefined;
      /** True if the progress differs, so that the entity was woken. */
      readonly changed: boolean;
    };

/**
 * Renews leases, stores their progress and returns which tasks are asked to stop. Wakes entities whose tasks have made progress. With
 * `agentUid`, only leases of this agent.
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
  const { rows } = await database.query<{ uid: string; cancel_reason: string; leased_until: Date; changed: boolean }>({
    name: "renew-tasks",
    text,
    values,
  });
  const held = new Map(rows.map((row) => [row.uid, row]));
  return renewals.map(({ uid }) => {
    const row = held.get(uid);
    if (row === undefined) return { uid, accepted: false };
    const { leased_until, cancel_reason, changed } = row;
    return { uid, accepted: true, leaseExpiresAt: leased_until.toISOString(), cancelReason: cancel_reason || undefined, changed };
  });
}
