import type { Database } from "../pool.ts";

/** Findings of a drift check: resource addresses and attribute names, without values. */
export interface DriftItems {
  readonly items: readonly unknown[];
  readonly ignored: number;
}

/** Opens a drift report for an entity, unless one is already open. */
export async function openDrift(
  database: Database,
  report: DriftItems & { uid: string; entityUid: string; taskUid: string; at: string },
): Promise<void> {
  const text = `insert into drift (uid, entity_uid, task_uid, found_at, items, ignored) values ($1, $2, $3, $4, $5, $6)
    on conflict (entity_uid) where ended_at is null do nothing`;
  const { uid, entityUid, taskUid, at, items, ignored } = report;
  await database.query({ text, values: [uid, entityUid, taskUid, at, JSON.stringify(items), ignored] });
}

/** Updates an open report with the findings of a later check. */
export async function changeDrift(database: Database, report: DriftItems & { uid: string }): Promise<void> {
  const text = "update drift set items = $2, ignored = $3 where uid = $1 and ended_at is null";
  await database.query({ text, values: [report.uid, JSON.stringify(report.items), report.ignored] });
}

/** Ends an open report without a user's decision, because a run corrected the drift or a later check found none. */
export async function endDrift(database: Database, report: { uid: string; as: "corrected" | "kept" | "gone" }): Promise<void> {
  const text = "update drift set ended_at = clock_timestamp(), ended_as = $2 where uid = $1 and ended_at is null";
  await database.query({ text, values: [report.uid, report.as] });
}
