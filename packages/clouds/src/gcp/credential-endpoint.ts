import { createToken, Secret, systemClock } from "@cloudwright/platform";
import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { scopes } from "./auth-library.ts";
import type { CredentialSource } from "./credentials.ts";

/** Local endpoint that serves fresh access tokens to the programs of one run. A long run can outlive a token. */
export interface CredentialEndpoint {
  readonly environment: Readonly<Record<string, string>>;
  readonly secretEnvironment: Readonly<Record<string, Secret>>;
  close(): Promise<void>;
}

const mostBytes = 64 * 1024;

/**
 * Serves access tokens on the loopback address through a token exchange (RFC 8693), which the Terraform provider and Google's libraries use
 * for workload identity federation. A program first reads the run's token from `/subject` and then exchanges it at `/token`. Both requests
 * must carry the run's token. No credential is written to disk.
 */
export async function startCredentialEndpoint(source: CredentialSource): Promise<CredentialEndpoint> {
  const token = createToken();
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(JSON.stringify(body));
    };
    const refuse = (): void => answer(403, { error: "access_denied", error_description: "the token is missing or wrong" });
    if (request.method === "GET" && request.url === "/subject")
      return isSame(request.headers.authorization ?? "", token) ? answer(200, { token }) : refuse();
    if (request.method !== "POST" || request.url !== "/token") return refuse();
    readForm(request)
      .then(async (form) => {
        if (!isSame(form.get("subject_token") ?? "", token)) return refuse();
        const issued = await source.get();
        return answer(200, {
          access_token: issued.token.reveal(),
          issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
          token_type: "Bearer",
          expires_in: Math.max(1, Math.floor((issued.expiresAtMs - systemClock.now()) / 1000)),
          scope: scopes.join(" "),
        });
      })
      .catch((error: { readonly code?: string }) =>
        answer(400, { error: "invalid_grant", error_description: `no credentials are available: ${error.code ?? "failed"}` }),
      );
  });
  server.unref().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const configuration = {
    type: "external_account",
    audience: "//iam.googleapis.com/projects/0/locations/global/workloadIdentityPools/cloudwright/providers/agent",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `${address}/token`,
    credential_source: {
      url: `${address}/subject`,
      headers: { Authorization: token },
      format: { type: "json", subject_token_field_name: "token" },
    },
  };
  return {
    environment: {},
    secretEnvironment: { GOOGLE_CREDENTIALS: new Secret(JSON.stringify(configuration)) },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw new Error("the request is too large");
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
