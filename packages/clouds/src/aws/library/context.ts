import { AsyncLocalStorage } from "node:async_hooks";
import { Agent } from "node:https";
import { rootCertificates } from "node:tls";
import { systemClock } from "@cloudwright/platform/clock";
import type { CallBudget, LibraryClock } from "../../library/call-options.ts";
import { checkOption } from "../../library/check-request.ts";
import { untilAborted } from "../../library/until-aborted.ts";
import { createCoreClients, createRegionApi, type CoreClients, type RegionApi } from "../core-api.ts";
import { createCredentialSource, type CredentialSource } from "../credentials.ts";
import type { AwsEndpoints } from "../endpoints.ts";
import { toLibraryFault } from "../errors.ts";
import { isMalformed } from "../refusals.ts";
import type { AwsLibraryOptions } from "./options.ts";
import { readEndpoints, readLibraryAccess } from "./read-options.ts";

/** The state that the library's modules share: per-region clients, credentials, the clock and the factory's options. */
export interface AwsContext {
  readonly options: Pick<AwsLibraryOptions, "region" | "eksRoleArn" | "nodeRoleArn" | "tags">;
  readonly clock: LibraryClock;
  readonly source: CredentialSource;
  readonly endpoints: AwsEndpoints;
  /**
   * Runs `send` with the clients of a region and converts errors to faults. `doing` completes the message "AWS could not ...". The signal
   * cancels every request in `send`.
   */
  call<Answer>(request: AwsCall, send: (clients: CoreClients) => Promise<Answer>): Promise<Answer>;
  close(): void;
}

/** Tag that records the token of the call that created a resource, so that a repeated call finds the existing resource. */
export const tokenTag = "cloudwright:token";

export interface AwsCall {
  readonly doing: string;
  readonly region: string;
  readonly signal: AbortSignal | undefined;
}

/** A request may wait this long for a connection and for the response. */
const connectionMs = 10_000;
const responseMs = 60_000;

/** Carries the caller's signal to the middleware and the request handler, because SDK paginators and commands do not pass it on. */
const calls = new AsyncLocalStorage<AbortSignal | undefined>();

/** Creates the shared context. Sends no requests and loads no SDK. */
export function createAwsContext(options: AwsLibraryOptions): AwsContext {
  const { clock = systemClock, budget, maxAttempts = 4, caPem, assumeRole, webIdentity } = options;
  checkOption("aws", "createAws", "region", options.region);
  const endpoints = readEndpoints(options);
  const access = readLibraryAccess(options);
  const settings = {
    maxAttempts,
    requestHandler: {
      connectionTimeout: connectionMs,
      requestTimeout: responseMs,
      throwOnRequestTimeout: true,
      ...(caPem === undefined ? {} : { httpsAgent: new Agent({ keepAlive: true, ca: [...rootCertificates, caPem] }) }),
    },
  };
  const sessionName = (assumeRole?.sessionName ?? webIdentity?.sessionName ?? "cloudwright-library").slice(0, 64);
  const source = createCredentialSource(
    { clock, openAccess: async () => access },
    {
      endpoints,
      region: options.region,
      sessionName,
      settings,
      ...(webIdentity === undefined ? {} : { webIdentityTokenFile: webIdentity.tokenFile }),
      ...(assumeRole?.sessionSeconds === undefined ? {} : { sessionSeconds: assumeRole.sessionSeconds }),
    },
  );
  const prepare = (service: string, client: object): void => prepareClient(service, client as SdkClient, budget);
  const apis = new Map<string, RegionApi<CoreClients>>();
  const open = (region: string) => {
    const place = { region, endpoints, settings, prepare, toFault: toLibraryFault };
    const api = apis.get(region) ?? createRegionApi(source, place, createCoreClients);
    apis.set(region, api);
    return api;
  };
  const { region, eksRoleArn, nodeRoleArn, tags } = options;
  return {
    options: {
      region,
      ...(eksRoleArn === undefined ? {} : { eksRoleArn }),
      ...(nodeRoleArn === undefined ? {} : { nodeRoleArn }),
      ...(tags === undefined ? {} : { tags }),
    },
    clock,
    source,
    endpoints,
    async call({ doing, region: place, signal }, send) {
      signal?.throwIfAborted();
      const work = calls.run(signal, () => open(place).call(doing, send));
      try {
        return await untilAborted(work, signal);
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
    close() {
      for (const api of apis.values()) api.close();
      apis.clear();
    },
  };
}

/** The parts of an SDK client that the library modifies. */
interface SdkClient {
  readonly middlewareStack: {
    addRelativeTo(middleware: Middleware, options: object): void;
  };
  readonly config: { readonly requestHandler: { handle(request: object, options?: object): Promise<unknown> } };
}

type Handler = (args: { readonly request?: unknown; readonly input: unknown }) => Promise<unknown>;
type Middleware = (next: Handler, context: { readonly commandName?: string }) => Handler;

const reading = /^(Describe|Get|List|Simulate|Decode)/;

/**
 * Configures a client to cancel its requests with the caller's signal, count each attempt against the budget, and repeat requests whose
 * response was cut off. Repeating is safe, because every library request that creates something carries its own token or name.
 */
function prepareClient(service: string, client: SdkClient, budget: CallBudget | undefined): void {
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = (request, options) => {
    const abortSignal = calls.getStore();
    return handle(request, { ...options, ...(abortSignal === undefined ? {} : { abortSignal }) });
  };
  const middleware: Middleware = (next, { commandName = "" }) => {
    const action = commandName.replace(/Command$/, "");
    return async (args) => {
      const signal = calls.getStore();
      signal?.throwIfAborted();
      const facts = { service, action, isMutating: !reading.test(action), attempt: readAttempt(args.request) };
      const end = await budget?.take(facts, signal);
      try {
        return await next(args);
      } catch (error) {
        if (isMalformed(error)) Object.assign(error, { $retryable: { throttling: false } });
        throw error;
      } finally {
        end?.();
      }
    };
  };
  // Runs inside the retry loop and before signing, because a request may wait for the budget longer than its signature is valid.
  const place = { relation: "after", toMiddleware: "retryMiddleware", name: "cloudwrightBudget", override: true };
  client.middlewareStack.addRelativeTo(middleware, place);
}

function readAttempt(request: unknown): number {
  const { headers } = request as { readonly headers?: Readonly<Record<string, string>> };
  return Number(/attempt=(\d+)/.exec(headers?.["amz-sdk-request"] ?? "")?.[1] ?? 1);
}
