import { createLogger, createShutdown, createUid, systemClock, type Shutdown } from "@cloudwright/platform";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import type { CloudRecord } from "@cloudwright/simulator";
import {
  createPool,
  findSimulatedKubernetes,
  listSimulatedClusters,
  readKeyRing,
  type Pool,
  type SimulatedClusterRow,
} from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { execFileSync } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSimulatedKubernetes } from "./simulated-kubernetes.ts";
import { createStoredInventory } from "./stored-inventory.ts";

const region = "eu-west-1";
const log = createLogger({ level: "silent", name: "test" });
const folder = mkdtempSync(join(tmpdir(), "clusters-"));
const keyRing = readKeyRing({ file: join(folder, "keys"), keys: undefined });
const tomorrow = new Date(systemClock.now() + 86_400_000);
const listen = { host: "127.0.0.1", port: 0 };
let database: TestDatabase;
let pool: Pool;
let account: string;
const running: Shutdown[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
  account = createUid(systemClock.now());
  await pool.query({
    text: `insert into entity (uid, kind, project, naming_scope, name, environment, labels, resource_version, created_at, updated_at, object)
      values ($1, 'Account', 'default', '', 'sim', '', '{}', 1, now(), now(), '{}')`,
    values: [account],
  });
});
afterAll(async () => {
  for (const shutdown of running) await shutdown.close("the suite is over");
  await pool.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

async function startReplica(): Promise<Awaited<ReturnType<typeof startSimulatedKubernetes>> & { readonly shutdown: Shutdown }> {
  const shutdown = createShutdown({ log });
  running.push(shutdown);
  const served = await startSimulatedKubernetes(
    { pool, connection: database.connection, keyRing, clock: systemClock, log, shutdown, revive: () => undefined },
    { serve: true, listen, cloudsListen: listen },
  );
  return { ...served, shutdown };
}

const inventory = () => createStoredInventory({ pool });
const findRow = async (name: string): Promise<SimulatedClusterRow | undefined> =>
  (await listSimulatedClusters(pool)).find((row) => row.name === name);

async function putGroup(desired: number): Promise<void> {
  const attributes = {
    cluster_name: "dev",
    node_group_name: "workers",
    region,
    version: "1.34",
    subnet_ids: ["subnet-a"],
    instance_types: ["m5.large"],
    scaling_config: [{ desired_size: desired }],
  };
  await inventory().put(account, { type: "aws_eks_node_group", id: "dev:workers", attributes });
}

function connect(kubeconfig: string): CoreV1Api {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  return config.makeApiClient(CoreV1Api);
}

async function countNodes(core: CoreV1Api): Promise<number> {
  return (await core.listNode()).items.length;
}

const within = { timeout: 60_000 };

test("M130 M032 clusters in simulated clouds are served, and one replica takes over from another at the same address", async () => {
  const first = await startReplica();
  const subnet = { id: "subnet-a", region, cidr_block: "10.0.0.0/24", availability_zone: "eu-west-1a" };
  await inventory().put(account, { type: "aws_subnet", id: "subnet-a", attributes: subnet });
  await inventory().put(account, { type: "aws_eks_cluster", id: "dev", attributes: { name: "dev", region, version: "1.34" } });
  await putGroup(1);
  first.notify();
  await expect.poll(async () => (await findRow("dev"))?.version, within).toBe("v1.34.2");
  const row = (await findRow("dev")) as SimulatedClusterRow;
  const kubeconfig = (await first.open(row)).kubeconfigFor("admin", tomorrow).reveal();
  const core = connect(kubeconfig);
  await expect.poll(() => countNodes(core).catch(() => 0), within).toBe(1);

  const second = await startReplica();
  expect((await second.open(row)).kubeconfigFor("admin", tomorrow).reveal()).toBe(kubeconfig);
  const address = (await findSimulatedKubernetes(pool))?.address;
  await core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name: "kept" }, data: { a: "b" } } });
  await first.shutdown.close("gone");
  const read = (): Promise<unknown> => core.readNamespacedConfigMap({ namespace: "default", name: "kept" });
  await expect.poll(() => read().catch(() => undefined), within).toMatchObject({ data: { a: "b" } });
  expect((await findSimulatedKubernetes(pool))?.address).toBe(address);

  // A notification announces the new node count. No notification announces the deletion, so only the periodic sweep can find it.
  await putGroup(3);
  first.notify();
  await expect.poll(() => countNodes(core), within).toBe(3);
  await inventory().delete(account, { type: "aws_eks_cluster", id: "dev" });
  await expect.poll(() => findRow("dev"), within).toBeUndefined();
  await expect(core.listNode()).rejects.toMatchObject({ code: 404 });
});

