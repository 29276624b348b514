import { createLogger, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callConnect } from "../testing/connect-call.ts";
import { methods } from "@cloudwright/contract";
import type { TestAnswer } from "../testing/http-call.ts";
import { foundCluster, seedDiscovery } from "../testing/seed-discovery.ts";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";

const lines: string[] = [];
let api: TestApi;
let viewer: Person;
let editor: Person;
let dev: Person;

const path = "/v1/projects/default";
const accounts: Record<string, { readonly name: string; readonly uid: string }> = {};

async function createAccount(name: string, spec: object, metadata: object = {}): Promise<void> {
  const body = { metadata: { name, ...metadata }, spec } as never;
  accounts[name] = { name, uid: (await api.must("POST", `${path}/accounts`, { body })).body.metadata.uid ?? "" };
}

beforeAll(async () => {
  const log = createLogger({ level: "trace", name: "test", stream: { write: (line) => void lines.push(line) } });
  api = await startTestApi({ log });
  viewer = await api.createPerson("vera", [{ project: "default", role: "viewer" }]);
  editor = await api.createPerson("edda", [{ project: "default", role: "editor" }]);
  for (const name of ["dev", "live"]) await api.must("POST", `${path}/environments`, { body: { metadata: { name } } });
  dev = await api.createPerson("dana", [{ project: "default", environment: "dev", role: "editor" }] as never);
  await createAccount("sim", { aws: {}, simulated: true });
  await createAccount("live", { aws: {}, simulated: true }, { environment: "live" });
  await createAccount("real", { aws: {} });
  await createAccount("gcp", { gcp: { projectId: "shop-123" } });
  await createAccount("azure", { azure: {} });
  await createAccount("local", { local: {} });
});
afterAll(() => api.close());

const discover = (account: string, clusters?: Parameters<typeof seedDiscovery>[2]): Promise<string> =>
  seedDiscovery(api, { project: "default", account: accounts[account] ?? { name: "", uid: "" } }, clusters);

const ask = (account: string, discovery: string, more: object = {}, key = editor.key): Promise<TestAnswer> =>
  api.call("POST", `${path}/accounts/${account}:kubeconfig`, { key, body: { discovery, cluster: foundCluster.id, ...more } });

const kubeconfigOf = ({ body }: TestAnswer): string => (body as unknown as { kubeconfig: string }).kubeconfig;

