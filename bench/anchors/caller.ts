import { createHash } from "node:crypto";
import { roleReaches, systemProject, type Role } from "@cloudwright/contract";
import { findCallerByKey, type CallerRow, type Pool } from "@cloudwright/store";

/** An error that becomes an HTTP response with this status. */
export class Refusal extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/**
 * Returns the caller that an API key identifies. Runs the same statement and checks as the product: the key must be known, enabled and not
 * expired.
 */
export async function authenticate(pool: Pool, header: string | undefined): Promise<CallerRow> {
  const key = /^bearer +(cw_[A-Za-z0-9_-]{43})$/i.exec(header ?? "")?.[1];
  const row = key === undefined ? undefined : await findCallerByKey(pool, createHash("sha256").update(key).digest());
  if (row === undefined) throw new Refusal(401, "the API key is unknown");
  if (row.disabled || (row.expires_at !== null && row.expires_at.getTime() <= Date.now()))
    throw new Refusal(401, "the API key is expired or disabled");
  return row;
}

/**
 * Throws if the caller lacks the role in the project. Otherwise returns a function that checks whether the role also applies to an
 * environment, where `""` means the whole project.
 */
export function authorise(caller: CallerRow, project: string, asked: Role): (environment: string) => boolean {
  const capped = caller.cap_project === "" || caller.cap_project === project;
  const here = capped ? caller.grants.filter((grant) => grant.project === project || grant.project === systemProject) : [];
  if (here.length === 0) throw new Refusal(404, "no such project");
  const limit = caller.cap_role as Role | "";
  const fitting = here.filter((grant) => roleReaches(grant.role as Role, asked) && (limit === "" || roleReaches(limit, asked)));
  if (fitting.length === 0) throw new Refusal(403, `this requires the ${asked} role`);
  return (environment) => fitting.some((grant) => grant.environment === "" || grant.environment === environment);
}
