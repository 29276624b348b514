import { Fault } from "@cloudwright/platform";
import { storeFaults } from "../faults.ts";
import type { Database } from "../pool.ts";

/** A place in the change log. */
export interface Position {
  readonly xid: bigint;
  readonly seq: bigint;
}

/** One committed change. `object` is JSON text. */
export interface Change {
  readonly position: Position;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly project: string;
  readonly kind: string;
  readonly uid: string;
  readonly parentUid: string | null;
  readonly environment: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly oldLabels: Readonly<Record<string, string>> | null;
  readonly object: string;
}

interface ChangeRow {
  readonly xid: string;
  readonly seq: string;
  readonly type: Change["type"];
  readonly project: string;
  readonly kind: string;
  readonly uid: string;
  readonly parent_uid: string | null;
  readonly environment: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly old_labels: Readonly<Record<string, string>> | null;
  readonly object: string;
}

const columns =
  "xid::text as xid, seq, type, project, kind, uid, parent_uid, environment, labels, old_labels, object::text as object";

/** Changes after a position, in commit order; nothing that a transaction still open could come before. */
export async function readChanges(database: Database, after: Position, limit: number, project?: string): Promise<Change[]> {
  // Ordered by the table's own columns: a bare `xid` would be the text above, by which 10 comes before 9.
  const text = `select ${columns} from change where (xid, seq) > ($1::text::xid8, $2::bigint)
    and xid < pg_snapshot_xmin(pg_current_snapshot()) ${project === undefined ? "" : "and project = $4"} order by change.xid, change.seq limit $3`;
  const values = [String(after.xid), String(after.seq), limit, ...(project === undefined ? [] : [project])];
  const name = project === undefined ? "read-changes" : "read-project-changes";
  const { rows } = await database.query<ChangeRow>({ name, text, values });
  return rows.map(({ xid, seq, parent_uid, old_labels, ...rest }) => ({
    ...rest,
    position: { xid: BigInt(xid), seq: BigInt(seq) },
    parentUid: parent_uid,
    oldLabels: old_labels,
  }));
}

/** Where the log ends now, and whether changes beyond it wait for an open transaction. */
export async function readHead(database: Database): Promise<Position> {
  const text = "select (pg_snapshot_xmin(pg_current_snapshot())::text) as xid";
  const { rows } = await database.query<{ xid: string }>({ name: "read-head", text, values: [] });
  return { xid: BigInt(rows[0]?.xid ?? 0), seq: 0n };
}

/** Whether there is any change after a position, readable yet or not. */
export async function hasChangesAfter(database: Database, after: Position): Promise<boolean> {
  const text = "select exists (select from change where (xid, seq) > ($1::text::xid8, $2::bigint)) as pending";
  const { rows } = await database.query<{ pending: boolean }>({
    name: "has-changes-after",
    text,
    values: [String(after.xid), String(after.seq)],
  });
  return rows[0]?.pending === true;
}

/** A position as callers see it. */
export function formatPosition(position: Position): string {
  return `${position.xid}.${position.seq}`;
}

export function isAfter(a: Position, b: Position): boolean {
  return a.xid === b.xid ? a.seq > b.seq : a.xid > b.xid;
}

/** Resolves a resourceVersion of a list, an event or an entity to a place in the log that can still be resumed from. */
export async function resolvePosition(database: Database, text: string): Promise<Position> {
  const match = /^(?:(?<xid>\d{1,19})\.)?(?<seq>\d{1,19})$/.exec(text);
  if (match?.groups === undefined) throw new Fault(storeFaults.bad_position, `"${text}" is no resourceVersion`);
  const seq = BigInt(match.groups["seq"] as string);
  const given = match.groups["xid"];
  const expired = new Fault(storeFaults.watch_expired, `changes since resourceVersion ${text} are no longer kept`);
  const values = [String(seq)];
  const { rows } = await database.query<{ xid: string; horizon_xid: string; horizon_seq: string }>({
    name: "resolve-position",
    text: `select (select max(xid::text::numeric)::text from change where seq = $1::bigint) as xid, h.xid::text as horizon_xid, h.seq as horizon_seq from change_horizon h`,
    values,
  });
  const row = rows[0];
  const xid = given ?? row?.xid;
  if (row === undefined || xid === undefined || xid === null) throw expired;
  const position = { xid: BigInt(xid), seq };
  const horizon = { xid: BigInt(row.horizon_xid), seq: BigInt(row.horizon_seq) };
  if (isAfter(horizon, position)) throw expired;
  return position;
}
