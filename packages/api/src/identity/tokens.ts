import { errors, jwtVerify, SignJWT, type CryptoKey, type JWK, type JWTHeaderParameters } from "jose";
import { createUid, Fault, type Clock, type Logger } from "@cloudwright/platform";
import { useToken, type KeyRing, type Pool } from "@cloudwright/store";
import type { Cap } from "../calls/authorise.ts";
import { apiFaults } from "../faults.ts";
import { createAgentTokens, type AgentTokens } from "./agent-tokens.ts";
import { createIssuedCredentialIndex, type IssuedCredentialIndex } from "./issued-credentials.ts";
import { createSigningKeys, tokenAlgorithm } from "./signing-keys.ts";
import { createTokenCache, type VerifiedToken } from "./token-cache.ts";
import {
  maxTokenSeconds,
  readClaims,
  rejectToken,
  tokenIssuer,
  tokenType,
  type TokenClaims,
  type TokenKey,
} from "./token-claims.ts";

/** Issues and verifies short-lived signed tokens. */
export interface Tokens {
  issue(input: {
    userUid: string;
    audience: string;
    ttlSeconds: number;
    singleUse: boolean;
    /** The limits of the credential used to request the token. The token inherits them. */
    cap: Cap;
    /** The API key behind the credential used to request the token. The token becomes invalid when the key is revoked or rotated. */
    key?: TokenKey | undefined;
  }): Promise<{ token: string; expiresAt: string }>;
  /**
   * Returns the claims of a token. Throws if the token is forged, has expired, is meant for another audience, or is a single-use token that
   * has already been used.
   */
  verify(token: string, audience: string): Promise<Omit<TokenClaims, "once">>;
  /** Returns the agent that signed a token. Throws if the token is not valid. */
  verifyAgent: AgentTokens["verify"];
  /**
   * Returns whether this platform signed the token for this audience and the token has not expired. Usually needs no database lookup and
   * does not use up a single-use token.
   */
  recognises(token: string, audience: string): Promise<boolean>;
  /** Returns whether a known agent signed the token. Usually needs no database lookup. */
  recognisesAgent: AgentTokens["recognises"];
  /** Returns whether the text is an API key or the token of a browser session. Usually needs no database lookup. */
  recognisesKey: IssuedCredentialIndex["has"];
  /** Returns the public keys that other services use to verify tokens. */
  jwks(): Promise<{ keys: JWK[] }>;
}

const clockToleranceSeconds = 5;
const maxTokenLength = 4096;
/** Used single-use tokens are remembered for this long after they expire, in case a replica's clock is behind. */
const rememberUsedMs = 60_000;
const requiredClaims = ["iss", "aud", "sub", "jti", "iat", "nbf", "exp", "cap"];

/** Creates the token service. Replicas that share a database accept each other's tokens. */
export function createTokens(deps: {
  pool: Pool;
  /** The connections for verifying agents' tokens. Default: `pool`. */
  heartbeatPool?: Pool;
  keyRing: KeyRing;
  clock: Clock;
  log: Logger;
}): Tokens {
  const signingKeys = createSigningKeys(deps);
  const cache = createTokenCache(deps);
  const issued = createIssuedCredentialIndex(deps);
  const agentTokens = createAgentTokens({ clock: deps.clock, pool: deps.heartbeatPool ?? deps.pool, issued });

  const getVerifier = async (kid: string | undefined): Promise<CryptoKey> => {
    const key = kid === undefined ? undefined : await signingKeys.findVerifier(kid);
    if (key === undefined) throw rejectToken("it is signed with an unknown key");
    return key;
  };

  const verifyAnew = async (token: string, audience: string): Promise<VerifiedToken> => {
    if (token.length > maxTokenLength) throw rejectToken("it is too long");
    const options = {
      algorithms: [tokenAlgorithm],
      issuer: tokenIssuer,
      audience,
      typ: tokenType,
      requiredClaims,
      clockTolerance: clockToleranceSeconds,
      maxTokenAge: maxTokenSeconds,
      currentDate: new Date(deps.clock.now()),
    };
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        (header: JWTHeaderParameters) => getVerifier(header.kid),
        options,
      );
      return { kid: protectedHeader.kid ?? "", claims: readClaims(payload) };
    } catch (error) {
      if (error instanceof errors.JOSEError) throw rejectToken(error.code);
      throw error;
    }
  };

  return {
    async issue({ userUid, audience, ttlSeconds, singleUse, cap, key: source }) {
      if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > maxTokenSeconds) {
        const message = `must be from 1 to ${maxTokenSeconds}`;
        throw new Fault(apiFaults.invalid, `ttlSeconds ${message}`, { fields: [{ field: "ttlSeconds", message }] });
      }
      const nowMs = deps.clock.now();
      const iat = Math.floor(nowMs / 1000);
      const { kid, key } = await signingKeys.getSigner();
      const claims = {
        cap: { project: cap.project, role: cap.role },
        ...(singleUse ? { once: true } : {}),
        ...(source === undefined ? {} : { key: source.uid, kpx: source.prefix }),
      };
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: tokenAlgorithm, typ: tokenType, kid })
        .setIssuer(tokenIssuer)
        .setAudience(audience)
        .setSubject(userUid)
        .setJti(createUid(nowMs))
        .setIssuedAt(iat)
        .setNotBefore(iat)
        .setExpirationTime(iat + ttlSeconds)
        .sign(key);
      return { token, expiresAt: new Date((iat + ttlSeconds) * 1000).toISOString() };
    },

    async recognises(token, audience) {
      if (cache.find(token, audience) !== undefined) return true;
      try {
        const verified = await verifyAnew(token, audience);
        if (!verified.claims.once) cache.add(token, audience, verified);
        return true;
      } catch (error) {
        if (error instanceof Fault) return false;
        throw error;
      }
    },

    async verify(token, audience) {
      const known = cache.find(token, audience);
      // Looks up the key again, so that removing a key also invalidates cached tokens.
      if (known !== undefined) await getVerifier(known.kid);
      const verified = known ?? (await verifyAnew(token, audience));
      const { once, ...claims } = verified.claims;
      if (once && !(await useToken(deps.pool, claims.jti, new Date(claims.expiresAt + rememberUsedMs).toISOString()))) {
        deps.log.warn({ jti: claims.jti }, "a single-use token was used again");
        throw rejectToken("it is single-use and has already been used");
      }
      if (!once && known === undefined) cache.add(token, audience, verified);
      return claims;
    },

    verifyAgent: (token) => agentTokens.verify(token),
    recognisesAgent: (token) => agentTokens.recognises(token),
    recognisesKey: (credential) => issued.has(credential),

    jwks: async () => ({ keys: await signingKeys.listPublic() }),
  };
}
