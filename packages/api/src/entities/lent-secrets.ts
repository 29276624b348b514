import { getKind, type JsonObject } from "@cloudwright/contract";
import { insertAudit, listReferenced, type ReferencedRow } from "@cloudwright/store";
import type { Call } from "../calls/authorise.ts";
import { auditOf } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { unsealSecrets } from "./secrets.ts";

interface Borrower {
  readonly uid: string;
  readonly kind: string;
}

/**
 * Returns the secrets that other entities lend to an entity, according to its kind's references. Every lender is recorded in the audit log
 * before its secrets are returned.
 */
export async function openLentSecrets(
  deps: Pick<ApiDeps, "pool" | "keyRing" | "clock">,
  call: Call,
  verb: string,
  borrower: Borrower,
): Promise<JsonObject[]> {
  const lent: JsonObject[] = [];
  for (const lender of await listLenders(deps, borrower)) {
    const { uid, kind, name, project, sealed } = lender;
    const secrets = unsealSecrets(deps.keyRing, uid, sealed);
    if (Object.keys(secrets).length > 0) {
      await insertAudit(deps.pool, auditOf(deps, call, { verb, kind }, { project, name, uid }, "allowed", ""));
      lent.push({ kind, name, secrets });
    }
    lent.push(...(await openLentSecrets(deps, call, verb, lender)));
  }
  return lent;
}

async function listLenders({ pool }: Pick<ApiDeps, "pool">, { uid, kind }: Borrower): Promise<ReferencedRow[]> {
  const lending = getKind(kind).references.filter(({ lendsSecrets }) => lendsSecrets === true);
  if (lending.length === 0) return [];
  const rows = await listReferenced(pool, uid);
  return rows.filter((row) =>
    lending.some((one) => one.kind === row.kind && (row.field === null ? one.owning : one.field === row.field)),
  );
}
