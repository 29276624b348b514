import type { Role } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findCallerByKeyUid, findCallerBySession, findCallerByUser, type CallerRow } from "@cloudwright/store";
import type { Cap } from "../calls/authorise.ts";
import { sharedReads } from "../calls/shared-reads.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { hashCredential, isApiKey } from "./api-keys.ts";
import type { TokenClaims, TokenKey } from "./token-claims.ts";

type HolderDeps = Pick<ApiDeps, "pool" | "clock">;

/**
 * Returns the holder of an API key, even if the key has expired or the user is disabled. Returns undefined if the key is unknown. Results
 * are not cached, so a revoked key is rejected immediately.
 */
export async function findKeyHolder(deps: Pick<HolderDeps, "pool">, key: string): Promise<CallerRow | undefined> {
  return isApiKey(key) ? sharedReads(deps.pool).findCallerByKey(hashCredential(key)) : undefined;
}

/** Returns the user of a browser session. Throws if the session has expired. */
export async function getSessionHolder(deps: HolderDeps, cookie: string): Promise<CallerRow> {
  return requireUsable(deps, "session", await findCallerBySession(deps.pool, hashCredential(cookie)));
}

/** Returns the holder of the API key from which a token was created, or undefined if the key has been revoked or rotated. */
export async function findSourceHolder(
  deps: Pick<HolderDeps, "pool">,
  key: TokenKey | undefined,
): Promise<CallerRow | undefined> {
  const row = key === undefined ? undefined : await findCallerByKeyUid(deps.pool, key.uid);
  return row?.prefix === key?.prefix ? row : undefined;
}

/**
 * Returns the user that a verified token was issued to. Throws if the user has been disabled or deleted, or if the API key behind the token
 * has expired or has been revoked or rotated.
 */
export async function getTokenHolder(
  deps: HolderDeps,
  { userUid, key }: Pick<TokenClaims, "userUid" | "key">,
): Promise<CallerRow> {
  if (key === undefined) return requireUsable(deps, "token", await findCallerByUser(deps.pool, userUid));
  const row = requireUsable(deps, "API key behind the token", await findSourceHolder(deps, key));
  if (row.user_uid !== userUid) throw new Fault(apiFaults.unauthenticated, "the token and its API key belong to different users");
  return row;
}

/** Throws if a credential is unknown or expired, or if its user is disabled. */
export function requireUsable(deps: Pick<HolderDeps, "clock">, credential: string, row: CallerRow | undefined): CallerRow {
  if (row === undefined) throw new Fault(apiFaults.unauthenticated, `the ${credential} is unknown or revoked`);
  if (row.expires_at !== null && row.expires_at.getTime() <= deps.clock.now()) {
    throw new Fault(apiFaults.unauthenticated, `the ${credential} has expired`);
  }
  if (row.disabled) throw new Fault(apiFaults.unauthenticated, `the user of the ${credential} is disabled`);
  return row;
}

/** Returns the limits of an API key, or of the API key behind a session. */
export function capOf(row: CallerRow): Cap {
  return { project: row.cap_project, role: row.cap_role as Role | "" };
}
