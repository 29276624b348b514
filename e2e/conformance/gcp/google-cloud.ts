import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { LocalCloud } from "../local-cloud.ts";
import { readApiModel } from "./api-model.ts";
import { createCompute } from "./compute.ts";
import { createContainer } from "./container.ts";
import { createIam } from "./iam.ts";
import { createKms } from "./kms.ts";
import { createProjects } from "./projects.ts";
import { isResource, Refusal, type ApiRequest, type Resource, type Service } from "./reply.ts";
import { createStorage } from "./storage.ts";

/** A local server that imitates Google Cloud with a single project. */
export interface GoogleCloud extends LocalCloud {
  readonly address: string;
  /** All resources, keyed by service and path. */
  readonly resources: Map<string, Resource>;
}

/** Id of the only project in the local cloud. */
export const project = "acme-1";

// The names `iam_beta` and `resource_manager` are deliberate: the provider ignores `iam_custom_endpoint` and
// `cloud_resource_manager_custom_endpoint`.
const endpoints = ["compute", "container", "storage", "kms", "iam_beta", "resource_manager", "cloud_billing"];

/**
 * Starts a server that stores resources in memory, adds the defaults of the real APIs, and rejects requests that violate Google's API
 * descriptions.
 */
export async function startGoogleCloud(): Promise<GoogleCloud> {
  const resources = new Map<string, Resource>();
  const forbidden: string[] = [];
  const compute = createCompute(resources);
  const existing = new Set(createMainNetwork(compute, resources));
  const services: Readonly<Record<string, Service>> = {
    compute,
    container: createContainer(resources),
    storage: createStorage(resources),
    kms: createKms(resources),
    iam_beta: createIam(resources),
    resource_manager: createProjects(),
    oauth2: () => ({ access_token: "test", token_type: "Bearer", expires_in: 3600 }),
    cloud_billing: () => ({ billingAccountName: "billingAccounts/000000-000000-000000", billingEnabled: true }),
  };
  const models = new Map([
    ["compute", readApiModel("compute.v1", "")],
    ["container", readApiModel("container.v1", "v1/")],
  ]);

  function answer(service: string, request: ApiRequest): Resource {
    const wrong = models.get(service)?.listForbidden(request) ?? [];
    if (wrong.length > 0) {
      forbidden.push(...wrong);
      throw new Refusal(400, `Invalid JSON payload received. ${wrong.join("; ")}`);
    }
    const serve = services[service];
    if (serve === undefined) throw new Refusal(404, `There is no service ${service}`);
    return serve(request);
  }

  const server = createServer((incoming, response) => {
    const send = (status: number, body: object): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    void readRequest(incoming)
      .then(({ service, request }) => send(200, answer(service, request)))
      .catch((error: unknown) => {
        const { status, reason } = error instanceof Refusal ? error : { status: 501, reason: "notImplemented" };
        const message = error instanceof Error ? error.message : String(error);
        if (status === 501) forbidden.push(`${incoming.method} ${incoming.url}: ${message}`);
        send(status, { error: { code: status, message, errors: [{ reason, message }] } });
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    resources,
    renderProvider: () => ({
      google: {
        access_token: "test",
        ...Object.fromEntries(endpoints.map((name) => [`${name}_custom_endpoint`, `${address}/${name}/v1/`])),
      },
    }),
    environment: { GOOGLE_PROJECT: project },
    // Omits key rings and keys, which Cloud KMS never deletes, and snapshots, which remain until a user deletes them.
    listResources: () => [...resources.keys()].filter((key) => !existing.has(key) && !/^(kms\/|.*\/snapshots\/)/.test(key)),
    listForbidden: () => forbidden,
    reset() {
      resources.clear();
      forbidden.length = 0;
      createMainNetwork(compute, resources);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Creates a network and a subnet for clusters, like those that a user might already have. Returns the keys of both in `resources`. */
function createMainNetwork(compute: Service, resources: ReadonlyMap<string, Resource>): string[] {
  const create = (path: string, body: Resource): Resource =>
    compute({ method: "POST", path: `projects/${project}/${path}`, query: new URLSearchParams(), body });
  create("global/networks", { name: "main", autoCreateSubnetworks: false });
  create("regions/europe-west1/subnetworks", {
    name: "main",
    network: `projects/${project}/global/networks/main`,
    ipCidrRange: "10.0.0.0/20",
    secondaryIpRanges: [
      { rangeName: "pods", ipCidrRange: "10.0.128.0/17" },
      { rangeName: "services", ipCidrRange: "10.0.64.0/20" },
    ],
  });
  return [...resources.keys()];
}

async function readRequest(incoming: IncomingMessage): Promise<{ service: string; request: ApiRequest }> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const url = new URL(incoming.url ?? "/", "http://localhost");
  const [, service = "", , ...path] = decodeURIComponent(url.pathname).split("/");
  // Token requests have a form-encoded body, which can be ignored here.
  const body: unknown = text.startsWith("{") ? JSON.parse(text) : {};
  const method = incoming.method ?? "GET";
  return { service, request: { method, path: path.join("/"), query: url.searchParams, body: isResource(body) ? body : {} } };
}
