import { createRateLimiter, createToken, Fault, sourceNetwork } from "@cloudwright/platform";
import { deleteSession, insertAudit, insertSession, isViolation, type CallerRow } from "@cloudwright/store";
import { createCaller, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { auditOf } from "../calls/trace-call.ts";
import { hashCredential } from "./api-keys.ts";
import { capOf, findKeyHolder, findSourceHolder, requireUsable } from "./holder.ts";
import type { LoginProof } from "./login-body.ts";
import { consoleAudience } from "./token-claims.ts";

/** A new session. The cookie contains the token, and the database stores only its hash. */
export interface NewSession {
  readonly token: string;
  readonly user: string;
  readonly expiresAtMs: number;
}

type LoginDeps = Pick<ApiDeps, "pool" | "clock" | "tokens">;

const failuresPerMinute = 10;

/**
 * Creates the login function, which exchanges an API key or a sign-in token for a session. It limits failures per source and audits all
 * attempts. It also ends the browser's previous session, because the new cookie replaces the only copy of its token.
 */
export function createLogin(
  deps: LoginDeps,
  options: { sessionTtlMs: number },
): (proof: LoginProof, call: Omit<Call, "caller">, before?: string) => Promise<NewSession> {
  const attempts = createRateLimiter(deps, { perSecond: failuresPerMinute / 60, burst: failuresPerMinute });
  return async (proof, call, before) => {
    const source = sourceNetwork(call.source);
    // The attempt is counted before the credential is checked, so that parallel attempts count too. It is refunded unless the credential
    // is rejected.
    const admission = attempts.take(source);
    if (!admission.allowed) {
      throw new Fault(apiFaults.rate_limited, "too many failed logins from this address", {
        retryAfterMs: admission.retryAfterMs,
      });
    }
    let refused = false;
    try {
      return await login(deps, { ...options, before }, proof, call);
    } catch (error) {
      refused = isRejection(error);
      throw error;
    } finally {
      if (!refused) attempts.restore(source);
    }
  };
}

interface LoginOptions {
  readonly sessionTtlMs: number;
  readonly before: string | undefined;
}

async function login(deps: LoginDeps, options: LoginOptions, proof: LoginProof, call: Omit<Call, "caller">): Promise<NewSession> {
  const row = "key" in proof ? await findKeyHolder(deps, proof.key) : await findHolderOfLink(deps, proof.token);
  try {
    const what = "key" in proof ? "API key" : "sign-in link";
    return await beginSession(deps, options, requireUsable(deps, what, row), call);
  } catch (error) {
    if (isRejection(error)) {
      const failed: Call = { ...call, caller: row === undefined ? undefined : toCaller(row) };
      await insertAudit(
        deps.pool,
        auditOf(deps, failed, { verb: "login", kind: "Session" }, target(row?.user_name), "denied", error.code),
      );
    }
    throw error;
  }
}

/** Returns the holder of the API key behind a sign-in link. Forged, expired and used links are treated like unknown keys. */
async function findHolderOfLink(deps: LoginDeps, token: string): Promise<CallerRow | undefined> {
  try {
    const { key } = await deps.tokens.verify(token, consoleAudience);
    return await findSourceHolder(deps, key);
  } catch (error) {
    if (isRejection(error)) return undefined;
    throw error;
  }
}

async function beginSession(
  deps: LoginDeps,
  { sessionTtlMs, before }: LoginOptions,
  row: CallerRow,
  call: Omit<Call, "caller">,
): Promise<NewSession> {
  const nowMs = deps.clock.now();
  const expiresAtMs = Math.min(nowMs + sessionTtlMs, row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY);
  const token = createToken();
  const audit = auditOf(
    deps,
    { ...call, caller: toCaller(row) },
    { verb: "login", kind: "Session" },
    target(row.user_name),
    "allowed",
    "",
  );
  const session = {
    hash: hashCredential(token),
    keyUid: row.key_uid ?? "",
    createdAt: new Date(nowMs).toISOString(),
    expiresAt: new Date(expiresAtMs).toISOString(),
  };
  try {
    await deps.pool.transaction(async (database) => {
      if (before !== undefined) await deleteSession(database, hashCredential(before));
      await insertSession(database, session);
      await insertAudit(database, audit);
    });
  } catch (error) {
    if (isViolation(error, "23503")) throw new Fault(apiFaults.unauthenticated, "the API key was revoked during sign-in");
    throw error;
  }
  return { token, user: row.user_name, expiresAtMs };
}

export async function logout(deps: LoginDeps, token: string, call: Call): Promise<void> {
  const audit = auditOf(deps, call, { verb: "logout", kind: "Session" }, target(call.caller?.user), "allowed", "");
  await deps.pool.transaction(async (database) => {
    await deleteSession(database, hashCredential(token));
    await insertAudit(database, audit);
  });
}

function isRejection(error: unknown): error is Fault {
  return error instanceof Fault && error.kind === "unauthenticated";
}

function toCaller(row: CallerRow): Call["caller"] {
  return createCaller(row, "key", row.prefix, capOf(row));
}

function target(user = ""): { project: string; name: string; uid: null } {
  return { project: "", name: user, uid: null };
}