test("M097 the secret behind keys and tokens is stored encrypted", async () => {
  const { sealed } = (await findSimulatedKubernetes(pool)) ?? {};
  expect(sealed?.length).toBeGreaterThan(60);
  const replica = await startReplica();
  const access = await replica.open({ id: "x", version: "v1.34.2", createdAtMs: 1000 });
  const soon = new Date(systemClock.now() + 900_000);
  expect(access.kubeconfigFor("admin", tomorrow).reveal()).not.toContain(access.tokenFor("admin", soon).reveal());
  expect(String(access.tokenFor("admin", soon))).toBe("[secret]");
  expect(access.tokenFor("viewer", soon).reveal()).not.toBe(access.tokenFor("admin", soon).reveal());
});

test("M150 M163 the cloud API of a simulated account is served, and its credentials can be issued and rotated", async () => {
  const replica = await startReplica();
  await expect.poll(async () => (await findSimulatedKubernetes(pool))?.cloudsAddress, within).not.toBe("");
  const issue = (rotate: boolean) => replica.issueCredentials({ uid: account, cloud: "aws" }, { rotate, region, source: "" });
  const { environment, address } = await issue(false);
  expect(address).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const list = (keys: Readonly<Record<string, string>>) => callApi(keys, "GET", "/clusters");
  await expect.poll(async () => (await list(environment)).status, within).toBe(200);
  await inventory().put(account, { type: "aws_eks_cluster", id: "mine", attributes: { name: "mine", region } });
  expect(await (await list(environment)).json()).toEqual({ clusters: ["mine"] });
  const renewed = await issue(true);
  await expect.poll(async () => (await list(environment)).status, within).toBe(403);
  expect((await list(renewed.environment)).status).toBe(200);
  await expect(
    replica.issueCredentials({ uid: account, cloud: "local" }, { rotate: false, region, source: "" }),
  ).rejects.toMatchObject({
    code: "simulator.api_not_simulated",
  });
  await inventory().delete(account, { type: "aws_eks_cluster", id: "mine" });

  // A cluster that is created through the API has a reachable Kubernetes API.
  for (const letter of ["a", "b"]) {
    const attributes = { region, vpc_id: "vpc-1", availability_zone: `${region}${letter}`, cidr_block: "10.0.0.0/24" };
    await inventory().put(account, { type: "aws_subnet", id: `subnet-api-${letter}`, attributes });
  }
  const resourcesVpcConfig = { subnetIds: ["subnet-api-a", "subnet-api-b"] };
  const body = JSON.stringify({ name: "made", roleArn: "arn:aws:iam::123456789012:role/eks", resourcesVpcConfig });
  expect((await callApi(renewed.environment, "POST", "/clusters", body)).status).toBe(200);
  await expect.poll(async () => (await findRow("made"))?.seen, within).toBe(true);
  const row = (await findRow("made")) as SimulatedClusterRow;
  const findEndpoint = async (): Promise<string | undefined> => {
    const reply = await callApi(renewed.environment, "GET", "/clusters/made");
    return ((await reply.json()) as { readonly cluster: { readonly endpoint?: string } }).cluster.endpoint;
  };
  const core = connect((await replica.open(row)).kubeconfigFor("admin", tomorrow).reveal());
  // A cluster has no endpoint while it is being created.
  await expect.poll(findEndpoint, within).toBe((await replica.open(row)).endpoint);
  await expect.poll(() => countNodes(core).catch(() => -1), within).toBe(0);
});

