import { sign } from "node:crypto";
import type { KeyFile } from "../service-account-keys.ts";

/** Signs the assertion with which a service account requests a token. `claims` and `header` override the defaults. */
export function signAssertion(
  key: KeyFile,
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): string {
  const now = Math.floor(Date.now() / 1000);
  const usual = {
    iss: key["client_email"],
    scope: "https://www.googleapis.com/auth/cloud-platform",
    aud: "https://oauth2.googleapis.com/token",
    iat: now,
    exp: now + 3600,
  };
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encode({ alg: "RS256", typ: "JWT", ...header })}.${encode({ ...usual, ...claims })}`;
  return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), key["private_key"] ?? "").toString("base64url")}`;
}

/** Requests a token with an assertion. */
export async function requestToken(
  address: string,
  assertion: string,
  grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer",
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const body = new URLSearchParams({ grant_type: grantType, assertion });
  const response = await fetch(`${address}/token`, { method: "POST", body });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}
