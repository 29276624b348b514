import { createToken, Secret, systemClock, trimEnd } from "@cloudwright/platform";
import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CredentialSource } from "./credentials.ts";

/** Local endpoint that serves fresh tokens to the programs of one run. A long run can outlive a token. */
export interface CredentialEndpoint {
  /** Environment variables that turn on authentication with a managed identity and turn off all other methods. */
  readonly environment: Readonly<Record<string, string>>;
  readonly secretEnvironment: Readonly<Record<string, Secret>>;
  close(): Promise<void>;
}

/**
 * Serves access tokens on the loopback address in the format of Azure's managed identity endpoint. The Terraform provider reads the
 * endpoint's address from ARM_MSI_ENDPOINT. The address contains the run's token, because the provider cannot authenticate in any other
 * way. No credential is written to disk.
 */
export async function startCredentialEndpoint(source: CredentialSource): Promise<CredentialEndpoint> {
  const token = createToken();
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(JSON.stringify(body));
    };
    // An address such as `//` is invalid. An uncaught error here would end the agent, so any local program could stop all runs.
    const base = "http://127.0.0.1";
    const url = new URL(URL.canParse(request.url ?? "/", base) ? (request.url ?? "/") : "/", base);
    const [, given = "", rest = ""] = /^\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? [];
    // Browsers cannot send this header to another origin, which is why Azure's endpoint requires it too.
    const isProgram = request.headers["metadata"] === "true";
    if (request.method !== "GET" || rest !== path || !isSame(given, token) || !isProgram)
      return answer(403, { error: "access_denied", error_description: "the token is missing or wrong" });
    const resource = url.searchParams.get("resource") ?? "";
    if (!/^(https:\/\/[\w.:-]+\/?|[0-9a-f-]{36})$/i.test(resource))
      return answer(400, { error: "invalid_resource", error_description: "the resource is missing or not an address" });
    source.get(`${trimEnd(resource, "/")}/.default`).then(
      ({ token: issued, expiresAtMs }) =>
        answer(200, {
          access_token: issued.reveal(),
          token_type: "Bearer",
          resource,
          expires_in: String(Math.max(0, Math.floor((expiresAtMs - systemClock.now()) / 1000))),
          expires_on: String(Math.floor(expiresAtMs / 1000)),
        }),
      (error: { readonly code?: string }) =>
        answer(400, { error: error.code ?? "failed", error_description: "no credentials are available" }),
    );
  });
  server.unref().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    environment: { ARM_USE_MSI: "true", ARM_USE_CLI: "false", ARM_USE_OIDC: "false", ARM_USE_AKS_WORKLOAD_IDENTITY: "false" },
    secretEnvironment: { ARM_MSI_ENDPOINT: new Secret(`http://127.0.0.1:${port}/${token}${path}`) },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const path = "/metadata/identity/oauth2/token";

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
