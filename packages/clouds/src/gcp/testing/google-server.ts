import { verify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import methods from "./api-methods.json" with { type: "json" };

type Json = Readonly<Record<string, unknown>>;

/** A request as the server received it. */
export interface SeenRequest {
  readonly method: string;
  /** Service and path, such as `compute/v1/projects/p/zones`. */
  readonly path: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly body: unknown;
  readonly token: string;
}

export interface GoogleServer {
  /** Endpoint overrides for the provider. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** Compute Engine resources, keyed by id, such as `projects/p/global/networks/n`. */
  readonly resources: Map<string, Json>;
  /** Responses of other services, keyed by method and path. A function computes the response from the request. */
  readonly answers: Map<string, Json | ((request: SeenRequest) => Json)>;
  /** Error responses, keyed by method and path. They take precedence over all other responses. */
  readonly refusals: Map<string, { readonly status: number; readonly body: Json }>;
  readonly seen: SeenRequest[];
  /** Token that a request must carry. */
  accepted: string;
  /** Stops the server. Throws if a request did not match the API's description. */
  close(): Promise<void>;
}

interface ApiMethod {
  readonly method: string;
  readonly path: string;
  readonly queries: readonly string[];
  readonly body?: readonly string[];
}

const described = Object.values(methods as Readonly<Record<string, ApiMethod>>).map((each) => ({
  ...each,
  pattern: new RegExp(each.path),
}));

/** Requests that Google describes only in its documentation, not in its discovery documents. */
const documented: readonly (Omit<ApiMethod, "path"> & { readonly pattern: RegExp })[] = [
  { method: "POST", pattern: /^\/oauth2\/tokeninfo$/, queries: [] },
];

/** Paths of the services on this server, keyed by the names in their environment variables. */
const bases = {
  COMPUTE: "compute/v1/",
  CONTAINER: "container/v1/",
  STORAGE: "storage/v1/",
  RESOURCE_MANAGER: "resource_manager/v1/",
  SERVICE_USAGE: "service_usage/v1/",
  IAM_BETA: "iam_beta/v1/",
  KMS: "kms/v1/",
  LOGGING: "logging/v2/",
  IAM_CREDENTIALS: "iam_credentials/v1/",
  STS: "sts/v1/",
  OAUTH2: "oauth2/",
  CHECKIP: "checkip",
} as const;

/**
 * Starts a server that stands in for Google Cloud. It compares each request with the API's description and keeps Compute Engine resources
 * in memory. It issues tokens as Google does: for a signed assertion, for a federated token, and for the impersonation of a service
 * account.
 */
export async function startGoogleServer(publicKey: string): Promise<GoogleServer> {
  const resources = new Map<string, Json>();
  const answers: GoogleServer["answers"] = new Map();
  const refusals: GoogleServer["refusals"] = new Map();
  const seen: SeenRequest[] = [];
  const violations: string[] = [];
  const state = { accepted: "token-of-key" };
  const server = createServer((request, response) => {
    void readRequest(request).then((asked) => {
      seen.push(asked);
      const { status, body } = respond(asked);
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });

  function respond(asked: SeenRequest): { status: number; body: Json | string } {
    const key = `${asked.method} ${asked.path}`;
    const refusal = refusals.get(key);
    if (refusal !== undefined) return refusal;
    const issued = issueToken(asked, publicKey, violations);
    if (issued !== undefined) return issued;
    if (asked.path === "checkip") return { status: 200, body: "198.51.100.7\n" };
    const problem = findProblem(asked);
    if (problem !== undefined) {
      violations.push(`${key}: ${problem}`);
      return { status: 400, body: { error: { code: 400, message: problem } } };
    }
    if (asked.token !== state.accepted)
      return {
        status: 401,
        body: { error: { code: 401, status: "UNAUTHENTICATED", message: "Request had invalid authentication credentials." } },
      };
    const answer = answers.get(key);
    if (answer !== undefined) return { status: 200, body: typeof answer === "function" ? answer(asked) : answer };
    return answerCompute(asked, resources);
  }

  server.unref().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    endpoints: Object.fromEntries(
      Object.entries(bases).map(([name, base]) => [`GOOGLE_${name}_CUSTOM_ENDPOINT`, address + base]),
    ),
    resources,
    answers,
    refusals,
    seen,
    get accepted() {
      return state.accepted;
    },
    set accepted(token: string) {
      state.accepted = token;
    },
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      if (violations.length > 0) throw new Error(`Google Cloud would reject: ${violations.join("; ")}`);
    },
  };
}

/** Reads a request completely. */
export async function readRequest(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  const url = new URL(request.url ?? "/", "http://localhost");
  const isForm = (request.headers["content-type"] ?? "").includes("x-www-form-urlencoded");
  const query = Object.fromEntries([...new Set(url.searchParams.keys())].map((name) => [name, url.searchParams.getAll(name)]));
  return {
    method: request.method ?? "",
    path: decodeURIComponent(url.pathname.slice(1)),
    query,
    body: text === "" ? undefined : isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text),
    token: (request.headers.authorization ?? "").replace(/^Bearer /, ""),
  };
}