test("M150 M163 the API of Azure is served the same way, and its clusters have a reachable Kubernetes API", async () => {
  const replica = await startReplica();
  const place = { rotate: false, region: "eastus", source: "" };
  const { environment } = await replica.issueCredentials({ uid: account, cloud: "azure" }, place);
  const given = (name: string): string => environment[name] ?? "";
  // Uses plain HTTP, because fetch does not trust the certificate authority.
  const address = given("AZURE_RESOURCE_MANAGER_ENDPOINT").replace("https:", "http:");
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: given("AZURE_CLIENT_ID"),
    client_secret: given("AZURE_CLIENT_SECRET"),
    scope: `${address}/.default`,
  });
  const login = () => fetch(`${address}/${given("AZURE_TENANT_ID")}/oauth2/v2.0/token`, { method: "POST", body: form });
  await expect.poll(async () => (await login().catch(() => undefined))?.status, within).toBe(200);
  const { access_token: token } = (await (await login()).json()) as { readonly access_token: string };
  const group = `/subscriptions/${given("AZURE_SUBSCRIPTION_ID")}/resourceGroups/rg`;
  const call = (method: string, path: string, body?: object): Promise<Response> => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { authorization: `Bearer ${token}` };
    return fetch(`${address}${group}${path}?api-version=2025-10-01`, { method, headers, ...json });
  };
  expect((await call("PUT", "", { location: "eastus" })).status).toBe(201);
  const cluster = "/providers/Microsoft.ContainerService/managedClusters/azure-made";
  const profile = { name: "main", mode: "System", count: 1, vmSize: "Standard_D4s_v5" };
  const properties = { dnsPrefix: "dev", agentPoolProfiles: [profile] };
  expect((await call("PUT", cluster, { location: "eastus", properties })).status).toBe(201);
  await expect.poll(async () => (await findRow("azure-made"))?.seen, within).toBe(true);
  const access = await replica.open((await findRow("azure-made")) as SimulatedClusterRow);
  const core = connect(access.kubeconfigFor("admin", tomorrow).reveal());
  await expect.poll(() => countNodes(core).catch(() => -1), within).toBe(1);
  const issued = (await (await call("POST", `${cluster}/listClusterUserCredential`)).json()) as {
    readonly kubeconfigs: readonly { readonly value: string }[];
  };
  expect(Buffer.from(issued.kubeconfigs[0]?.value ?? "", "base64").toString()).toContain(access.endpoint);
  expect((await call("DELETE", "")).status).toBe(202);
  await expect.poll(() => findRow("azure-made"), within).toBeUndefined();
});

test("X063 the simulated cloud APIs run in a separate process, and simulated clusters keep working when that process ends", async () => {
  for (const shutdown of running.splice(0)) await shutdown.close("only one replica is needed");
  const replica = await startReplica();
  const { environment } = await replica.issueCredentials({ uid: account, cloud: "aws" }, { rotate: false, region, source: "" });
  const status = (): Promise<number> =>
    callApi(environment, "GET", "/clusters").then(
      (reply) => reply.status,
      () => 0,
    );
  await expect.poll(status, within).toBe(200);
  const [clouds, clusters] = [findChild("clouds-process"), findChild("clusters-process")];
  process.kill(clouds, "SIGKILL");
  await expect.poll(() => findChild("clouds-process"), within).not.toBe(clouds);
  await expect.poll(status, within).toBe(200);
  expect(findChild("clusters-process")).toBe(clusters);
});

