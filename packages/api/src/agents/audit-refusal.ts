import { Fault } from "@cloudwright/platform";
import { insertAudit } from "@cloudwright/store";
import type { Call } from "../calls/authorise.ts";
import { auditOf } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";

/** The entity that an agent requested access to, and the requested action. */
export interface RefusedAccess {
  readonly verb: string;
  readonly kind: string;
  readonly project: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * Records in the audit log of the entity's project that an agent was denied access to another tenant's or the operator's data. Agents'
 * requests do not name a project, so the usual audit record of a failed call would not appear in that project.
 */
export async function auditRefusal(
  deps: Pick<ApiDeps, "pool" | "clock">,
  call: Call,
  { verb, kind, project, name, uid }: RefusedAccess,
  error: unknown,
): Promise<void> {
  if (!(error instanceof Fault)) return;
  await insertAudit(deps.pool, auditOf(deps, call, { verb, kind }, { project, name, uid }, "denied", error.code));
}
