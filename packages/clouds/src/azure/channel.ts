import { joinSignals } from "@cloudwright/platform/join-signals";
import type { PipelinePolicy, PipelineRequest, PipelineResponse } from "@azure/core-rest-pipeline";
import { rootCertificates } from "node:tls";
import type { CallBudget } from "../library/call-options.ts";
import { describeCall } from "./call-facts.ts";
import type { CredentialSource } from "./credentials.ts";
import { AzureError } from "./refusals.ts";

/** Sends a request with one of the account's access tokens. Throws an `AzureError` if Azure returns an error. */
export type Send = (
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  url: string,
  content?: {
    readonly body?: object;
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<PipelineResponse>;

export interface ChannelOptions {
  /** Pause before the first retry. Later retries wait longer. Default: one second. */
  readonly retryDelayMs?: number;
  /** Attempts per request, including the first. Default: 5. */
  readonly maxAttempts?: number;
  /** Limits the requests. Retries count too. */
  readonly budget?: CallBudget;
  /** Additional certificate authorities, in PEM. */
  readonly caPem?: string;
}

const attemptMs = 60_000;

/** Azure may request longer pauses, but a call must end within a bounded time. */
const longestPauseSeconds = 120;

/**
 * Creates a function that sends requests through Azure's own HTTP pipeline, which adds tokens for the given scope, retries failures and
 * obeys `Retry-After`. Without a source, requests carry no token. The SDK is loaded on the first request.
 */
export function createChannel(source: CredentialSource | undefined, scope: string, options: ChannelOptions = {}): Send {
  let opening: Promise<Send> | undefined;
  return async (...request) => (await (opening ??= open(source, scope, options)))(...request);
}

async function open(source: CredentialSource | undefined, scope: string, options: ChannelOptions): Promise<Send> {
  const { retryDelayMs = 1000, maxAttempts = 5, budget, caPem } = options;
  const rest = await import("@azure/core-rest-pipeline");
  const pipeline = rest.createPipelineFromOptions({
    retryOptions: { maxRetries: maxAttempts - 1, retryDelayInMs: retryDelayMs, maxRetryDelayInMs: 30_000 },
    // Following a redirect could send the token to another host.
    redirectOptions: { maxRetries: 0 },
    userAgentOptions: { userAgentPrefix: "cloudwright" },
    ...(caPem === undefined ? {} : { tlsOptions: { ca: [...rootCertificates, caPem] } }),
  });
  pipeline.addPolicy(createAttemptPolicy(budget, retryDelayMs), { afterPhase: "Retry" });
  const describeSilence = (request: PipelineRequest): Error =>
    new rest.RestError(`no complete response within ${attemptMs / 1000} seconds`, { code: "ETIMEDOUT", request });
  pipeline.addPolicy(createTimeLimitPolicy(describeSilence), { afterPhase: "Sign" });
  if (source !== undefined) {
    const credential = {
      async getToken() {
        const { token, expiresAtMs } = await source.get(scope);
        return { token: token.reveal(), expiresOnTimestamp: expiresAtMs };
      },
    };
    pipeline.addPolicy(rest.bearerTokenAuthenticationPolicy({ credential, scopes: scope }), { phase: "Sign" });
  }
  const client = rest.createDefaultHttpClient();
  return async (method, url, { body, headers = {}, signal } = {}) => {
    const request = rest.createPipelineRequest({
      method,
      url,
      headers: rest.createHttpHeaders({
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { abortSignal: signal }),
    });
    const response = await pipeline.sendRequest(client, request);
    if (response.status < 300) return response;
    throw describeFailure(response);
  };
}

/** Counts each attempt against the budget, and sets a reasonable pause for the pipeline's retry policy after a throttled attempt. */
function createAttemptPolicy(budget: CallBudget | undefined, retryDelayMs: number): PipelinePolicy {
  const attempts = new WeakMap<PipelineRequest, number>();
  return {
    name: "cloudwrightAttemptPolicy",
    async sendRequest(request, next) {
      const attempt = (attempts.get(request) ?? 0) + 1;
      attempts.set(request, attempt);
      const facts = { ...describeCall(request.method, new URL(request.url).pathname), attempt };
      const end = await budget?.take(facts, request.abortSignal as AbortSignal | undefined);
      try {
        const response = await next(request);
        const { status, headers } = response;
        const pause = headers.get("retry-after");
        if (Number(pause) > longestPauseSeconds) headers.set("retry-after", String(longestPauseSeconds));
        // The retry policy repeats a throttled request only if the response says when to retry.
        if (status === 429 && pause === undefined) headers.set("retry-after-ms", String(retryDelayMs * 2 ** (attempt - 1)));
        return response;
      } finally {
        end?.();
      }
    },
  };
}

/**
 * Limits the duration of each attempt. The SDK's own limit does not cover the body of a response, and its timer keeps a process alive after
 * a failed connection.
 */
function createTimeLimitPolicy(describeSilence: (request: PipelineRequest) => Error): PipelinePolicy {
  return {
    name: "cloudwrightTimeLimitPolicy",
    async sendRequest(request, next) {
      const given = request.abortSignal as AbortSignal | undefined;
      const limit = AbortSignal.timeout(attemptMs);
      const joined = joinSignals([given, limit]);
      request.abortSignal = joined.signal as AbortSignal;
      try {
        return await next(request);
      } catch (error) {
        throw limit.aborted && given?.aborted !== true ? describeSilence(request) : error;
      } finally {
        joined.release();
        if (given === undefined) delete request.abortSignal;
        else request.abortSignal = given;
      }
    },
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
    requestIdOf(headers),
  );
}

/** Returns the ID that Azure assigned to a request, or an empty string if the response has none. */
export function requestIdOf(headers: PipelineResponse["headers"]): string {
  return headers.get("x-ms-request-id") ?? headers.get("x-ms-correlation-request-id") ?? "";
}

function parseError(text: string): ErrorBody {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
