import { Fault } from "@cloudwright/platform";
import { storeFaults } from "../faults.ts";
import type { Database } from "../pool.ts";

/** A position in the change log. */
export interface Position {
  readonly xid: bigint;
  readonly seq: bigint;
}

/** A committed change. `object` is JSON text. */
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
  readonly oldEnvironment: string;
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
  readonly old_environment: string;
  readonly object: string;
}

const columns =
  "xid::text as xid, seq, type, project, kind, uid, parent_uid, environment, labels, old_labels, coalesce(old_environment, environment) as old_environment, object::text as object";

/** Returns the changes after a position, in commit order, up to the oldest transaction that is still open. */
export async function readChanges(database: Database, after: Position, limit: number, project?: string): Promise<Change[]> {
  // Orders by the table's columns. An unqualified `xid` would refer to the text column selected above, in which 10 sorts before 9.
  const text = `select ${columns} from change where (xid, seq) > ($1::text::xid8, $2::bigint)
    and xid < pg_snapshot_xmin(pg_current_snapshot()) ${project === undefined ? "" : "and project = $4"} order by change.xid, change.seq limit $3`;
  const values = [String(after.xid), String(after.seq), limit, ...(project === undefined ? [] : [project])];
  const name = project === undefined ? "read-changes" : "read-project-changes";
  const { rows } = await database.query<ChangeRow>({ name, text, values });
  return rows.map(({ xid, seq, parent_uid, old_labels, old_environment, ...rest }) => ({
    ...rest,
    position: { xid: BigInt(xid), seq: BigInt(seq) },
    parentUid: parent_uid,
    oldLabels: old_labels,
    oldEnvironment: old_environment,
  }));
}

/** Returns the current end of the change log. */
export async function readHead(database: Database): Promise<Position> {
  const text = "select (pg_snapshot_xmin(pg_current_snapshot())::text) as xid";
  const { rows } = await database.query<{ xid: string }>({ name: "read-head", text, values: [] });
  return { xid: BigInt(rows[0]?.xid ?? 0), seq: 0n };
}

/** Returns whether there is a change after a position, even if it cannot be read yet. */
export async function hasChangesAfter(database: Database, after: Position): Promise<boolean> {
  const text = "select exists (select from change where (xid, seq) > ($1::text::xid8, $2::bigint)) as pending";
  const { rows } = await database.query<{ pending: boolean }>({
    name: "has-changes-after",
    text,
    values: [String(after.xid), String(after.seq)],
  });
  return rows[0]?.pending === true;
}

/** Renders a position as a resourceVersion. */
export function formatPosition(position: Position): string {
  return `${position.xid}.${position.seq}`;
}

export function isAfter(a: Position, b: Position): boolean {
  return a.xid === b.xid ? a.seq > b.seq : a.xid > b.xid;
}

const resolveText = `select (select max(xid::text::numeric)::text from change where seq = $1::bigint) as xid,
  h.xid::text as horizon_xid, h.seq as horizon_seq, pg_snapshot_xmax(pg_current_snapshot())::text as next_xid from change_horizon h`;

/** Converts the resourceVersion of a list, an event or an entity to a position from which a watch can resume. */
export async function resolvePosition(database: Database, text: string): Promise<Position> {
  const [given, seq] = parsePosition(text);
  const { rows } = await database.query<{ xid: string | null; horizon_xid: string; horizon_seq: string; next_xid: string }>({
    name: "resolve-position",
    text: resolveText,
    values: [String(seq)],
  });
  const row = rows[0];
  const xid = given ?? (row?.xid === null || row === undefined ? undefined : BigInt(row.xid));
  const expired = new Fault(storeFaults.watch_expired, `the log no longer contains the changes since resourceVersion ${text}`);
  // A transaction id in the future comes from another database, or from this one before it was restored.
  if (row === undefined || xid === undefined || xid > BigInt(row.next_xid)) throw expired;
  const position = { xid, seq };
  if (isAfter({ xid: BigInt(row.horizon_xid), seq: BigInt(row.horizon_seq) }, position)) throw expired;
  return position;
}

const largest = 2n ** 63n - 1n;

/** Returns the transaction id and the sequence number. The resourceVersion of an entity contains no transaction id. */
function parsePosition(text: string): [xid: bigint | undefined, seq: bigint] {
  const match = /^(?:(?<xid>\d{1,19})\.)?(?<seq>\d{1,19})$/.exec(text);
  const seq = BigInt(match?.groups?.["seq"] ?? -1);
  const xid = match?.groups?.["xid"] === undefined ? undefined : BigInt(match.groups["xid"]);
  if (seq < 0n || seq > largest || (xid ?? 0n) > largest) {
    throw new Fault(storeFaults.bad_position, `"${text}" is not a resourceVersion`);
  }
  return [xid, seq];
}
