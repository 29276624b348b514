import type { Fault } from "@cloudwright/platform/fault";
import type { gaxios, OAuth2Client } from "google-auth-library";
import { untilAborted } from "../library/until-aborted.ts";
import { openLibrary } from "./auth-library.ts";
import type { CredentialSource } from "./credentials.ts";
import { endpointFor, type GcpEndpoints, type GcpService } from "./endpoints.ts";
import type { GcpToken } from "./gcp-token.ts";
import { readRefusal, toCloudFault } from "./refusals.ts";

/** A call to one of Google Cloud's REST APIs. */
export interface GcpCall {
  readonly service: GcpService;
  /** Path relative to the service's base address, such as `projects/p/global/networks`. */
  readonly path: string;
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: object;
  /** The API's name for the method, such as `instances.insert`. Used to count calls. */
  readonly action?: string;
  /** Cancels the call, including all of its retries. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Client for Google Cloud's REST APIs in one project and region. */
export interface GcpApi {
  readonly region: string;
  getProject(): Promise<string>;
  /** Sends a call and converts errors to faults. `doing` completes the message "Google Cloud could not ...". */
  call<Answer>(doing: string, call: GcpCall): Promise<Answer>;
  /** Sends a call. Returns undefined if the resource does not exist. */
  find<Answer>(doing: string, call: GcpCall): Promise<Answer | undefined>;
  /** Requests the pages of a list one by one, until `isEnough` returns true for the pages so far. */
  listPages<Page extends object>(doing: string, call: GcpCall, isEnough?: (pages: readonly Page[]) => boolean): Promise<Page[]>;
}

export interface GcpApiOptions {
  readonly region: string;
  readonly endpoints: GcpEndpoints;
  /** Additional certificate authorities for overridden endpoints, in PEM. */
  readonly caPem?: string;
  /** Returns how a call is sent and retried. Default: the library's own retries for idempotent methods. */
  readonly renderOptions?: (call: GcpCall) => gaxios.GaxiosOptions;
  /** Converts errors to faults. Default: `toCloudFault`. */
  readonly toFault?: (error: unknown, doing: string) => Fault;
}

/** Creates a client for one region of a project. Google's library is loaded on the first call. */
export function createGcpApi(source: CredentialSource, options: GcpApiOptions): GcpApi {
  const { region, endpoints, caPem, renderOptions = () => ({ retry: true }), toFault = toCloudFault } = options;
  let opening: Promise<OAuth2Client> | undefined;
  const open = (): Promise<OAuth2Client> => (opening ??= openClient(source, endpoints, caPem));
  const send = async <Answer>(call: GcpCall, rejected?: GcpToken): Promise<Answer> => {
    const { service, path, method = "GET", query = {}, body } = call;
    const url = new URL(endpointFor(endpoints, service) + path);
    for (const [name, value] of Object.entries(query)) {
      for (const each of typeof value === "string" ? [value] : value) url.searchParams.append(name, each);
    }
    const client = await open();
    // The library renews a token only when it is about to expire. Asking the credential source each time also picks up changed
    // credentials.
    const used = await source.get(rejected);
    client.setCredentials({ access_token: used.token.reveal(), expiry_date: used.expiresAtMs });
    try {
      const request = { url, method, ...renderOptions(call), ...(body === undefined ? {} : { data: body }) };
      return (await client.request<Answer>(request)).data;
    } catch (error) {
      // A token can become invalid before it expires. If the source cannot renew the token, it returns the same one, and the request is
      // not repeated.
      if (rejected !== undefined || readRefusal(error)?.status !== 401) throw error;
      const { token } = await source.get(used);
      if (token.reveal() === used.token.reveal()) throw error;
      return send<Answer>(call, used);
    }
  };
  const explain = (error: unknown, doing: string, { signal }: GcpCall): unknown =>
    signal?.aborted === true ? signal.reason : toFault(error, doing);
  const start = async <Answer>(request: GcpCall): Promise<Answer> => {
    request.signal?.throwIfAborted();
    return untilAborted(send<Answer>(request), request.signal);
  };
  const call = async <Answer>(doing: string, request: GcpCall): Promise<Answer> => {
    try {
      return await start<Answer>(request);
    } catch (error) {
      throw explain(error, doing, request);
    }
  };
  return {
    region,
    getProject: () => source.getProject(),
    call,
    async find(doing, request) {
      try {
        return await start(request);
      } catch (error) {
        if (readRefusal(error)?.status === 404) return undefined;
        throw explain(error, doing, request);
      }
    },
    async listPages<Page extends object>(doing: string, request: GcpCall, isEnough = (_pages: readonly Page[]) => false) {
      const pages: Page[] = [];
      let pageToken = "";
      do {
        const query = { ...request.query, ...(pageToken === "" ? {} : { pageToken }) };
        const page = await call<Page & { readonly nextPageToken?: string }>(doing, { ...request, query });
        pages.push(page);
        pageToken = page.nextPageToken ?? "";
      } while (pageToken !== "" && !isEnough(pages));
      return pages;
    },
  };
}

async function openClient(source: CredentialSource, endpoints: GcpEndpoints, caPem?: string): Promise<OAuth2Client> {
  const { library, options } = await openLibrary(endpoints, caPem);
  const client = new library.OAuth2Client(options);
  client.refreshHandler = async () => {
    const { token, expiresAtMs } = await source.get();
    return { access_token: token.reveal(), expiry_date: expiresAtMs };
  };
  return client;
}
