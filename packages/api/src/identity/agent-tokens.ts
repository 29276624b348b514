import { isUid, type Clock } from "@cloudwright/platform";
import { findAgent, type AgentRow, type Pool } from "@cloudwright/store";
import { decodeProtectedHeader, errors, importJWK, jwtVerify, type JWTPayload } from "jose";
import { hashCredential } from "./api-keys.ts";
import type { IssuedCredentialIndex } from "./issued-credentials.ts";
import { parsePublicKey } from "./public-key.ts";
import { maxTokenSeconds, rejectToken } from "./token-claims.ts";

/** The agent identified by a token. */
export interface VerifiedAgent extends AgentRow {
  readonly jti: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Verifies tokens that agents sign with their own keys. */
export interface AgentTokens {
  /**
   * Returns the agent that signed the token. Throws if the token has expired, is meant for another audience, or is not signed with the
   * agent's current key.
   */
  verify(token: string): Promise<VerifiedAgent>;
  /** Returns whether the token is signed with an agent's last known key. Usually needs no database lookup. */
  recognises(token: string): Promise<boolean>;
}

const tokenType = "agent+jwt";
/** Allowed clock skew between the server and the machines that agents run on. */
const clockToleranceSeconds = 30;
const maxTokenLength = 4096;
const maxTokens = 10_000;
const options = {
  algorithms: ["EdDSA"],
  issuer: "cloudwright-agent",
  audience: "cloudwright",
  typ: tokenType,
  requiredClaims: ["iss", "aud", "sub", "jti", "iat", "exp"],
  clockTolerance: clockToleranceSeconds,
  maxTokenAge: maxTokenSeconds,
};

/** Returns whether a token claims to come from an agent. The signature is not checked. */
export function isAgentToken(token: string): boolean {
  return readHeader(token)?.typ === tokenType;
}

/**
 * Creates the verifier. Verified signatures are cached, but the agent and its key are read on each call. Deleting an agent therefore
 * invalidates its tokens immediately.
 */
export function createAgentTokens(deps: {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly issued: Pick<IssuedCredentialIndex, "findAgentKey">;
}): AgentTokens {
  const verified = new Map<string, { readonly publicKey: string; readonly jti: string; readonly expiresAt: number }>();
  const publicKeys = new Map<string, string>();
  const isVerified = (hash: string): boolean => (verified.get(hash)?.expiresAt ?? 0) > deps.clock.now();
  return {
    async recognises(token) {
      const { kid = "" } = (token.length > maxTokenLength ? undefined : readHeader(token)) ?? {};
      const publicKey = publicKeys.get(kid) ?? (isUid(kid) ? await deps.issued.findAgentKey(kid) : undefined);
      if (publicKey === undefined) return false;
      if (isVerified(hashCredential(token).toString("base64"))) return true;
      try {
        await verifyAnew(token, { uid: kid, public_key: publicKey }, deps.clock.now());
        return true;
      } catch {
        return false;
      }
    },
    async verify(token) {
      const { kid } = (token.length > maxTokenLength ? undefined : readHeader(token)) ?? {};
      const agent = kid !== undefined && isUid(kid) ? await findAgent(deps.pool, kid) : undefined;
      if (agent === undefined || agent.public_key === "") throw rejectToken("it is not signed by an agent");
      const hash = hashCredential(token).toString("base64");
      const known = verified.get(hash);
      const nowMs = deps.clock.now();
      if (known !== undefined && known.publicKey === agent.public_key && known.expiresAt > nowMs) return { ...agent, ...known };
      const claims = await verifyAnew(token, agent, nowMs);
      const [oldest] = verified.keys();
      if (oldest !== undefined && verified.size >= maxTokens) verified.delete(oldest);
      verified.set(hash, { publicKey: agent.public_key, ...claims });
      const [oldestAgent] = publicKeys.keys();
      if (oldestAgent !== undefined && publicKeys.size >= maxTokens) publicKeys.delete(oldestAgent);
      publicKeys.set(agent.uid, agent.public_key);
      return { ...agent, ...claims };
    },
  };
}

type Signer = Pick<AgentRow, "uid" | "public_key">;

async function verifyAnew(token: string, agent: Signer, nowMs: number): Promise<{ jti: string; expiresAt: number }> {
  const jwk = parsePublicKey(agent.public_key);
  if (jwk === undefined) throw rejectToken("the agent's public key is not usable");
  const key = await importJWK({ ...jwk }, "EdDSA").catch(() => undefined);
  if (key === undefined) throw rejectToken("the agent's public key is not usable");
  try {
    const { payload } = await jwtVerify(token, key, { ...options, currentDate: new Date(nowMs) });
    return readClaims(payload, agent);
  } catch (error) {
    if (error instanceof errors.JOSEError) throw rejectToken(error.code);
    throw error;
  }
}

function readClaims({ sub, aud, jti, iat, exp }: JWTPayload, agent: Signer): { jti: string; expiresAt: number } {
  if (typeof aud !== "string") throw rejectToken("it names more than one audience");
  if (iat === undefined || exp === undefined || exp - iat > maxTokenSeconds) throw rejectToken("its lifetime is too long");
  if (sub !== agent.uid) throw rejectToken("its subject is not the agent that signed it");
  if (typeof jti !== "string" || jti === "" || jti.length > 64) throw rejectToken("its id is malformed");
  return { jti, expiresAt: exp * 1000 };
}

function readHeader(token: string): { typ?: string; kid?: string } | undefined {
  try {
    const { typ, kid } = decodeProtectedHeader(token);
    return { ...(typeof typ === "string" ? { typ } : {}), ...(typeof kid === "string" ? { kid } : {}) };
  } catch {
    return undefined;
  }
}