describe("M028 the kubeconfig of a discovered cluster", () => {
  test.each([
    ["real", "aws", ["eks", "get-token", "--cluster-name", "found", "--region", "eu-west-1", "--output", "json"]],
    ["gcp", "gke-gcloud-auth-plugin", []],
    ["azure", "kubelogin", expect.arrayContaining(["get-token"])],
  ])("of the account %s contains no credential: kubectl runs %s with the user's own identity", async (account, command, args) => {
    const answer = await ask(account, await discover(account));
    expect([answer.status, answer.headers["cache-control"]]).toEqual([200, "no-store"]);
    const config = JSON.parse(kubeconfigOf(answer)) as { users: { user: object }[] };
    expect(config).toMatchObject({
      "current-context": "found",
      clusters: [{ cluster: { server: "https://found.eks", "certificate-authority-data": "cGVt" } }],
      users: [{ user: { exec: { command, args } } }],
    });
    expect(Object.keys(config.users[0]?.user ?? {})).toEqual(["exec"]);
    expect(answer.body).not.toHaveProperty("expiresAt");
  });

  test("of a simulated account contains a credential that expires, with the requested role", async () => {
    const discovery = await discover("sim");
    const answer = await ask("sim", discovery, { ttlSeconds: 1200 });
    expect(kubeconfigOf(answer)).toMatch(/^kubeconfig: admin of /);
    const leftMs = Date.parse((answer.body as unknown as { expiresAt: string }).expiresAt) - systemClock.now();
    expect([leftMs > 1_100_000, leftMs <= 1_201_000]).toEqual([true, true]);
    expect(kubeconfigOf(await ask("sim", discovery, { role: "viewer" }))).toMatch(/^kubeconfig: viewer of /);
    expect(await ask("sim", discovery, { exec: true })).toMatchObject({ status: 400, body: { code: "api.no_exec" } });
    expect(await ask("sim", discovery, { ttlSeconds: 5 })).toMatchObject({ status: 400, body: { code: "api.invalid" } });
  });

  test("is the same over Connect and gRPC", async () => {
    const method = methods.find(({ kind, verb }) => kind === "Account" && verb === "kubeconfig");
    const message = { project: "default", name: "real", discovery: await discover("real"), cluster: foundCluster.id };
    for (const protocol of ["connect", "grpc"] as const)
      expect(await callConnect(api.url, method as never, message, { key: editor.key, protocol })).toMatchObject({ code: "ok" });
  });

  test("M014 is audited with the names of the account and the cluster, and appears in no log", async () => {
    const answer = await ask("sim", await discover("sim"));
    const text = "select actor, kind, name, entity_uid as uid, outcome from audit where request_id = $1 and verb = 'kubeconfig'";
    const { rows } = await api.pool.query({ text, values: [answer.headers["x-request-id"]] });
    const uid = accounts["sim"]?.uid;
    expect(rows).toEqual([{ actor: "edda", kind: "Account", name: "sim/found", uid, outcome: "allowed" }]);
    expect(lines.join("\n")).not.toContain("kubeconfig: admin of");
  });

  test("M008 requires the editor role for the account", async () => {
    const discovery = await discover("live");
    expect(await ask("live", discovery, {}, viewer.key)).toMatchObject({ status: 403, body: { code: "api.denied" } });
    expect(await ask("live", discovery, {}, dev.key)).toMatchObject({ status: 404, body: { code: "api.not_found" } });
    expect((await ask("live", discovery)).status).toBe(200);
  });

  test("needs a discovery of this account that is complete and contains the cluster", async () => {
    const [own, foreign] = [await discover("sim"), await discover("live")];
    const missing = { status: 404, body: { code: "api.not_found" } };
    expect(await ask("sim", foreign)).toMatchObject(missing);
    expect(await ask("sim", "op-nothing")).toMatchObject(missing);
    expect(await ask("sim", own, { cluster: `${foundCluster.id}-2` })).toMatchObject(missing);
    const { body } = await api.must("POST", `${path}/accounts/sim:discover`, { body: {} });
    const notReady = { status: 409, body: { code: "api.cluster_not_ready" } };
    expect(await ask("sim", body.metadata.name ?? "")).toMatchObject(notReady);
    expect(await ask("sim", await discover("sim", [{ ...foundCluster, endpoint: "" }]))).toMatchObject(notReady);
  });

  test("of a simulated cluster that was deleted after the discovery is refused", async () => {
    const late = { ...foundCluster, id: `${foundCluster.id}-late`, name: "late" };
    const discovery = await discover("sim", [late]);
    await api.pool.query({ text: "delete from simulated_cluster where name = 'late'", values: [] });
    expect(await ask("sim", discovery, { cluster: late.id })).toMatchObject({
      status: 409,
      body: { code: "api.cluster_not_ready" },
    });
  });

  test("is refused if the cloud has no command-line tool for tokens", async () => {
    expect(await ask("local", await discover("local"))).toMatchObject({ status: 400, body: { code: "api.no_exec" } });
  });

  test("is refused while an entity represents the cluster, because access then depends on the entity's environment", async () => {
    const refused = { status: 409, body: { code: "api.has_entity" } };
    const existing = { account: "sim", id: foundCluster.id, region: "eu-west-1" };
    const discovery = await discover("sim");
    await api.must("POST", `${path}/clusters`, { body: { metadata: { name: "shop" }, spec: { existing } } });
    expect(await ask("sim", discovery)).toMatchObject(refused);
    await api.must("POST", `${path}/clusters/shop:release`, { body: {} });
    expect((await ask("sim", discovery)).status).toBe(200);
    await api.must("POST", `${path}/networks`, {
      body: { metadata: { name: "net" }, spec: { account: "sim", region: "eu-west-1" } },
    });
    const made = await api.must("POST", `${path}/clusters`, { body: { metadata: { name: "own" }, spec: { network: "net" } } });
    const owned = await discover("sim", [{ ...foundCluster, ownerUid: made.body.metadata.uid ?? "" }]);
    expect(await ask("sim", owned)).toMatchObject(refused);
    // An ownership tag that names a deleted entity is ignored.
    const orphan = await discover("sim", [{ ...foundCluster, ownerUid: "01990000-0000-7000-8000-000000000001" }]);
    expect((await ask("sim", orphan)).status).toBe(200);
  });
});
