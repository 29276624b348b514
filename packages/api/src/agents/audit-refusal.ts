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
 * Writes an audit record in the entity's project after an agent was denied access to data of another tenant or of the operator. Agents'
 * requests do not name a project, so the default audit record of a failed call would not appear in the entity's project.
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
