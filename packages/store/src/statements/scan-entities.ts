import type { Pool } from "../pool.ts";

export interface ScannedRow {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
  readonly parent_uid: string | null;
  readonly environment: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly resource_version: string;
  readonly object: string;
}

/** The transactions that are visible in a snapshot, by the rules of PostgreSQL's pg_visible_in_snapshot. */
export interface Snapshot {
  readonly xmin: bigint;
  sees(xid: bigint): boolean;
}

/**
 * Passes all entities of a project, or only those of one kind, to `onPage`. All pages are read in the same snapshot, which is returned.
 */
export async function scanEntities(
  pool: Pool,
  scope: { project: string; kind: string | undefined },
  onPage: (rows: readonly ScannedRow[]) => void | Promise<void>,
): Promise<Snapshot> {
  return pool.transaction(async (database) => {
    await database.query({ text: "set transaction isolation level repeatable read, read only", values: [] });
    const { rows } = await database.query<{ snapshot: string }>({
      text: "select pg_current_snapshot()::text as snapshot",
      values: [],
    });
    const text = `select uid, kind, name, parent_uid, environment, labels, resource_version, object::text as object from entity
      where project = $1 and ($2::text is null or kind = $2) and uid > $3 order by uid limit 200`;
    let after = "00000000-0000-0000-0000-000000000000";
    for (;;) {
      const page = await database.query<ScannedRow>({ text, values: [scope.project, scope.kind ?? null, after] });
      const last = page.rows.at(-1);
      if (last === undefined) return parseSnapshot(rows[0]?.snapshot ?? "0:0:");
      await onPage(page.rows);
      after = last.uid;
    }
  });
}

function parseSnapshot(text: string): Snapshot {
  const [xminText = "0", xmaxText = "0", running = ""] = text.split(":");
  const xmin = BigInt(xminText);
  const xmax = BigInt(xmaxText);
  const open = new Set(running.split(",").filter((xid) => xid !== ""));
  return { xmin, sees: (xid) => xid < xmin || (xid < xmax && !open.has(String(xid))) };
}
