import type { Database } from "../pool.ts";
import { traceParameters, type AuditWrite } from "../trace.ts";

/** Writes a single audit record, for a call that changed nothing because it was denied or failed. */
export async function insertAudit(database: Database, audit: AuditWrite): Promise<void> {
  const [, , audits] = traceParameters({ changes: [], events: [], audits: [audit] });
  const text = "insert into audit select r.* from json_populate_recordset(null::audit, $1::json) r";
  await database.query({ name: "insert-audit", text, values: [audits] });
}
