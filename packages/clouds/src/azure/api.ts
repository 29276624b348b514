import type { PipelineResponse } from "@azure/core-rest-pipeline";
import { Fault, systemClock, type Clock } from "@cloudwright/platform";
import { cloudsFaults } from "../faults.ts";
import { createChannel } from "./channel.ts";
import type { CredentialSource } from "./credentials.ts";
import { managementOf, managementScope, type AzureEndpoints } from "./endpoints.ts";
import type { Operation } from "./operations.ts";
import { AzureError, isMissing, toCloudFault } from "./refusals.ts";

/** Parameters of a call. The subscription is filled in automatically. */
export interface CallRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
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
  /** Like `call`, but also waits until Azure has completed the operation. A resource that does not exist is not an error. */
  complete(doing: string, operation: Operation, request?: CallRequest): Promise<void>;
}

export interface ApiOptions {
  readonly region: string;
  readonly endpoints: AzureEndpoints;
  readonly getSubscription: () => Promise<string>;
  /** Pause before the first retry. Later retries wait longer. */
  readonly retryDelayMs?: number;
  readonly clock?: Pick<Clock, "now" | "sleep">;
}

const longestMs = 20 * 60_000;
const mostPages = 1000;

/** Creates the API for one region of an account. The SDK is loaded on the first call. */
export function createAzureApi(source: CredentialSource, options: ApiOptions): AzureApi {
  const { region, endpoints, getSubscription, clock = systemClock } = options;
  const management = managementOf(endpoints);
  const send = createChannel(source, managementScope(endpoints), options.retryDelayMs);
  const start = async (operation: Operation, request: CallRequest = {}): Promise<PipelineResponse> =>
    send(operation.method, management + (await renderPath(operation, request, getSubscription)), request);
  /** Follows a link that Azure returned. Rejects links to other hosts, because they must not receive the token. */
  const follow = async (link: string): Promise<PipelineResponse> => {
    const { origin, host, href } = new URL(link, management);
    if (origin !== new URL(management).origin)
      throw new Fault(cloudsFaults.failed, `Azure returned a link to another host: ${host}`);
    return send("GET", href);
  };
  const api: AzureApi = {
    region,
    endpoints,
    getSubscription,
    call: async <Answer extends object>(doing: string, operation: Operation, request?: CallRequest) =>
      attempt(doing, async () => read<Answer>(await start(operation, request))),
    async find<Answer extends object>(doing: string, operation: Operation, request?: CallRequest) {
      return attempt(doing, async () => {
        try {
          return read<Answer>(await start(operation, request));
        } catch (error) {
          if (isMissing(error)) return undefined;
          throw error;
        }
      });
    },
    list: async <Item>(doing: string, operation: Operation, request?: CallRequest) =>
      attempt(doing, async () => {
        const items: Item[] = [];
        let response = await start(operation, request);
        for (let page = 0; page < mostPages; page += 1) {
          const { value = [], nextLink } = read<{ readonly value?: readonly Item[]; readonly nextLink?: string | null }>(
            response,
          );
          items.push(...value);
          if (typeof nextLink !== "string" || nextLink === "") return items;
          response = await follow(nextLink);
        }
        throw new Fault(cloudsFaults.failed, `Azure returned more than ${mostPages} pages`);
      }),
    complete: async (doing, operation, request) =>
      attempt(doing, async () => {
        try {
          await awaitEnd(await start(operation, request), follow, clock);
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
      }),
  };
  return api;
}

async function renderPath(
  { path, apiVersion }: Operation,
  { path: given = {}, query = {} }: CallRequest,
  getSubscription: () => Promise<string>,
): Promise<string> {
  const needsSubscription = path.includes("{subscriptionId}");
  const values = needsSubscription ? { ...given, subscriptionId: await getSubscription() } : given;
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
  if (/^(\/[\w.()~-]+)+$/.test(id) && !id.split("/").includes("..")) return id;
  throw new Error(`${id} is not the id of an Azure resource`);
}

function read<Answer extends object>({ bodyAsText, status }: PipelineResponse): Answer {
  if (bodyAsText === undefined || bodyAsText === null || bodyAsText === "") return {} as Answer;
  try {
    return JSON.parse(bodyAsText) as Answer;
  } catch {
    throw new AzureError(status, "", "the response is not JSON");
  }
}

/** Waits until a long-running operation ends, by following the response headers of Azure Resource Manager. */
async function awaitEnd(
  first: PipelineResponse,
  follow: (link: string) => Promise<PipelineResponse>,
  clock: Pick<Clock, "now" | "sleep">,
): Promise<void> {
  const operation = first.headers.get("azure-asyncoperation");
  const link = operation ?? (first.status === 202 ? first.headers.get("location") : undefined);
  if (link === undefined) return;
  const endMs = clock.now() + longestMs;
  for (let last = first; ;) {
    const seconds = Number(last.headers.get("retry-after") ?? "5");
    await clock.sleep(Math.min(60, Number.isFinite(seconds) ? seconds : 5) * 1000);
    last = await follow(link);
    const { status = "", error } = read<{
      readonly status?: string;
      readonly error?: { readonly code?: string; readonly message?: string };
    }>(last);
    if (/^(failed|canceled)$/i.test(status))
      throw new AzureError(last.status, error?.code ?? status, error?.message ?? "the operation failed");
    const isOver = operation === undefined ? last.status !== 202 : /^succeeded$/i.test(status);
    if (isOver) return;
    if (clock.now() > endMs) throw new Fault(cloudsFaults.failed, "the operation did not end in 20 minutes");
  }
}

async function attempt<Answer>(doing: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    throw toCloudFault(error, doing);
  }
}
