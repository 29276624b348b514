import { createToken, Secret } from "@cloudwright/platform";
import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CredentialSource } from "./credentials.ts";

/** Local endpoint that serves fresh credentials to the programs of one run. A long run can outlive a short-lived token. */
export interface CredentialEndpoint {
  /** Variables that point programs to this endpoint and disable the EC2 metadata service. */
  readonly environment: Readonly<Record<string, string>>;
  readonly secretEnvironment: Readonly<Record<string, Secret>>;
  close(): Promise<void>;
}

/**
 * Serves credentials on the loopback address in the format of the AWS container credential provider. Every SDK and the Terraform provider
 * support this format. Requests must carry the run's token. No credential is written to disk.
 */
export async function startCredentialEndpoint(source: CredentialSource): Promise<CredentialEndpoint> {
  const token = createToken();
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(JSON.stringify(body));
    };
    if (request.method !== "GET" || request.url !== "/" || !isSame(request.headers.authorization ?? "", token)) {
      return answer(403, { code: "AccessDenied", message: "the token is missing or wrong" });
    }
    source.get().then(
      ({ accessKeyId, secretAccessKey, sessionToken, expiresAtMs }) =>
        answer(200, {
          AccessKeyId: accessKeyId,
          SecretAccessKey: secretAccessKey.reveal(),
          // Some SDKs require this field, so for static keys it is empty rather than absent.
          Token: sessionToken?.reveal() ?? "",
          Expiration: new Date(expiresAtMs).toISOString().replace(/\.\d+Z$/, "Z"),
        }),
      (error: { readonly code?: string }) =>
        answer(400, { code: error.code ?? "failed", message: "no credentials are available" }),
    );
  });
  server.unref().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    environment: { AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${port}/`, AWS_EC2_METADATA_DISABLED: "true" },
    secretEnvironment: { AWS_CONTAINER_AUTHORIZATION_TOKEN: new Secret(token) },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
