import { objectOf, parseJson, pickChildEnvironment, processEnvironment, Secret, textOf } from "@cloudwright/platform";
import { createMemoryInventory } from "@cloudwright/simulator";
import { startApiHost, type ApiHost } from "@cloudwright/simulator/testing";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAzure } from "./create-azure.ts";

const root = join(import.meta.dirname, "../..");

/** Unmodified programs of existing users. The programs do not specify an endpoint. */
const programs = {
  create: `
const azure = createAzure({ subscriptionId, resourceGroup: "my-rg", accessToken, location: "eastus" });
await azure.clusters.create({ name: "my-cluster", version: "1.29", region: "eastus", nodeCount: 3, nodeType: "Standard_D4s_v5" });
const { status, version, nodePools } = await azure.clusters.waitReady("my-cluster");
console.log(status, version.startsWith("1.29."), nodePools[0]?.count);
`,
  existing: `
const azure = createAzure({ subscriptionId, resourceGroup: "my-rg", accessToken, location: "eastus" });
const existing = (await azure.clusters.list()).find((c) => c.name === "my-existing-cluster");
const cluster = await azure.clusters.get("my-existing-cluster");
const kubeconfig = await azure.clusters.kubeconfig("my-existing-cluster");
const again = await azure.clusters.get(cluster.id);
console.log(existing?.id === cluster.id, again.name, kubeconfig.includes(cluster.endpoint ?? "no endpoint"));
`,
};

const prelude = `
import { createAzure } from "@cloudwright/clouds";
const { SUBSCRIPTION: subscriptionId, TOKEN: accessToken } = process.env;
`;

/** Preloaded into the programs: redirects requests for Azure to a local port. Certificates are still verified. */
const renderRedirect = (port: number): string => `
import tls from "node:tls";
const { connect } = tls;
tls.connect = (options, ...rest) =>
  options.host === "management.azure.com"
    ? connect({ ...options, host: "127.0.0.1", port: ${port}, servername: "localhost" }, ...rest)
    : connect(options, ...rest);
`;

let host: ApiHost;
let folder: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  const inventory = createMemoryInventory();
  host = await startApiHost({ inventory, secret: new Secret("test"), listen: { port: 0 } });
  const issued = (await host.issue("programs", "azure")).environment;
  const subscriptionId = issued["AZURE_SUBSCRIPTION_ID"] ?? "";
  const id = `/subscriptions/${subscriptionId}/resourceGroups/my-rg`;
  await inventory.put("programs", { type: "azurerm_resource_group", id, attributes: { id, name: "my-rg", location: "eastus" } });
  const form = {
    grant_type: "client_credentials",
    client_id: issued["AZURE_CLIENT_ID"] ?? "",
    client_secret: issued["AZURE_CLIENT_SECRET"] ?? "",
    scope: "https://management.azure.com/.default",
  };
  const login = `${host.address}/${issued["AZURE_TENANT_ID"] ?? ""}/oauth2/v2.0/token`;
  const reply = await fetch(login, { method: "POST", body: new URLSearchParams(form) });
  const accessToken = textOf(objectOf(parseJson(await reply.text()))["access_token"]);
  const azure = createAzure({
    subscriptionId,
    resourceGroup: "my-rg",
    location: "eastus",
    accessToken,
    endpoints: { resourceManager: host.secureAddress },
    caPem: host.caPem,
  });
  await azure.clusters.create({ name: "my-existing-cluster", version: "1.33" }, { wait: "ready" });
  // This folder is inside the package, so that imports that use the package's own name resolve.
  folder = mkdtempSync(join(root, ".programs-"));
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, host.caPem);
  writeFileSync(join(folder, "redirect.mjs"), renderRedirect(host.port));
  environment = {
    ...pickChildEnvironment(processEnvironment),
    HOME: tmpdir(),
    SUBSCRIPTION: subscriptionId,
    TOKEN: accessToken,
    NODE_EXTRA_CA_CERTS: ca,
  };
}, 60_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await host.close();
});

const outputs = { create: "running true 3\n", existing: "true my-existing-cluster true\n" };

test.each(Object.entries(programs))("M167 M140 a program runs unchanged: %s", { timeout: 120_000 }, async (name, code) => {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, prelude + code);
  const args = ["--import", join(folder, "redirect.mjs"), file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
  expect(stdout).toBe(outputs[name as keyof typeof outputs]);
});
