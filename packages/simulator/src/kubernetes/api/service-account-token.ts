import { createHmac, timingSafeEqual } from "node:crypto";
import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import { timeText } from "../cluster/kube-object.ts";
import { serviceAccountUser, type User } from "../rbac/user.ts";
import type { Answer, ResourceCall } from "./call.ts";
import { ok } from "./call.ts";
import { parseBody } from "./patch.ts";
import { getObject } from "./update.ts";

/** Handles a TokenRequest by issuing a service account token. The token is valid until it expires or the account is deleted. */
export function createAccountToken(call: ResourceCall): Answer {
  const account = getObject({ ...call, subresource: "" });
  const request = call.body.length === 0 ? {} : (parseBody(call) as any);
  const seconds = Math.max(600, Number(request.spec?.expirationSeconds ?? 3_600));
  const nowSeconds = Math.floor(call.cluster.clock.now() / 1000);
  const audiences = request.spec?.audiences ?? ["https://kubernetes.default.svc"];
  const claims = {
    iss: "https://kubernetes.default.svc",
    sub: `system:serviceaccount:${call.namespace}:${call.name}`,
    aud: audiences,
    iat: nowSeconds,
    exp: nowSeconds + seconds,
    "kubernetes.io": { namespace: call.namespace, serviceaccount: { name: call.name, uid: account.metadata.uid } },
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

/**
 * Returns the service account that a token was issued to. Returns undefined if the token is invalid, or if the account was deleted, even if
 * another account has the same name now.
 */
export function findTokenUser({ tokenKey, state, clock }: AwakeCluster, token: string): User | undefined {
  const [head = "", body = "", signature = ""] = token.split(".");
  const expected = createHmac("sha256", tokenKey).update(`${head}.${body}`).digest();
  const given = Buffer.from(signature, "base64url");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const claims = JSON.parse(Buffer.from(body, "base64url").toString());
  if (claims.exp * 1000 < clock.now()) return undefined;
  const { namespace, serviceaccount } = claims["kubernetes.io"];
  const account = state.find("serviceaccounts", namespace, serviceaccount.name);
  return account?.metadata.uid === serviceaccount.uid ? serviceAccountUser(namespace, serviceaccount.name) : undefined;
}

function sign(key: Buffer, claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
}
