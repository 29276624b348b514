import { hasAction, type EntityJson } from "@cloudwright/contract";
import { startTestPostgres } from "@cloudwright/store/testing";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { createHome, removeHome } from "../home-directory.ts";
import { spawnServer, type ServerProcess } from "../server-process.ts";
import { startServer, type RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";

const project = "/v1/projects/default";
const demo = (action: string, what: string): Record<string, string> => ({ [`demo.cloudwright.dev/${action}`]: what });

async function createTree(calls: AdminCalls, suffix: string, annotations: Record<string, string> = {}): Promise<void> {
  await calls.create(`${project}/accounts`, { metadata: { name: `account-${suffix}` }, spec: { simulated: true, aws: {} } });
  const network = { account: `account-${suffix}`, region: "eu-west-1", cidr: "10.0.0.0/16" };
  await calls.create(`${project}/networks`, { metadata: { name: `network-${suffix}` }, spec: network });
  const cluster = { metadata: { name: `cluster-${suffix}`, annotations }, spec: { network: `network-${suffix}` } };
  await calls.create(`${project}/clusters`, cluster);
}

const textOf = ({ spec }: EntityJson, field: string): string => {
  const value = spec[field];
  return typeof value === "string" ? value : "";
};
const phaseOf = async (calls: AdminCalls, path: string): Promise<unknown> =>
  (await calls.get(`${project}/${path}`)).status["phase"];
const waitForPhase = (calls: AdminCalls, path: string, phase: string): Promise<void> =>
  waitUntil(`${path} is ${phase}`, async () => (await phaseOf(calls, path)) === phase, 120_000);

describe("the embedded default with its own agent", () => {
  let home: string;
  let server: RunningServer;
  let calls: AdminCalls;
  const start = async (): Promise<void> => {
    server = await startServer({ home, environment: { CLOUDWRIGHT_DEMO_HANDLERS: "1" } });
    calls = createAdminCalls(server);
  };
  beforeAll(async () => {
    home = await createHome();
    await start();
  });
  afterAll(async () => {
    await server?.stop();
    await removeHome(home);
  });

  test("M010 M041 M044 M054 a tree of entities created at once is built from the account down", async () => {
    await createTree(calls, "a");
    await waitForPhase(calls, "clusters/cluster-a", "RUNNING");
    const cluster = await calls.get(`${project}/clusters/cluster-a`);
    const operation = await calls.get(`${project}/operations/${cluster.metadata.operation ?? ""}`);
    expect(operation.status).toMatchObject({ state: "DONE", progressPercent: 100 });
    const timeline = (await (
      await calls.send("GET", `${project}/operations/${operation.metadata.name ?? ""}/timeline`)
    ).json()) as {
      items: { source: string; reason: string }[];
    };
    expect(timeline.items[0]).toMatchObject({ source: "api", reason: "Created" });
    expect(timeline.items.at(-1)).toMatchObject({ source: "reconciler", reason: "Ready" });
    expect(timeline.items.filter(({ reason }) => reason === "TaskDone").length).toBeGreaterThanOrEqual(4);
  });

  test("M049 X020 a run killed with kill -9 continues after the restart without repeating completed work", async () => {
    await createTree(calls, "b", demo("apply", "sleep=4s"));
    await waitForPhase(calls, "clusters/cluster-b", "PROVISIONING");
    await waitUntil(
      "the run has begun",
      async () => (await calls.list(`${project}/tasks?filter=spec.type=cluster.apply,status.state=LEASED`)).length > 0,
    );
    const before = await calls.list(`${project}/tasks?pageSize=1000`);
    await server.kill9();
    await start();
    await waitForPhase(calls, "clusters/cluster-b", "RUNNING");
    const after = await calls.list(`${project}/tasks?pageSize=1000`);
    const typesOf = (tasks: readonly EntityJson[]): string[] =>
      tasks.map((task) => `${textOf(task, "entityName")} ${textOf(task, "type")}`).toSorted();
    const fresh = typesOf(after).filter((type) => !typesOf(before).includes(type));
    expect(fresh).toEqual(["cluster-b cluster.access", "cluster-b cluster.addons"]);
    expect(new Set(typesOf(after)).size).toBe(after.length);
  });

  test("M024 M055 a cascading delete removes everything, children first", async () => {
    expect((await calls.send("DELETE", `${project}/accounts/account-a?cascade=true`)).status).toBe(202);
    await waitUntil("the account is gone", async () => (await calls.send("GET", `${project}/accounts/account-a`)).status === 404);
    expect((await calls.send("GET", `${project}/clusters/cluster-a`)).status).toBe(404);
    const destroyed = await calls.list(`${project}/tasks?filter=status.state=DONE&pageSize=1000`);
    const order = destroyed
      .filter((task) => hasAction(textOf(task, "type"), "destroy") && textOf(task, "entityName").endsWith("-a"))
      .toSorted((one, other) => (one.metadata.uid ?? "").localeCompare(other.metadata.uid ?? ""))
      .map(({ spec }) => spec["type"]);
    expect(order).toEqual(["cluster.destroy", "network.destroy"]);
  });

  test("M027 only users with access to the platform can see its agents", async () => {
    const listRunning = async (): Promise<unknown[]> =>
      (await calls.list("/v1/projects/system/agents")).filter(({ status }) => status["phase"] === "RUNNING");
    await expect.poll(listRunning).toHaveLength(1);
  });
});

describe("M056 every role as a separate process", () => {
  test("API, task endpoint, reconciler, agent and deployer work together on one PostgreSQL", async () => {
    const postgres = await startTestPostgres();
    const homes: string[] = [];
    const processes: ServerProcess[] = [];
    onTestFinished(async () => {
      for (const process of processes.toReversed()) await process.end("SIGTERM");
      await postgres.stop();
      for (const home of homes) await removeHome(home);
    });
    const newHome = async (): Promise<string> => {
      homes.push(await createHome());
      return homes.at(-1) ?? "";
    };
    const shared = {
      DATABASE_URL: `postgresql://${postgres.user}@localhost/cloudwright?host=${encodeURIComponent(postgres.host)}&port=${postgres.port}`,
      CLOUDWRIGHT_ENCRYPTION_KEYS: `shared:${randomBytes(32).toString("base64")}`,
    };
    const api = await startServer({ home: await newHome(), environment: { ...shared, CLOUDWRIGHT_ROLES: "api" } });
    const endpoint = await startServer({ home: await newHome(), environment: { ...shared, CLOUDWRIGHT_ROLES: "tasks" } });
    const reconciler = spawnServer({ home: await newHome(), environment: { ...shared, CLOUDWRIGHT_ROLES: "reconciler" } });
    processes.push(api.process, endpoint.process, reconciler);
    const calls = createAdminCalls(api);
    await createTree(calls, "apart");
    await waitUntil(
      "the account reports that there is no agent",
      async () => JSON.stringify(await calls.get(`${project}/accounts/account-apart`)).includes("NoAgent"),
      60_000,
    );

    const token = randomBytes(24).toString("base64url");
    const deployerListen = `127.0.0.1:${20_000 + (process.pid % 20_000)}`;
    const deployer = spawnServer({
      home: await newHome(),
      program: ["apps/agent/src/main.ts", "deployer", "--demo"],
      environment: { CLOUDWRIGHT_DEPLOYER_TOKEN: token, CLOUDWRIGHT_DEPLOYER_LISTEN: deployerListen },
    });
    const join = (await (await calls.send("POST", "/v1/projects/system/jointokens", {})).json()) as { joinToken: string };
    const agent = spawnServer({
      home: await newHome(),
      program: ["apps/agent/src/main.ts"],
      environment: {
        CLOUDWRIGHT_SERVER: endpoint.address,
        CLOUDWRIGHT_JOIN_TOKEN: join.joinToken,
        CLOUDWRIGHT_AGENT_NAME: "apart",
        CLOUDWRIGHT_DEPLOYERS: `*=http://${deployerListen}`,
        CLOUDWRIGHT_DEPLOYER_TOKEN: token,
      },
    });
    processes.push(deployer, agent);
    await waitForPhase(calls, "clusters/cluster-apart", "RUNNING");
    expect(agent.stderr() + deployer.stderr() + agent.stdout()).not.toContain(token);
    expect(agent.stderr() + agent.stdout()).not.toContain(join.joinToken);
    expect(
      (await fetch(`${endpoint.address}/v1/projects`, { headers: { authorization: `Bearer ${api.adminKey}` } })).status,
    ).toBe(503);
  });
});
