import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { findOperation, readApiModels } from "./api-models.ts";
import { createTestCertificate, type TestCertificate } from "./test-certificate.ts";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A response from the fake API. */
export interface FakeAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A resource in the fake subscription. */
export interface FakeResource {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A fake of Microsoft Entra ID, Azure Resource Manager and Blob Storage over HTTPS. */
export interface FakeAzure {
  readonly endpoints: Readonly<Record<string, string>>;
  readonly certificate: TestCertificate;
  readonly seen: readonly SeenRequest[];
  /** Resources, keyed by id in lower case. */
  readonly resources: Map<string, FakeResource>;
  put(resource: FakeResource): string;
  /** Sets a rule that overrides responses. Undefined removes the rule. */
  answer(rule: ((request: SeenRequest) => FakeAnswer | undefined) | undefined): void;
  /** Stops the fake. Throws if a request violated Azure's API models. */
  close(): Promise<void>;
}

export const fakeTenant = "72f988bf-86f1-41af-91ab-2d7cd011db47";
export const fakeClient = "5c3a1f00-1111-4222-8333-444455556666";
export const fakeObject = "0b0e7c00-aaaa-4bbb-8ccc-ddddeeeeffff";
export const fakeSubscription = "0b1f6471-1bf0-4dda-aec3-111122223333";
export const fakeRegion = "westeurope";
export const fakeSecret = "canary~8Q~secret.of.the.application";

const subscriptionPath = `/subscriptions/${fakeSubscription}`;

/** Starts the fake. Its certificate is trusted in this process only. */
export async function startFakeAzure(openssl: string): Promise<FakeAzure> {
  const certificate = createTestCertificate(openssl);
  setDefaultCACertificates([...getCACertificates("default"), certificate.certificate]);
  const models = readApiModels();
  const seen: SeenRequest[] = [];
  const violations: string[] = [];
  const resources = new Map<string, FakeResource>();
  let rule: ((request: SeenRequest) => FakeAnswer | undefined) | undefined;
  let address = "";
  const server = createServer({ key: certificate.key, cert: certificate.certificate }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "/", address);
      const { method = "", headers } = request;
      const asked = { method, path: url.pathname, query: url.searchParams, headers, body: Buffer.concat(chunks).toString() };
      seen.push(asked);
      if (models !== undefined) violations.push(...findViolations(asked, models));
      const { status, body, headers: own = {} } = rule?.(asked) ?? answerAsked(asked, resources, address);
      const isText = typeof body === "string";
      response.writeHead(status, { "content-type": isText ? "application/xml" : "application/json", ...own });
      response.end(body === undefined ? "" : isText ? body : JSON.stringify(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `https://localhost:${(server.address() as AddressInfo).port}`;
  return {
    endpoints: {
      AZURE_AUTHORITY_HOST: address,
      AZURE_RESOURCE_MANAGER_ENDPOINT: address,
      AZURE_STORAGE_ENDPOINT: `${address}/blobs`,
    },
    certificate,
    seen,
    resources,
    put(resource) {
      resources.set(resource.id.toLowerCase(), resource);
      return resource.id;
    },
    answer(next) {
      rule = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (violations.length > 0) throw new Error(`requests violated the API models:\n${violations.join("\n")}`);
    },
  };
}

/**
 * Checks that a request has a token, an API version and a request id. Requests to Compute and AKS are also checked against the API models.
 */
function findViolations(
  { method, path, query, headers, body }: SeenRequest,
  models: NonNullable<ReturnType<typeof readApiModels>>,
): string[] {
  if (!path.startsWith("/subscriptions")) return [];
  const found: string[] = [];
  const say = (text: string): unknown => found.push(`${method} ${path}: ${text}`);
  if (headers.authorization?.startsWith("Bearer ") !== true) say("no token");
  if (headers["x-ms-client-request-id"] === undefined) say("no request id");
  if (headers.accept !== "application/json") say(`accepts ${headers.accept ?? "anything"}`);
  if (body !== "" && headers["content-type"]?.startsWith("application/json") !== true) say("the body is not JSON");
  if (!/^\d{4}-\d\d-\d\d$/.test(query.get("api-version") ?? "")) say("no API version");
  if (!/\/providers\/Microsoft\.(Compute|ContainerService)\//i.test(path)) return found;
  // The addresses of long-running operations are not part of the models.
  if (/\/locations\/[^/]+\/operations\/[^/]+$/.test(path)) return found;
  const operation = findOperation(models, method, path);
  if (operation === undefined) {
    say("no such operation");
    return found;
  }
  if (query.get("api-version") !== operation.apiVersion)
    say(`API version ${query.get("api-version")}, not ${operation.apiVersion}`);
  // Links to further pages contain an additional parameter, `$skiptoken`.
  for (const name of query.keys())
    if (!operation.queryNames.includes(name) && name !== "$skiptoken") say(`unknown parameter ${name}`);
  const given = body === "" ? [] : Object.keys(JSON.parse(body) as object);
  for (const field of given) if (operation.bodyFields?.includes(field) !== true) say(`unknown field ${field}`);
  if (body !== "") for (const problem of operation.findBodyProblems?.(JSON.parse(body)) ?? []) say(problem);
  for (const name of ["if-match", "if-none-match"])
    if (headers[name] !== undefined && !operation.headerNames.includes(name)) say(`unknown header ${name}`);
  return found;
}

function answerAsked(asked: SeenRequest, resources: Map<string, FakeResource>, address: string): FakeAnswer {
  const { method, path } = asked;
  if (path.endsWith("/oauth2/v2.0/token")) return issueToken(asked);
  if (path.endsWith("/.well-known/openid-configuration")) {
    const base = `${address}/${fakeTenant}`;
    const token_endpoint = `${base}/oauth2/v2.0/token`;
    const rest = { issuer: `${base}/v2.0`, authorization_endpoint: `${base}/oauth2/v2.0/authorize`, jwks_uri: `${base}/keys` };
    return { status: 200, body: { token_endpoint, ...rest } };
  }
  const isExpected = asked.headers.authorization?.startsWith("Bearer ") === true;
  if (!isExpected) return refuse(401, "InvalidAuthenticationToken", "the token is missing");
  const known = method === "GET" ? answerList(asked, resources) : undefined;
  if (known !== undefined) return known;
  const found = resources.get(path.toLowerCase());
  if (method === "PUT") {
    const body = { id: path, name: path.split("/").at(-1), type: "", ...(JSON.parse(asked.body) as object) };
    resources.set(path.toLowerCase(), body);
    return { status: 201, body };
  }
  if (path.endsWith("/checkNameAvailability")) {
    const { name } = JSON.parse(asked.body) as { readonly name: string };
    if (!/^[a-z0-9]{3,24}$/.test(name)) return { status: 200, body: { nameAvailable: false, reason: "AccountNameInvalid" } };
    const isTaken = [...resources.values()].some((each) => each["name"] === name);
    return { status: 200, body: { nameAvailable: !isTaken, ...(isTaken ? { reason: "AlreadyExists" } : {}) } };
  }
  if (method === "POST" && path.endsWith("/moveResources")) return { status: 204 };
  if (found === undefined) return refuse(404, "ResourceNotFound", `${path} was not found`);
  if (method === "DELETE") resources.delete(path.toLowerCase());
  if (method === "PATCH") resources.set(path.toLowerCase(), { ...found, ...(JSON.parse(asked.body) as object) });
  return method === "DELETE" ? { status: 204 } : { status: 200, body: resources.get(path.toLowerCase()) };
}

function issueToken({ body }: SeenRequest): FakeAnswer {
  const form = new URLSearchParams(body);
  const isKnown = form.get("client_secret") === fakeSecret || form.has("client_assertion");
  if (!isKnown) {
    const error_description = "AADSTS7000215: Invalid client secret provided. Trace ID: 1\r\nCorrelation ID: 2";
    return { status: 401, body: { error: "invalid_client", error_description, error_codes: [7000215] } };
  }
  return {
    status: 200,
    body: {
      token_type: "Bearer",
      expires_in: 3600,
      ext_expires_in: 3600,
      access_token: createAccessToken(form.get("scope") ?? ""),
    },
  };
}

/** Creates an unsigned access token with the claims of the fake application. */
export function createAccessToken(audience: string): string {
  const claims = { oid: fakeObject, appid: fakeClient, tid: fakeTenant, aud: audience };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;
}

export function refuse(status: number, code: string, message: string): FakeAnswer {
  return { status, body: { error: { code, message } } };
}

const skus = [
  {
    resourceType: "virtualMachines",
    name: "Standard_D2s_v5",
    family: "standardDSv5Family",
    locationInfo: [{ location: fakeRegion, zones: ["3", "1", "2"] }],
    capabilities: [{ name: "vCPUs", value: "2" }],
    restrictions: [{ type: "Zone", restrictionInfo: { zones: ["3"] } }],
  },
  {
    resourceType: "virtualMachines",
    name: "Standard_M8ms",
    family: "standardMSFamily",
    locationInfo: [{ location: fakeRegion, zones: ["1"] }],
    capabilities: [{ name: "vCPUs", value: "8" }],
    restrictions: [{ type: "Location" }],
  },
  ...["Standard_D4s_v5", "Standard_D8s_v5", "Standard_B1s", "Standard_B2s"].map((name) => ({
    resourceType: "virtualMachines",
    name,
    locationInfo: [{ location: fakeRegion, zones: ["1", "2", "3"] }],
    capabilities: [{ name: "vCPUs", value: "4" }],
  })),
];

const usages: Readonly<Record<string, readonly (readonly [name: string, used: number, limit: number])[]>> = {
  "Microsoft.Network": [
    ["VirtualNetworks", 3, 1000],
    ["PublicIPAddresses", 2, 1000],
    ["StandardSkuPublicIpAddresses", 2, 20],
    ["NatGateways", 0, 100],
    ["ApplicationSecurityGroups", 7, 3000],
  ],
  "Microsoft.Compute": [
    ["cores", 10, 100],
    ["standardDSv5Family", 8, 20],
  ],
};

/** Answers requests for lists in a subscription. Returns resources in pages of two, so that tests follow links to the next page. */
function answerList({ path, query, headers }: SeenRequest, resources: Map<string, FakeResource>): FakeAnswer | undefined {
  const list = (value: readonly unknown[]): FakeAnswer => ({ status: 200, body: { value } });
  if (path === "/subscriptions") return list([{ subscriptionId: fakeSubscription, displayName: "Fake", state: "Enabled" }]);
  if (path === subscriptionPath) return { status: 200, body: { subscriptionId: fakeSubscription, state: "Enabled" } };
  const mappings = ["1", "2", "3"].map((logicalZone) => ({ logicalZone }));
  if (path === `${subscriptionPath}/locations`)
    return list([{ name: fakeRegion, availabilityZoneMappings: mappings }, { name: "westus" }]);
  if (path === `${subscriptionPath}/providers`)
    return list([
      ...["Compute", "ContainerService", "ManagedIdentity", "Network", "Storage"].map((name) => ({
        namespace: `Microsoft.${name}`,
        registrationState: "Registered",
      })),
      { namespace: "Microsoft.KeyVault", registrationState: "NotRegistered" },
    ]);
  if (path.endsWith("/Microsoft.Authorization/permissions"))
    return list([{ actions: ["*"], notActions: ["Microsoft.Authorization/*/Write"], dataActions: [], notDataActions: [] }]);
  if (path.endsWith("/Microsoft.Compute/skus")) return list(skus);
  if (/\/publishers\/(Canonical|Debian)\/artifacttypes\/vmimage\/offers\/[^/]+\/skus\/[^/]+\/versions$/.test(path))
    return { status: 200, body: [{ name: "1.0.1", location: fakeRegion }] };
  if (path.endsWith("/kubernetesVersions"))
    return { status: 200, body: { values: [{ version: "1.34" }, { version: "1.35" }, { version: "1.36", isPreview: true }] } };
  const [, namespace = ""] = /\/providers\/([^/]+)\/locations\/[^/]+\/usages$/.exec(path) ?? [];
  if (namespace !== "") {
    const all = usages[namespace] ?? [];
    return list(
      all.map(([value, currentValue, limit]) => ({ currentValue, limit, name: { value, localizedValue: `${value} quota` } })),
    );
  }
  const all = [...resources.values()];
  const [, type] = new RegExp(`^${subscriptionPath}/providers/([^/]+/[^/]+)$`).exec(path) ?? [];
  const filter = query.get("$filter") ?? "";
  const [, key = "", value] = /^tagName eq '([^']*)'(?: and tagValue eq '(.*)')?$/.exec(filter) ?? [];
  const [, group = ""] = /^resourceGroup eq '(.*)'$/.exec(filter) ?? [];
  const isTagged = ({ tags = {} }: FakeResource): boolean => {
    const found = (tags as Record<string, string>)[key];
    return found !== undefined && (value === undefined || found === value);
  };
  const found =
    type !== undefined
      ? all.filter((each) => each.type.toLowerCase() === type.toLowerCase())
      : path === `${subscriptionPath}/resources` && group !== ""
        ? all.filter(({ id }) => id.toLowerCase().includes(`/resourcegroups/${group.toLowerCase()}/`))
        : path === `${subscriptionPath}/resources`
          ? all.filter((each) => each.type !== "group" && !isInside(each) && isTagged(each))
          : path === `${subscriptionPath}/resourcegroups`
            ? all.filter((each) => each.type === "group" && isTagged(each))
            : /\/(agentPools|federatedIdentityCredentials|containers|roleAssignments|keys)$/.test(path)
              ? all.filter(({ id }) => id.toLowerCase().startsWith(`${path.toLowerCase()}/`))
              : undefined;
  if (found === undefined) return undefined;
  const from = Number(query.get("$skiptoken") ?? 0);
  const page = found.slice(from, from + 2);
  const next = new URLSearchParams(query);
  next.set("$skiptoken", String(from + 2));
  const nextLink = `https://${headers.host ?? ""}${path}?${next.toString()}`;
  return { status: 200, body: { value: page, ...(from + 2 < found.length ? { nextLink } : {}) } };
}

/** Returns whether Azure lists a resource only inside another one. */
function isInside({ type }: FakeResource): boolean {
  return type === "inside";
}
