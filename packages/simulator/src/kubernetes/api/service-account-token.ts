import { createHmac, timingSafeEqual } from "node:crypto";
import type { ClusterState } from "../cluster/cluster-state.ts";
import { timeText, type KubeObject } from "../cluster/kube-object.ts";
import type { Credential, TokenOrigin } from "../host/cluster-access.ts";
import type { Answer, ResourceCall } from "./call.ts";
import { ok } from "./call.ts";
import { parseBody } from "./patch.ts";
import { getObject } from "./update.ts";

/**
 * Handles a TokenRequest by issuing a service account token. The token is valid until it expires or the account is deleted. It names the
 * credential that was used to request the caller's own token, and becomes invalid with that credential. If the caller's token names no
 * credential, the new token expires together with the caller's token, so that no token can prolong itself.
 */
export function createAccountToken(call: ResourceCall): Answer {
  const account = getObject({ ...call, subresource: "" });
  const request = call.body.length === 0 ? {} : (parseBody(call) as any);
  const nowSeconds = Math.floor(call.cluster.clock.now() / 1000);
  const { origin, expiresAtMs } = call.credential ?? {};
  const requested = readSeconds(request?.spec?.expirationSeconds);
  const isBound = origin === undefined && expiresAtMs !== undefined;
  const seconds = isBound ? Math.min(requested, Math.floor(expiresAtMs / 1000) - nowSeconds) : requested;
  const audiences = request?.spec?.audiences ?? ["https://kubernetes.default.svc"];
  const claims = {
    iss: "https://kubernetes.default.svc",
    sub: `system:serviceaccount:${call.namespace}:${call.name}`,
    aud: audiences,
    iat: nowSeconds,
    exp: nowSeconds + seconds,
    "kubernetes.io": { namespace: call.namespace, serviceaccount: { name: call.name, uid: account.metadata.uid } },
    ...(origin !== undefined && { [originClaim]: { source: origin.source, role: origin.role } }),
  };
  const status = { token: sign(call.cluster.tokenKey, claims), expirationTimestamp: timeText((nowSeconds + seconds) * 1000) };
  const spec = { audiences, expirationSeconds: seconds };
  return ok(
    {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name: call.name, namespace: call.namespace },
      spec,
      status,
    },
    201,
  );
}

const originClaim = "cloudwright.io/origin";

// As in Kubernetes, a server may issue tokens that expire earlier than requested.
const shortestSeconds = 600;
const longestSeconds = 86_400;

function readSeconds(requested: unknown): number {
  const seconds = typeof requested === "number" ? Math.floor(requested) : 3_600;
  return Math.min(longestSeconds, Math.max(shortestSeconds, seconds));
}

/** The service account that a token was issued to, and the token's origin. */
export interface AccountClaims extends Credential {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Verifies the signature and the expiry of a service account token. Returns undefined if the token is not valid. */
export function readAccountToken(tokenKey: Buffer, token: string, nowMs: number): AccountClaims | undefined {
  const [head = "", body = "", signature = "", ...rest] = token.split(".");
  if (signature === "" || rest.length > 0) return undefined;
  const expected = createHmac("sha256", tokenKey).update(`${head}.${body}`).digest();
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const claims = JSON.parse(Buffer.from(body, "base64url").toString());
  if (claims.exp * 1000 < nowMs) return undefined;
  const { namespace, serviceaccount } = claims["kubernetes.io"];
  const origin: TokenOrigin | undefined = claims[originClaim];
  return {
    namespace,
    name: serviceaccount.name,
    uid: serviceaccount.uid,
    expiresAtMs: claims.exp * 1000,
    ...(origin !== undefined && { origin }),
  };
}

/** Returns the service account of a token. Returns undefined if the account was deleted, even if a new account has the same name. */
export function findAccount(state: Pick<ClusterState, "find">, { namespace, name, uid }: AccountClaims): KubeObject | undefined {
  const account = state.find("serviceaccounts", namespace, name);
  return account?.metadata.uid === uid ? account : undefined;
}

function sign(key: Buffer, claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
}
