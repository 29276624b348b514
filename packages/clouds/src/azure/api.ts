import type { PipelineResponse } from "@azure/core-rest-pipeline";
import { backOffMs } from "@cloudwright/platform/back-off";
import { systemClock, type Clock } from "@cloudwright/platform/clock";
import { Fault } from "@cloudwright/platform/fault";
import { cloudsFaults } from "../faults.ts";
import { describeCall } from "./call-facts.ts";
import { createChannel, requestIdOf, type ChannelOptions, type Send } from "./channel.ts";
import type { CredentialSource } from "./credentials.ts";
import { managementOf, managementScope, type AzureEndpoints } from "./endpoints.ts";
import type { Operation } from "./operations.ts";
import { AzureError, isMissing, toCloudFault } from "./refusals.ts";
import { untilAborted } from "../library/until-aborted.ts";

/** Parameters of a call. The subscription is filled in if `path` has none. */
export interface CallRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cancels the call, including its retries and waits. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Client for Azure Resource Manager in one account and region. `doing` completes the message "Azure could not ...". */
export interface AzureApi {
  readonly region: string;
  readonly endpoints: AzureEndpoints;
  getSubscription(): Promise<string>;
  call<Answer extends object>(doing: string, operation: Operation, request?: CallRequest): Promise<Answer>;
  /** Like `call`, but returns undefined if the resource does not exist. */
  find<Answer extends object>(doing: string, operation: Operation, request?: CallRequest): Promise<Answer | undefined>;
  /** Returns the items of all pages. */
  list<Item>(doing: string, operation: Operation, request?: CallRequest): Promise<readonly Item[]>;
  /** Like `call`, but also waits until Azure has completed the operation. Does not throw if the resource does not exist. */
  complete(doing: string, operation: Operation, request?: CallRequest): Promise<void>;
}

export interface ApiOptions extends ChannelOptions {
  readonly region: string;
  readonly endpoints: AzureEndpoints;
  readonly getSubscription: () => Promise<string>;
  readonly clock?: Pick<Clock, "now" | "sleep">;
  /** Converts a failed call to a fault. `doing` completes the message "Azure could not ...". Default: `toCloudFault`. */
  readonly toFault?: (error: unknown, doing: string) => Fault;
}

const longestMs = 20 * 60_000;
const mostPages = 1000;

/** Creates the API for one region of an account. The SDK is loaded on the first call. */
export function createAzureApi(source: CredentialSource, options: ApiOptions): AzureApi {
  const { region, endpoints, getSubscription, clock = systemClock, toFault = toCloudFault } = options;
  const management = managementOf(endpoints);
  const send = repeatUnreadable(createChannel(source, managementScope(endpoints), options), clock, options);
  const start = async (operation: Operation, request: CallRequest = {}): Promise<Answered> =>
    send(operation.method, management + (await renderPath(operation, request, getSubscription)), request);
  /** Follows a link that Azure returned. Rejects links to other hosts, because other hosts must not receive the token. */
  const follow = async (link: string, { signal }: CallRequest = {}): Promise<Answered> => {
    const { origin, host, href } = new URL(link, management);
    if (origin !== new URL(management).origin)
      throw new Fault(cloudsFaults.failed, `Azure returned a link to another host: ${host}`);
    return send("GET", href, { signal });
  };
  const attempt = async <Value>(doing: string, request: CallRequest | undefined, work: () => Promise<Value>): Promise<Value> => {
    const signal = request?.signal;
    signal?.throwIfAborted();
    try {
      return await untilAborted(work(), signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw toFault(error, doing);
    }
  };
  return {
    region,
    endpoints,
    getSubscription,
    call: async <Answer extends object>(doing: string, operation: Operation, request?: CallRequest) =>
      attempt(doing, request, async () => (await start(operation, request)).body as Answer),
    async find<Answer extends object>(doing: string, operation: Operation, request?: CallRequest) {
      return attempt(doing, request, async () => {
        try {
          return (await start(operation, request)).body as Answer;
        } catch (error) {
          if (isMissing(error)) return undefined;
          throw error;
        }
      });
    },
    list: async <Item>(doing: string, operation: Operation, request?: CallRequest) =>
      attempt(doing, request, async () => {
        const items: Item[] = [];
        let { body } = await start(operation, request);
        for (let page = 0; page < mostPages; page += 1) {
          const { value = [], nextLink } = body as { readonly value?: readonly Item[]; readonly nextLink?: string | null };
          items.push(...value);
          if (typeof nextLink !== "string" || nextLink === "") return items;
          ({ body } = await follow(nextLink, request));
        }
        throw new Fault(cloudsFaults.failed, `Azure returned more than ${mostPages} pages`);
      }),
    complete: async (doing, operation, request) =>
      attempt(doing, request, async () => {
        try {
          const { response } = await start(operation, request);
          await awaitEnd(response, (link) => follow(link, request), clock, request?.signal);
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
      }),
  };
}

/** A response with its parsed body. */
interface Answered {
  readonly response: PipelineResponse;
  readonly body: object;
}

/** Parses the body of each response. A read-only request is repeated if its response is cut off or malformed. */
function repeatUnreadable(
  send: Send,
  clock: Pick<Clock, "sleep">,
  { maxAttempts = 4, retryDelayMs = 1000 }: ChannelOptions,
): (...request: Parameters<Send>) => Promise<Answered> {
  return async (method, url, content) => {
    const { isMutating } = describeCall(method, new URL(url).pathname);
    for (let attempts = 1; ; attempts += 1) {
      try {
        const response = await send(method, url, content);
        return { response, body: read(response) };
      } catch (error) {
        if (isMutating || !isUnreadable(error) || attempts >= maxAttempts) throw error;
      }
      await clock.sleep(backOffMs({ firstMs: retryDelayMs, longestMs: 30_000 }, attempts - 1), content?.signal);
    }
  };
}

/** The code that the SDK uses for a response that ends too early. */
const unreadable = "PARSE_ERROR";

function isUnreadable(error: unknown): boolean {
  const { code, name } = error as { readonly code?: string; readonly name?: string };
  return code === unreadable || name === unreadable;
}

async function renderPath(
  { path, apiVersion }: Operation,
  { path: given = {}, query = {} }: CallRequest,
  getSubscription: () => Promise<string>,
): Promise<string> {
  const needsSubscription = path.includes("{subscriptionId}");
  const values =
    needsSubscription && given["subscriptionId"] === undefined ? { ...given, subscriptionId: await getSubscription() } : given;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = values[name];
    if (value === undefined || value === "") throw new Error(`${name} is missing`);
    // A resource id is itself a path, so its slashes are kept.
    return name === "resourceId" ? checkId(value) : encodeURIComponent(value);
  });
  const parameters = new URLSearchParams({ ...query, "api-version": apiVersion });
  return `${filled}?${parameters.toString()}`;
}

