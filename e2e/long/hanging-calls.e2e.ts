import { requireTool } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { startServer, type RunningServer } from "../server.ts";
import { openSimulatedCloud, type SimulatedCloud } from "../simulated-cloud.ts";
import { waitUntil } from "../wait-until.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);
const patienceMs = 240_000;
/** Hostile projects and the networks that they create. One project alone can occupy all slots except one. */
const networks: Readonly<Record<string, readonly string[]>> = { hostile: ["one", "two", "three"], helper: ["four"] };
const hostileNetworks = Object.entries(networks).flatMap(([project, names]) => names.map((name) => ({ project, name })));

describe.skipIf(!tool.found)("X063 two projects occupy all long slots with calls that hang", () => {
  let server: RunningServer;
  let calls: AdminCalls;
  let hostile: readonly SimulatedCloud[];

  beforeAll(async () => {
    const environment = {
      CLOUDWRIGHT_AGENT_SLOTS: "long=3,short=4",
      CLOUDWRIGHT_TASK_LIMITS: "network.apply=150s",
      CLOUDWRIGHT_TASK_TURN: "10s",
      CLOUDWRIGHT_AGENT_CANCEL_SECONDS: "2",
      CLOUDWRIGHT_AGENT_STOP_SECONDS: "2",
    };
    server = await startServer({ environment });
    calls = createAdminCalls(server);
    for (const name of [...Object.keys(networks), "calm"]) {
      await calls.create("/v1/projects", { metadata: { name } });
      await calls.create(`/v1/projects/${name}/accounts`, { metadata: { name: "own" }, spec: { aws: {}, simulated: true } });
    }
    hostile = Object.keys(networks).map((name) => openSimulatedCloud(() => calls, `/v1/projects/${name}/accounts/own`));
  });
  afterAll(() => server?.stop());

  const createNetwork = (project: string, name: string, cidr: string): Promise<unknown> =>
    calls.create(`/v1/projects/${project}/networks`, {
      metadata: { name },
      spec: { account: "own", region: "eu-west-1", cidr, zones: ["a", "b"] },
    });
  const countInterruptions = (): number =>
    `${server.process.stdout()}${server.process.stderr()}`.split("interrupted tasks of projects").length - 1;
  const isRunning = async (path: string): Promise<boolean> => (await calls.get(path)).status["phase"] === "RUNNING";

  test("another project's network and cluster are still built, only the first of their tasks waits a turn, and hanging tasks end with a clear message and can be deleted", async () => {
    for (const { faults } of hostile) await faults.add({ operation: "create", type: "aws_vpc", kind: "hang", times: 1000 });
    for (const [nth, { project, name }] of hostileNetworks.entries()) await createNetwork(project, name, `10.${nth}.0.0/16`);
    const countHanging = async (project: string): Promise<number> => {
      const tasks = await calls.list(`/v1/projects/${project}/tasks`);
      return tasks.filter(({ spec, status }) => spec["type"] === "network.apply" && status["state"] === "LEASED").length;
    };
    await waitUntil(
      "calls hang in all slots",
      async () => (await countHanging("hostile")) === 2 && (await countHanging("helper")) === 1,
      patienceMs,
    );

    await createNetwork("calm", "main", "10.0.0.0/16");
    await calls.create("/v1/projects/calm/clusters", {
      metadata: { name: "main" },
      spec: { network: "main", workers: 1 },
    });
    await waitUntil("the network runs", () => isRunning("/v1/projects/calm/networks/main"), patienceMs);
    await waitUntil("the cluster runs", () => isRunning("/v1/projects/calm/clusters/main"), patienceMs);
    expect(countInterruptions()).toBe(1);

    const findEnded = async (): Promise<string | undefined> => {
      const operations = await calls.list("/v1/projects/hostile/operations");
      return operations.map(({ status }) => JSON.stringify(status)).find((status) => status.includes("tasks.too_long"));
    };
    await waitUntil("a hanging task ends at its maximum duration", async () => (await findEnded()) !== undefined, patienceMs);
    expect(await findEnded()).toMatch(/network\.apply|150/);

    for (const { faults } of hostile) await faults.clear();
    for (const { project, name } of hostileNetworks) {
      const path = `/v1/projects/${project}/networks/${name}`;
      expect((await calls.send("DELETE", path)).status).toBe(202);
      await waitUntil(`${name} is deleted`, async () => (await calls.send("GET", path)).status === 404, patienceMs);
    }
    expect((await Promise.all(hostile.map((cloud) => cloud.list()))).flat()).toEqual([]);
  }, 900_000);

  test("X010 a network whose run hangs is deleted without waiting for the run's time limit", async () => {
    const calm = openSimulatedCloud(() => calls, "/v1/projects/calm/accounts/own");
    const listIds = async (): Promise<string[]> => (await calm.list()).map(({ id }) => id).toSorted();
    const before = await listIds();
    await calm.faults.add({ operation: "create", type: "aws_subnet", kind: "hang", times: 1000 });
    await createNetwork("calm", "stuck", "10.9.0.0/16");
    await waitUntil("a call hangs", async () => (await calm.list("aws_vpc")).length === 2, patienceMs);
    const path = "/v1/projects/calm/networks/stuck";
    expect((await calls.send("DELETE", path)).status).toBe(202);
    await waitUntil("the network is deleted", async () => (await calls.send("GET", path)).status === 404, patienceMs);
    const tasks = await calls.list("/v1/projects/calm/tasks");
    const apply = tasks.findLast(({ spec }) => spec["type"] === "network.apply" && spec["entityName"] === "stuck");
    expect(apply?.status).toMatchObject({ state: "CANCELLED" });
    await calm.faults.clear();
    expect(await listIds()).toEqual(before);
  }, 400_000);
});
