import { trimEnd } from "@cloudwright/platform";
import type { ApiOperation, ApiRequest, OpenedCall, ServiceDeps } from "../../../api/api-service.ts";
import { authenticateClient, issueToken } from "../credentials.ts";
import { refuse } from "../errors.ts";

const pattern = /^\/(?<tenant>[0-9A-Za-z.-]+)\/oauth2\/v2\.0\/token$/;

/** Returns whether a request to the login endpoint requests a token. */
export function isTokenRequest({ method, rawPath }: Pick<ApiRequest, "method" | "rawPath">): boolean {
  return method === "POST" && pattern.test(rawPath);
}

/** Authenticates the application that requests a token. */
export async function openTokenRequest(request: ApiRequest, deps: ServiceDeps): Promise<OpenedCall> {
  // The host limits bodies of requests without a credential, so the form is small.
  const form = new URLSearchParams(request.body.toString("utf8"));
  const grant = form.get("grant_type") ?? "";
  if (grant !== "client_credentials") {
    refuse("unsupported_grant_type", `AADSTS70003: The app requested an unsupported grant type '${grant.slice(0, 50)}'.`, 400);
  }
  const { clientId, secret } = readClient(request, form);
  const tenantId = pattern.exec(request.rawPath)?.groups?.["tenant"] ?? "";
  const caller = await authenticateClient({ tenantId, clientId, secret }, deps);
  const scope = form.get("scope") ?? "";
  return { operation: tokenOperation, parameters: { scope }, query: new URLSearchParams(), body: {}, caller, provider: {} };
}

// Clients send the secret in the form, or with basic authentication.
function readClient({ headers }: ApiRequest, form: URLSearchParams): { readonly clientId: string; readonly secret: string } {
  const header = headers.find(([name]) => name === "authorization")?.[1] ?? "";
  const basic = /^Basic +(\S+)$/i.exec(header)?.[1];
  if (basic === undefined) return { clientId: form.get("client_id") ?? "", secret: form.get("client_secret") ?? "" };
  const text = Buffer.from(basic, "base64").toString("utf8");
  const [clientId = "", ...rest] = text.split(":");
  return { clientId, secret: rest.join(":") };
}

const tokenOperation: ApiOperation = {
  name: "GetToken",
  match: { method: "POST", path: "/{tenantId}/oauth2/v2.0/token" },
  async run({ caller, identity, parameters, origin, nowMs }) {
    const scope = parameters["scope"] ?? "";
    const resource = scope.split(" ").find((each) => each.endsWith("/.default"));
    if (resource === undefined) {
      refuse("invalid_scope", `AADSTS1002012: The provided value for scope ${scope.slice(0, 200)} is not valid.`, 400);
    }
    const audience = trimEnd(resource.slice(0, -"/.default".length), "/");
    const { token, seconds } = await issueToken(identity, caller, { audience, issuer: origin, nowMs });
    const headers = { "cache-control": "no-store" };
    return {
      headers,
      content: { token_type: "Bearer", expires_in: seconds, ext_expires_in: seconds, access_token: token },
    };
  },
};
