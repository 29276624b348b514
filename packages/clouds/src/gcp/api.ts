import type { OAuth2Client } from "google-auth-library";
import { openLibrary } from "./auth-library.ts";
import type { CredentialSource } from "./credentials.ts";
import { endpointFor, type GcpEndpoints, type GcpService } from "./endpoints.ts";
import { readRefusal, toCloudFault } from "./refusals.ts";

/** A call to one of Google Cloud's REST APIs. */
export interface GcpCall {
  readonly service: GcpService;
  /** Path below the service's base address, such as `projects/p/global/networks`. */
  readonly path: string;
  readonly method?: "GET" | "POST" | "DELETE";
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: object;
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

/** Creates a client for one region of a project. Google's library is loaded on the first call. */
export function createGcpApi(source: CredentialSource, options: { region: string; endpoints: GcpEndpoints }): GcpApi {
  const { region, endpoints } = options;
  let opening: Promise<OAuth2Client> | undefined;
  const open = (): Promise<OAuth2Client> => (opening ??= openClient(source, endpoints));
  const send = async <Answer>({ service, path, method = "GET", query = {}, body }: GcpCall): Promise<Answer> => {
    const url = new URL(endpointFor(endpoints, service) + path);
    for (const [name, value] of Object.entries(query)) {
      for (const each of typeof value === "string" ? [value] : value) url.searchParams.append(name, each);
    }
    const client = await open();
    // The library renews a token only when it is about to expire. The credential source also notices changed credentials.
    const { token, expiresAtMs } = await source.get();
    client.setCredentials({ access_token: token.reveal(), expiry_date: expiresAtMs });
    const { data } = await client.request<Answer>({ url, method, retry: true, ...(body === undefined ? {} : { data: body }) });
    return data;
  };
  const call = async <Answer>(doing: string, request: GcpCall): Promise<Answer> => {
    try {
      return await send<Answer>(request);
    } catch (error) {
      throw toCloudFault(error, doing);
    }
  };
  return {
    region,
    getProject: () => source.getProject(),
    call,
    async find(doing, request) {
      try {
        return await send(request);
      } catch (error) {
        if (readRefusal(error)?.status === 404) return undefined;
        throw toCloudFault(error, doing);
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

async function openClient(source: CredentialSource, endpoints: GcpEndpoints): Promise<OAuth2Client> {
  const { library, options } = await openLibrary(endpoints);
  const client = new library.OAuth2Client(options);
  client.refreshHandler = async () => {
    const { token, expiresAtMs } = await source.get();
    return { access_token: token.reveal(), expiry_date: expiresAtMs };
  };
  return client;
}
