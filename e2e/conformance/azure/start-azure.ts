import { createServer as createProxy } from "node:http";
import { createServer } from "node:https";
import { connect, type AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireTool } from "@cloudwright/platform";
import { renderError, type Answer, type ApiRequest } from "./answer.ts";
import { createArmApi } from "./arm-api.ts";
import { createArmStore, type ArmStore } from "./arm-store.ts";
import { createCertificate } from "./certificate.ts";
import { readApiModel } from "./api-model.ts";
import { seedFixtures, subscription } from "./fixtures.ts";
import { parseResourceId } from "./resource-id.ts";
import type { LocalCloud } from "../local-cloud.ts";
import { groupTypes } from "./group-types.ts";
import { answerRoleDefinitions, caller, identityTypes, tenant } from "./identity-types.ts";
import { createKeyVaultApi, keyVaultTypes } from "./key-vault-types.ts";
import { kubernetesTypes } from "./kubernetes-types.ts";
import { networkTypes } from "./network-types.ts";
import { storageTypes } from "./storage-types.ts";

/**
 * A local server that emulates Azure's public endpoints. Terraform reaches it through a proxy, so the provider needs no special settings.
 */
export interface LocalAzure extends LocalCloud {
  readonly environment: Readonly<Record<string, string>>;
  readonly store: ArmStore;
  /** Log of all requests and responses, including their bodies. */
  readonly requests: readonly string[];
}

/** Starts the local Azure server and its proxy on free ports. Requires `openssl`. */
export async function startAzure(): Promise<LocalAzure> {
  const openssl = requireTool("openssl");
  if (!openssl.found) throw new Error(openssl.reason);
  const folder = await mkdtemp(join(tmpdir(), "local-azure-"));
  const { key, certificate } = createCertificate(openssl.path, [
    "management.azure.com",
    "login.microsoftonline.com",
    "graph.microsoft.com",
    "*.vault.azure.net",
  ]);
  await writeFile(join(folder, "ca.pem"), certificate);

  const store = createArmStore();
  const arm = createArmApi(store, {
    ...groupTypes,
    ...networkTypes,
    ...identityTypes,
    ...keyVaultTypes,
    ...storageTypes,
    ...kubernetesTypes,
  });
  const keyVaults = createKeyVaultApi(store);
  const requests: string[] = [];
  const forbidden: string[] = [];
  const model = readApiModel();
  seedFixtures(store);
  const fixtures = new Set(store.listAll().map(({ id }) => id));

  function answer(request: ApiRequest): Answer {
    if (request.host === "login.microsoftonline.com") return answerLogin(request);
    if (request.host.endsWith(".vault.azure.net")) return keyVaults.answer(request);
    if (/\/roledefinitions(\/|$)/i.test(request.path)) return answerRoleDefinitions(request, store);
    if (/^\/subscriptions\/[^/]+$/.test(request.path)) {
      return {
        status: 200,
        body: { id: request.path, subscriptionId: subscription, tenantId: tenant, state: "Enabled", displayName: "test" },
      };
    }
    const isWrite = request.method === "PUT" || request.method === "PATCH";
    const wrong = isWrite ? model.listForbidden(parseResourceId(request.path).type, request.body) : [];
    forbidden.push(...wrong);
    return wrong.length > 0 ? renderError(400, "InvalidRequestContent", wrong.join("; ")) : arm.answer(request);
  }

  const server = createServer({ key, cert: certificate }, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const host = incoming.headers.host ?? "";
      const url = new URL(`https://${host}${incoming.url ?? "/"}`);
      const text = Buffer.concat(chunks).toString();
      const request: ApiRequest = {
        host: host.split(":")[0] ?? "",
        method: incoming.method ?? "GET",
        path: decodeURIComponent(url.pathname).replaceAll(/\/+/g, "/").replace(/\/$/, ""),
        query: url.searchParams,
        body: text.startsWith("{") ? (JSON.parse(text) as unknown) : undefined,
        headers: incoming.headers,
      };
      let result: Answer;
      try {
        result = answer(request);
      } catch (error) {
        result = renderError(500, "InternalServerError", String((error as Error).stack));
      }
      requests.push(
        `${result.status} ${request.method} ${host}${incoming.url} ${text} => ${JSON.stringify(result.body ?? null)}`,
      );
      const content = result.body === undefined ? "" : JSON.stringify(result.body);
      outgoing.writeHead(result.status, {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": Buffer.byteLength(content),
        ...result.headers,
      });
      outgoing.end(request.method === "HEAD" ? undefined : content);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const proxy = createProxy();
  proxy.on("connect", (_request, client, head) => {
    const upstream = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));

  return {
    store,
    requests,
    renderProvider: () => ({ azurerm: {} }),
    // Ignores soft-deleted vaults, because vaults with purge protection cannot be purged.
    listResources: () => store.listAll().flatMap(({ id }) => (fixtures.has(id) || /\/deletedvaults\//i.test(id) ? [] : [id])),
    listForbidden: () => forbidden,
    reset() {
      for (const { id } of store.listAll()) store.remove(id);
      keyVaults.reset();
      forbidden.length = 0;
      requests.length = 0;
      seedFixtures(store);
    },
    environment: {
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      SSL_CERT_FILE: join(folder, "ca.pem"),
      ARM_SUBSCRIPTION_ID: subscription,
      ARM_TENANT_ID: tenant,
      ARM_CLIENT_ID: caller.clientId,
      ARM_CLIENT_SECRET: "secret",
      ARM_USE_CLI: "false",
    },
    async close() {
      server.closeAllConnections();
      proxy.closeAllConnections();
      server.close();
      proxy.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Answers token requests. The tokens are unsigned, because providers read only their claims. */
function answerLogin({ path }: ApiRequest): Answer {
  if (!path.endsWith("/token")) return renderError(404, "NotFound", path);
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { oid: caller.objectId, tid: tenant, appid: caller.clientId, exp: 4_102_444_800 };
  const token = `${encode({ alg: "none", typ: "JWT" })}.${encode(claims)}.`;
  return { status: 200, body: { token_type: "Bearer", expires_in: 86_399, ext_expires_in: 86_399, access_token: token } };
}
