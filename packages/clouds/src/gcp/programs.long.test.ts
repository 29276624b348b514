import { pickChildEnvironment, processEnvironment, Secret } from "@cloudwright/platform";
import { createMemoryInventory } from "@cloudwright/simulator";
import { startApiHost, type ApiHost } from "@cloudwright/simulator/testing";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGcp } from "./create-gcp.ts";
import type { GcpLibraryOptions } from "./library/options.ts";

const root = join(import.meta.dirname, "../..");

/** Unmodified programs of existing users. The programs do not specify an endpoint. */
const programs = {
  create: `
const gcp = createGcp({ projectId: "my-project", accessToken, zone: "us-central1-a" });
await gcp.clusters.create({ name: "my-cluster", version: "1.29", region: "us-central1", nodeCount: 3, nodeType: "e2-standard-4" });
const { status, version, location, nodePools } = await gcp.clusters.waitReady("my-cluster");
console.log(status, version.startsWith("1.29."), location, nodePools[0]?.count);
`,
  existing: `
const gcp = createGcp({ projectId: "my-project", accessToken, zone: "us-central1-a" });
const existing = (await gcp.clusters.list()).find((c) => c.name === "my-existing-cluster");
const cluster = await gcp.clusters.get("my-existing-cluster");
const kubeconfig = await gcp.clusters.kubeconfig("my-existing-cluster");
const again = await gcp.clusters.get(cluster.id);
console.log(existing?.id === cluster.id, again.name, kubeconfig.includes(cluster.endpoint ?? "no endpoint"));
`,
  credentials: `
const gcp = createGcp({ projectId: "my-project", serviceAccountKey, zone: "us-central1-a" });
await gcp.instances.create({ name: "my-vm", image: "debian-12", type: "e2-small" }, { wait: "ready" });
const vm = await gcp.instances.get("my-vm");
await gcp.instances.terminate(vm.id);
console.log(vm.status, vm.zone, (await gcp.instances.find("my-vm")) === undefined);
`,
};

const prelude = `
import { createGcp } from "@cloudwright/clouds";
const { TOKEN: accessToken, KEY: serviceAccountKey } = process.env;
`;

/** Preloaded into the programs: redirects requests for Google Cloud to a local server. Certificates are still verified. */
const redirect = (port: number): string => `
import tls from "node:tls";
const connect = tls.connect.bind(tls);
tls.connect = (options, listener) =>
  options.host?.endsWith(".googleapis.com") === true
    ? connect({ ...options, host: "127.0.0.1", port: ${port}, servername: "localhost" }, listener)
    : connect(options, listener);
`;

let host: ApiHost;
let folder: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  host = await startApiHost({ inventory: createMemoryInventory(), secret: new Secret("test"), listen: { port: 0 } });
  const issued = await host.issue("programs", "gcp");
  const { serviceAccountKey, endpoints } = issued.options as Pick<Required<GcpLibraryOptions>, "serviceAccountKey" | "endpoints">;
  const gcp = createGcp({ projectId: "my-project", region: "us-central1", serviceAccountKey, endpoints });
  await gcp.clusters.create({ name: "my-existing-cluster", version: "1.33" }, { wait: "ready" });
  await gcp.close();
  // This folder is inside the package, so that imports of the package's own name are resolved.
  folder = mkdtempSync(join(root, ".programs-"));
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, host.caPem);
  writeFileSync(join(folder, "redirect.mjs"), redirect(host.port));
  environment = {
    ...pickChildEnvironment(processEnvironment),
    HOME: tmpdir(),
    TOKEN: issued.environment["GOOGLE_OAUTH_ACCESS_TOKEN"],
    KEY: JSON.stringify(serviceAccountKey),
    NODE_EXTRA_CA_CERTS: ca,
  };
}, 60_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await host.close();
});

const outputs = {
  create: "running true us-central1 3\n",
  existing: "true my-existing-cluster true\n",
  credentials: "running us-central1-a true\n",
};

test.each(Object.entries(programs))("M167 M140 a program runs unchanged: %s", { timeout: 120_000 }, async (name, code) => {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, prelude + code);
  const preloaded = join(folder, "redirect.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", preloaded, file], { env: environment });
  expect(stdout).toBe(outputs[name as keyof typeof outputs]);
});
