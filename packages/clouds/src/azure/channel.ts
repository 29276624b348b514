import type { PipelineResponse } from "@azure/core-rest-pipeline";
import type { CredentialSource } from "./credentials.ts";
import { AzureError } from "./refusals.ts";

/** Sends a request with an access token of the account. Throws an `AzureError` if Azure returns an error. */
export type Send = (
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  url: string,
  content?: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> },
) => Promise<PipelineResponse>;

const attemptMs = 60_000;

/**
 * Creates a function that sends requests through Azure's own HTTP pipeline, which adds tokens of the given scope, retries failures and obeys
 * `Retry-After`. The SDK is loaded on the first request.
 */
export function createChannel(source: CredentialSource, scope: string, retryDelayInMs = 1000): Send {
  let opening: Promise<Send> | undefined;
  return async (...request) => (await (opening ??= open(source, scope, retryDelayInMs)))(...request);
}

async function open(source: CredentialSource, scope: string, retryDelayInMs: number): Promise<Send> {
  const rest = await import("@azure/core-rest-pipeline");
  const pipeline = rest.createPipelineFromOptions({
    retryOptions: { maxRetries: 4, retryDelayInMs, maxRetryDelayInMs: 30_000 },
    // Following a redirect could send the token to another host.
    redirectOptions: { maxRetries: 0 },
    userAgentOptions: { userAgentPrefix: "cloudwright" },
  });
  const credential = {
    async getToken() {
      const { token, expiresAtMs } = await source.get(scope);
      return { token: token.reveal(), expiresOnTimestamp: expiresAtMs };
    },
  };
  pipeline.addPolicy(rest.bearerTokenAuthenticationPolicy({ credential, scopes: scope }), { phase: "Sign" });
  const client = rest.createDefaultHttpClient();
  return async (method, url, { body, headers = {} } = {}) => {
    const request = rest.createPipelineRequest({
      method,
      url,
      timeout: attemptMs,
      headers: rest.createHttpHeaders({
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await pipeline.sendRequest(client, request);
    if (response.status < 300) return response;
    throw describeFailure(response);
  };
}

interface ErrorBody {
  readonly error?: { readonly code?: string; readonly message?: string };
  readonly code?: string;
  readonly message?: string;
}

function describeFailure({ status, bodyAsText, headers }: PipelineResponse): AzureError {
  const { error, code, message } = parseError(bodyAsText ?? "");
  return new AzureError(
    status,
    error?.code ?? code ?? headers.get("x-ms-error-code") ?? "",
    error?.message ?? message ?? `status ${status}`,
  );
}

function parseError(text: string): ErrorBody {
  try {
    return (JSON.parse(text) as ErrorBody | null) ?? {};
  } catch {
    return {};
  }
}