/** Returns why a request does not match the API's description, or undefined if it does. */
export function findProblem({ method, path, query, body }: SeenRequest): string | undefined {
  const place = `/${path.replace(/^container\//, "")}`;
  const known = [...described, ...documented].find((each) => each.method === method && each.pattern.test(place));
  if (known === undefined) return "the API has no such method";
  const strange = Object.keys(query).find((name) => !known.queries.includes(name));
  if (strange !== undefined) return `the method has no parameter ${strange}`;
  const wrong = Object.keys((body ?? {}) as Json).find((name) => known.body?.includes(name) !== true);
  return wrong === undefined ? undefined : `the request has no field ${wrong}`;
}

function issueToken(
  { method, path, body, token }: SeenRequest,
  publicKey: string,
  violations: string[],
): { status: number; body: Json } | undefined {
  if (method !== "POST") return undefined;
  const form = (body ?? {}) as Readonly<Record<string, string>>;
  if (path === "oauth2/token") {
    const [head = "", claims = "", signature = ""] = (form["assertion"] ?? "").split(".");
    const { aud, iss, scope } = JSON.parse(Buffer.from(claims, "base64url").toString()) as Readonly<Record<string, string>>;
    if (form["grant_type"] !== "urn:ietf:params:oauth:grant-type:jwt-bearer" || aud !== "https://oauth2.googleapis.com/token")
      violations.push(`the assertion is for ${aud}`);
    if (scope?.includes("cloud-platform") !== true) violations.push("the assertion lacks the scope cloud-platform");
    const isValid = verify("RSA-SHA256", Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, "base64url"));
    if (!isValid || iss?.includes("revoked") === true)
      return { status: 400, body: { error: "invalid_grant", error_description: "Invalid JWT Signature." } };
    return { status: 200, body: { access_token: "token-of-key", expires_in: 3599, token_type: "Bearer" } };
  }
  if (path === "sts/v1/token") {
    if (form["subject_token"] !== "federated-token" || form["audience"]?.startsWith("//iam.googleapis.com/projects/") !== true)
      return { status: 400, body: { error: "invalid_grant", error_description: "The token is not accepted." } };
    const issued = { access_token: "token-of-federation", expires_in: 3599, token_type: "Bearer" };
    return { status: 200, body: { ...issued, issued_token_type: "urn:ietf:params:oauth:token-type:access_token" } };
  }
  const [, email] = /^iam_credentials\/v1\/projects\/-\/serviceAccounts\/(.+):generateAccessToken$/.exec(path) ?? [];
  if (email === undefined) return undefined;
  const { scope = [], lifetime } = (body ?? {}) as { readonly scope?: readonly string[]; readonly lifetime?: string };
  if (scope.length === 0 || lifetime !== "3600s") violations.push("the impersonation lacks scope or lifetime");
  if (!token.startsWith("token-of-") || email.startsWith("forbidden@")) {
    const message = "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).";
    return { status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED", message } } };
  }
  const expireTime = new Date(Date.now() + 3600_000).toISOString();
  return { status: 200, body: { accessToken: `token-of-${email}`, expireTime } };
}

