import type { Secret } from "@cloudwright/platform/secret";

/** An access token for one scope. */
export interface AzureToken {
  readonly token: Secret;
  readonly expiresAtMs: number;
}

/** The claims of an access token about its owner. */
export interface TokenClaims {
  /** Object id of the service principal, managed identity or user. */
  readonly objectId: string;
  /** Client id of the application. Empty if the token does not name an application. */
  readonly clientId: string;
  readonly tenantId: string;
  /** Sign-in name of a user. Empty for applications. */
  readonly userName: string;
}

/** Reads the claims of an access token. The signature is not verified, because Azure itself accepts or rejects the token. */
export function readClaims({ token }: AzureToken): TokenClaims {
  const [, payload = ""] = token.reveal().split(".");
  const claims = parse(payload);
  const text = (...names: readonly string[]): string => {
    const found = names.map((name) => claims[name]).find((value) => typeof value === "string" && value !== "");
    return typeof found === "string" ? found : "";
  };
  return {
    objectId: text("oid"),
    clientId: text("appid", "azp"),
    tenantId: text("tid"),
    userName: text("upn", "unique_name", "preferred_username"),
  };
}

function parse(payload: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    return typeof parsed === "object" && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