test("M150 M163 the APIs of Google Cloud are served to a project's service account, and clusters have a reachable Kubernetes API", async () => {
  const replica = await startReplica();
  const { environment } = await replica.issueCredentials(
    { uid: account, cloud: "gcp", cloudAccount: "acme-project-1" },
    { rotate: false, region: "us-central1", source: "" },
  );
  expect(environment).toMatchObject({ CLOUDSDK_CORE_PROJECT: "acme-project-1", CLOUDSDK_COMPUTE_REGION: "us-central1" });
  const key = JSON.parse(environment["GOOGLE_CREDENTIALS"] ?? "{}") as Readonly<Record<string, string>>;
  expect(key["client_email"]).toContain("@acme-project-1.iam.gserviceaccount.com");
  const base = `${environment["CLOUDSDK_API_ENDPOINT_OVERRIDES_CONTAINER"]}v1/projects/acme-project-1/locations/us-central1/clusters`;
  const call = (method: string, path: string, body?: object): Promise<Response> => {
    const headers = { authorization: `Bearer ${environment["CLOUDSDK_AUTH_ACCESS_TOKEN"]}` };
    return fetch(base + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  };
  await expect.poll(async () => (await call("GET", "").catch(() => undefined))?.status, within).toBe(200);
  const cluster = { name: "gcp-made", nodePools: [{ name: "main", initialNodeCount: 1, locations: ["us-central1-a"] }] };
  expect((await call("POST", "", { cluster })).status).toBe(200);
  await expect.poll(async () => (await findRow("gcp-made"))?.seen, within).toBe(true);
  const access = await replica.open((await findRow("gcp-made")) as SimulatedClusterRow);
  const core = connect(access.kubeconfigFor("admin", tomorrow).reveal());
  await expect.poll(() => countNodes(core).catch(() => -1), within).toBe(1);
  const findEndpoint = async (): Promise<string> =>
    `https://${((await (await call("GET", "/gcp-made")).json()) as { readonly endpoint?: string }).endpoint ?? ""}`;
  await expect.poll(findEndpoint, within).toBe(access.endpoint);
  expect((await call("DELETE", "/gcp-made")).status).toBe(200);
  await expect.poll(() => findRow("gcp-made"), within).toBeUndefined();
});

test("X063 a node group with thousands of taints does not stop the simulated clusters", async () => {
  for (const shutdown of running.splice(0)) await shutdown.close("only one replica is needed");
  const replica = await startReplica();
  const put = (type: string, id: string, attributes: CloudRecord["attributes"]): Promise<void> =>
    inventory().put(account, { type, id, attributes: { ...attributes, region, version: "1.34" } });
  const describeGroup = (cluster: string, desired: number): CloudRecord["attributes"] => ({
    cluster_name: cluster,
    node_group_name: "main",
    subnet_ids: ["subnet-large"],
    scaling_config: [{ desired_size: desired }],
  });
  await put("aws_subnet", "subnet-large", { cidr_block: "10.0.0.0/8", availability_zone: "eu-west-1a" });
  for (const name of ["large", "calm"]) await put("aws_eks_cluster", name, { name });
  await put("aws_eks_node_group", "calm:main", describeGroup("calm", 1));
  await put("aws_eks_node_group", "large:main", {
    ...describeGroup("large", 1000),
    taint: Array.from({ length: 10_000 }, (_, index) => ({ key: `k${index}` })),
  });
  await expect.poll(() => findChild("clusters-process"), within).not.toBe(0);
  const child = findChild("clusters-process");
  replica.notify();
  const open = async (name: string): Promise<CoreV1Api> => {
    await expect.poll(async () => (await findRow(name))?.seen, within).toBe(true);
    return connect((await replica.open((await findRow(name)) as SimulatedClusterRow)).kubeconfigFor("admin", tomorrow).reveal());
  };
  const [large, calm] = [await open("large"), await open("calm")];
  // A few nodes may have the same address and therefore the same name.
  await expect.poll(() => countNodes(large).catch(() => -1), within).toBeGreaterThan(900);
  await expect.poll(() => countNodes(calm).catch(() => -1), within).toBe(1);
  expect(findChild("clusters-process")).toBe(child);
});

/** Returns the process id of the child that runs a file, or 0 if there is none. */
function findChild(file: string): number {
  const children = execFileSync("ps", ["-o", "pid=,args=", "--ppid", `${process.pid}`], { encoding: "utf8" }).split("\n");
  return Number.parseInt(children.find((line) => line.includes(`${file}.ts`)) ?? "0", 10);
}

/** Sends a request that is signed with the issued keys. */
async function callApi(keys: Readonly<Record<string, string>>, method: string, path: string, body = ""): Promise<Response> {
  const { AWS_ENDPOINT_URL: address = "", AWS_ACCESS_KEY_ID: id = "", AWS_SECRET_ACCESS_KEY: secret = "" } = keys;
  const time = new Date(systemClock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = [time.slice(0, 8), region, "eks", "aws4_request"];
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const { host } = new URL(address);
  const canonical = [method, path, "", `host:${host}\nx-amz-date:${time}\n`, "host;x-amz-date", hash(body)].join("\n");
  const key = scope.reduce<Buffer>(
    (before, part) => createHmac("sha256", before).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  );
  const toSign = ["AWS4-HMAC-SHA256", time, scope.join("/"), hash(canonical)].join("\n");
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${id}/${scope.join("/")}, SignedHeaders=host;x-amz-date, Signature=${signature}`;
  return fetch(`${address}${path}`, { method, headers: { authorization, "x-amz-date": time }, ...(body === "" ? {} : { body }) });
}
