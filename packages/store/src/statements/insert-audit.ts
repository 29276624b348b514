import type { Database } from "../pool.ts";
import { traceParameters, type AuditWrite } from "../trace.ts";

/** Writes an audit record alone, for calls that were denied or failed and so changed nothing. */
export async function insertAudit(database: Database, audit: AuditWrite): Promise<void> {
  const [, , audits] = traceParameters({ changes: [], events: [], audits: [audit] });
  const text = "insert into audit select r.* from json_populate_recordset(null::audit, $1::json) r";
  await database.query({ name: "insert-audit", text, values: [audits] });
}