/** Answers a request from the resources in memory. */
function answerCompute({ method, path, query, body }: SeenRequest, resources: Map<string, Json>): { status: number; body: Json } {
  const missing = { status: 404, body: { error: { code: 404, message: `The resource '${path}' was not found` } } };
  if (!path.startsWith("compute/v1/")) return missing;
  const place = path.slice("compute/v1/".length);
  const operation = {
    kind: "compute#operation",
    name: "operation-1",
    status: "DONE",
    selfLink: `${origin}projects/p/global/operations/operation-1`,
  };
  const own = resources.get(place);
  if (method === "DELETE") return resources.delete(place) ? { status: 200, body: operation } : missing;
  if (method === "POST" && place.endsWith("/setLabels")) {
    const id = place.slice(0, -"/setLabels".length);
    const found = resources.get(id);
    if (found === undefined) return missing;
    const { labels, labelFingerprint } = body as { readonly labels: Json; readonly labelFingerprint: string };
    if (labelFingerprint !== found["labelFingerprint"])
      return { status: 412, body: { error: { code: 412, message: "conditionNotMet" } } };
    resources.set(id, { ...found, labels });
    return { status: 200, body: operation };
  }
  if (own !== undefined) return { status: 200, body: describe(place, own) };
  const aggregated = /^(projects\/[^/]+)\/aggregated\/([A-Za-z]+)$/.exec(place);
  const filter = query["filter"]?.[0] ?? "";
  const all = [...resources].map(([id, each]) => [id, describe(id, each)] as const).filter(([, each]) => isKept(each, filter));
  if (aggregated !== null) {
    const [, project = "", collection = ""] = aggregated;
    const items: Record<string, Record<string, Json[]>> = { "zones/nowhere-a": { warning: [] } };
    for (const [id, each] of all) {
      const [, scope = "", kind] = new RegExp(`^${project}/(global|(?:regions|zones)/[^/]+)/([A-Za-z]+)/[^/]+$`).exec(id) ?? [];
      if (kind === collection) ((items[scope] ??= {})[collection] ??= []).push(each);
    }
    return { status: 200, body: { items } };
  }
  const items = all.flatMap(([id, each]) =>
    id.startsWith(`${place}/`) && !id.slice(place.length + 1).includes("/") ? [each] : [],
  );
  return { status: 200, body: paginate(items, query) };
}

const origin = "https://www.googleapis.com/compute/v1/";

function describe(id: string, resource: Json): Json {
  const [, scope, place] = /\/(regions|zones)\/([^/]+)\/[^/]+\/[^/]+$/.exec(id) ?? [];
  const at = scope === undefined ? {} : { [scope.slice(0, -1)]: `${origin}${id.split(`/${place}/`)[0] ?? ""}/${place}` };
  return { name: id.split("/").at(-1), selfLink: origin + id, ...at, ...resource };
}

// Returns two items per page, so that tests read every list page by page.
function paginate(items: readonly Json[], query: SeenRequest["query"]): Json {
  const from = Number(query["pageToken"]?.[0] ?? 0);
  return { items: items.slice(from, from + 2), ...(from + 2 < items.length ? { nextPageToken: String(from + 2) } : {}) };
}

function isKept(resource: Json, filter: string): boolean {
  const labels = (resource["labels"] ?? {}) as Json;
  const label = /^labels\.(\S+) = "(.*)"$/.exec(filter);
  if (label !== null) return labels[label[1] ?? ""] === label[2];
  const names = [...filter.matchAll(/\(name = "([^"]+)"\)/g)].map(([, name]) => name);
  if (names.length > 0) return names.includes(String(resource["name"]));
  const status = /^status != (\w+)$/.exec(filter);
  return status === null || resource["status"] !== status[1];
}
