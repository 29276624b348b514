import type { ApiCall, ApiOperation, ApiRequest, ServiceDeps } from "../../../api/api-service.ts";
import { numericId } from "../../place.ts";
import { issueToken, type GcpCaller, type TokenOwner } from "../credentials.ts";
import { refuse } from "../errors.ts";
import { verifyAssertion } from "../service-account-keys.ts";

const scopes = "https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/userinfo.email";
/** Lifetime of a token from the token endpoint. */
export const tokenMs = 3_600_000;

/** Operations of Google's authorization server. */
export const oauthOperations: readonly ApiOperation[] = [
  {
    name: "oauth2.token",
    match: { method: "POST", path: "/token" },
    async run(call) {
      const { tenant, name: email, origin } = call.caller;
      const { token, expiresAtMs } = await issueToken(call.identity, { tenant, email, origin }, call.nowMs + tokenMs);
      const content = { access_token: token, expires_in: secondsUntil(expiresAtMs, call), token_type: "Bearer" };
      return { content };
    },
  },
  ...(["GET", "POST"] as const).map((method): ApiOperation => ({
    name: "oauth2.tokeninfo",
    match: { method, path: "/tokeninfo" },
    async run(call) {
      const { name: email, expiresAtMs } = call.caller as GcpCaller;
      const id = numericId(email);
      const content = {
        azp: id,
        aud: id,
        sub: id,
        scope: scopes,
        exp: String(Math.floor(expiresAtMs / 1000)),
        expires_in: String(secondsUntil(expiresAtMs, call)),
        email,
        email_verified: "true",
        access_type: "online",
      };
      return { content };
    },
  })),
];

function secondsUntil(endMs: number, { nowMs }: ApiCall): number {
  return Math.max(0, Math.floor((endMs - nowMs) / 1000));
}

/** The address that clients state as the audience of their assertions, regardless of the simulated endpoint's address. */
const realAudiences = ["https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v4/token"];

/** Authenticates a request for a token by the assertion in its form. */
export async function authenticateGrant({ body, origin }: ApiRequest, deps: ServiceDeps): Promise<TokenOwner> {
  const form = new URLSearchParams(body.toString("utf8"));
  const grant = form.get("grant_type") ?? "";
  if (grant !== "urn:ietf:params:oauth:grant-type:jwt-bearer") {
    refuse({ code: "unsupported_grant_type", message: `Invalid grant_type: ${grant.slice(0, 100)}`, status: 400 });
  }
  const assertion = form.get("assertion") ?? "";
  const own = ["http", "https"].map((scheme) => origin.replace(/^https?/, scheme)).map((each) => `${each}/token`);
  const granted = await verifyAssertion(assertion, [...realAudiences, ...own], deps);
  if (granted.scope !== "") return granted;
  return refuse({ code: "invalid_scope", message: "Invalid OAuth scope or ID token audience provided.", status: 400 });
}
