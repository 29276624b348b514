import { roles } from "@cloudwright/contract";
import { Fault, isUid } from "@cloudwright/platform";
import type { JWTPayload } from "jose";
import type { Cap } from "../calls/authorise.ts";
import { apiFaults } from "../faults.ts";

/** The `iss` claim of the platform's tokens. */
export const tokenIssuer = "cloudwright";

/** The `typ` header of the platform's tokens. It prevents a JWT that was signed for another purpose from being accepted as a token. */
export const tokenType = "cloudwright+jwt";

/** Longest accepted lifetime of any token, in seconds. */
export const maxTokenSeconds = 300;

/** The audience of the tokens in sign-in links. A browser exchanges such a token for a session. */
export const consoleAudience = "console";

/** The API key from which a token was created. Rotating the key changes its prefix. */
export interface TokenKey {
  readonly uid: string;
  readonly prefix: string;
}

/** The validated claims of a token. */
export interface TokenClaims {
  readonly userUid: string;
  readonly jti: string;
  readonly cap: Cap;
  readonly once: boolean;
  /** Undefined in tokens from earlier releases, which expire within five minutes. */
  readonly key: TokenKey | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Reads claims whose signature, issuer, audience and times have already been verified. Throws if a claim is malformed. */
export function readClaims(payload: JWTPayload): TokenClaims {
  const { sub, aud, jti, iat, exp, cap, once } = payload;
  if (typeof aud !== "string") throw rejectToken("it names more than one audience");
  if (iat === undefined || exp === undefined || exp - iat > maxTokenSeconds) throw rejectToken("its lifetime is too long");
  if (typeof sub !== "string" || !isUid(sub)) throw rejectToken("its subject is not a user");
  if (typeof jti !== "string" || jti === "" || jti.length > 64) throw rejectToken("its id is malformed");
  if (once !== undefined && once !== true) throw rejectToken("its claim `once` is malformed");
  return { userUid: sub, jti, cap: readCap(cap), once: once === true, key: readKey(payload), expiresAt: exp * 1000 };
}

function readKey({ key: uid, kpx: prefix }: JWTPayload): TokenKey | undefined {
  if (uid === undefined && prefix === undefined) return undefined;
  if (typeof uid !== "string" || !isUid(uid) || typeof prefix !== "string") throw rejectToken("its key is malformed");
  return { uid, prefix };
}

function readCap(cap: unknown): Cap {
  if (typeof cap !== "object" || cap === null || !("project" in cap) || !("role" in cap))
    throw rejectToken("its limits are missing");
  const { project, role } = cap;
  const known = ["", "agent", ...roles] as const;
  const capRole = known.find((candidate) => candidate === role);
  if (typeof project !== "string" || capRole === undefined) throw rejectToken("its limits are malformed");
  return { project, role: capRole };
}

/** Creates the fault for a rejected token. The fault contains neither the token nor its claims. */
export function rejectToken(reason: string): Fault {
  return new Fault(apiFaults.unauthenticated, `the token was rejected: ${reason}`);
}