function checkId(id: string): string {
  const parts = id.split("/");
  if (/^(\/[\p{L}\p{N}_.()~-]+)+$/u.test(id) && !parts.includes("..")) return parts.map(encodeURIComponent).join("/");
  throw new Error(`${id} is not the id of an Azure resource`);
}

function read({ bodyAsText, status, headers }: PipelineResponse): object {
  if (bodyAsText === undefined || bodyAsText === null || bodyAsText === "") return {};
  try {
    const parsed: unknown = JSON.parse(bodyAsText);
    if (typeof parsed === "object" && parsed !== null) return withoutNulls(parsed);
  } catch {
    // Reported below.
  }
  throw new AzureError(status, unreadable, "the response is not JSON", requestIdOf(headers));
}

/** Removes fields that are null. Some Azure services return null for fields without a value, while others omit them. */
function withoutNulls<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutNulls) as Value;
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(fields.map(([name, each]) => [name, withoutNulls(each as unknown)])) as Value;
}

/** Waits until a long-running operation ends, by following the response headers of Azure Resource Manager. */
async function awaitEnd(
  first: PipelineResponse,
  follow: (link: string) => Promise<Answered>,
  clock: Pick<Clock, "now" | "sleep">,
  signal: AbortSignal | undefined,
): Promise<void> {
  const operation = first.headers.get("azure-asyncoperation");
  const link = operation ?? (first.status === 202 ? first.headers.get("location") : undefined);
  if (link === undefined) return;
  const endMs = clock.now() + longestMs;
  for (let last = first; ;) {
    const seconds = Number(last.headers.get("retry-after") ?? "5");
    await clock.sleep(Math.min(60, Number.isFinite(seconds) ? seconds : 5) * 1000, signal);
    const { response, body } = await follow(link);
    last = response;
    const { status = "", error } = body as {
      readonly status?: string;
      readonly error?: { readonly code?: string; readonly message?: string };
    };
    if (/^(failed|canceled)$/i.test(status)) {
      const message = error?.message ?? "the operation failed";
      throw new AzureError(last.status, error?.code ?? status, message, requestIdOf(last.headers));
    }
    const isOver = operation === undefined ? last.status !== 202 : /^succeeded$/i.test(status);
    if (isOver) return;
    if (clock.now() > endMs) throw new Fault(cloudsFaults.failed, "the operation did not end within 20 minutes");
  }
}
