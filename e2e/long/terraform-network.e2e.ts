import type { EntityJson } from "@cloudwright/contract";
import { requireTool } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { listChildren } from "../child-processes.ts";
import { runCloud } from "../cloud-command.ts";
import { startServer, type RunningServer } from "../server.ts";
import { openSimulatedCloud } from "../simulated-cloud.ts";
import { waitUntil } from "../wait-until.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);
const project = "/v1/projects/default";

describe.skipIf(!tool.found)("a network built by real Terraform on simulated AWS", () => {
  let server: RunningServer;
  let calls: AdminCalls;
  const { list, change, faults } = openSimulatedCloud(() => calls);
  const cloud = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await runCloud({ home: server.home }, ...args);
    if (code !== 0) throw new Error(`cloud ${args.join(" ")}: ${err}`);
    return out;
  };
  const get = (name: string): Promise<EntityJson> => calls.get(`${project}/networks/${name}`);
  const create = (name: string, ...args: string[]): Promise<string> =>
    cloud("network", "create", name, "--account", "sim", "--region", "eu-west-1", "--zones", "a", ...args);

  beforeAll(async () => {
    server = await startServer({
      environment: { CLOUDWRIGHT_DRIFT_CHECK: "Network=1s,*=off", CLOUDWRIGHT_LEASE_SECONDS: "120" },
    });
    calls = createAdminCalls(server);
    await cloud("account", "create", "sim", "--cloud", "aws", "--simulated", "--wait");
  });
  afterAll(() => server?.stop());

  test("M060 M063 M067 M070 M071 M072 a network is created, changed and deleted, and its state is stored", async () => {
    await create("net", "--cidr", "10.7.0.0/16", "--label", "team=a", "--wait");
    const { status } = await get("net");
    const [vpc] = await list("aws_vpc");
    expect(status).toMatchObject({ phase: "RUNNING", networkId: vpc?.id, publicSubnetIds: [expect.stringMatching(/^subnet-/)] });
    expect(vpc?.attributes["tags"]).toMatchObject({ team: "a", "cloudwright:project": "default" });
    expect(await cloud("state", "list")).toMatch(/network\/net +1 +\d+/);

    await cloud("network", "update", "net", "--zones", "a", "--zones", "b", "--wait");
    const changed = await get("net");
    expect(changed.status["networkId"]).toBe(vpc?.id);
    expect(changed.status["publicSubnetIds"]).toEqual([...(status["publicSubnetIds"] as string[]), expect.any(String)]);
    expect(await cloud("state", "versions", "network/net", "-o", "name")).toBe("2\n1\n");

    await cloud("network", "delete", "net", "--yes", "--wait");
    expect(await list()).toEqual([]);
  });

  test("X082 M010 labels reach the tags of existing cloud resources, and --wait follows the operation that the change caused", async () => {
    const tagsOf = async (type: string): Promise<unknown[]> => (await list(type)).map(({ attributes }) => attributes["tags"]);
    await create("labelled", "--label", "team=a", "--wait");
    const { operation: before } = (await get("labelled")).metadata;
    await cloud("network", "update", "labelled", "--label", "team=b", "--label", "cost=42", "--wait");
    const { metadata, status } = await get("labelled");
    const { spec, status: ended } = await calls.get(`${project}/operations/${metadata.operation ?? ""}`);
    expect([metadata.operation === before, spec["entityGeneration"], ended["state"]]).toEqual([
      false,
      metadata.generation,
      "DONE",
    ]);
    expect(status["observedGeneration"]).toBe(metadata.generation);
    for (const type of ["aws_vpc", "aws_subnet", "aws_internet_gateway"]) {
      const tags = await tagsOf(type);
      expect([type, tags.length > 0]).toEqual([type, true]);
      for (const each of tags) expect([type, each]).toMatchObject([type, { team: "b", cost: "42" }]);
    }
    await cloud("network", "update", "labelled", "--label", "team-", "--wait");
    for (const tags of await tagsOf("aws_vpc")) expect(tags).not.toHaveProperty("team");
    await cloud("network", "delete", "labelled", "--yes", "--wait");
  });

  test("X013 a preflight finds a range that overlaps another network of the same account, and nothing is created", async () => {
    await create("first", "--cidr", "10.7.0.0/16", "--wait");
    const before = await list();
    const preflight = (cidr: string): ReturnType<typeof runCloud> =>
      runCloud(
        { home: server.home },
        ...`network create twin --account sim --region eu-west-1 --cidr ${cidr} --preflight`.split(" "),
      );
    const { out } = await preflight("10.7.128.0/20");
    expect(out).toMatch(/spec\.cidr.*overlaps/);
    expect((await preflight("10.8.0.0/16")).out).not.toContain("overlaps");
    expect(await list()).toEqual(before);
    expect((await calls.send("GET", `${project}/networks/twin`)).status).toBe(404);
    await cloud("network", "delete", "first", "--yes", "--wait");
  });

  test("M042 external changes are detected and named", async () => {
    await create("drifting", "--wait");
    const isDrifted = async (): Promise<EntityJson | undefined> =>
      conditionsOf(await get("drifting")).find(({ type, status }) => type === "Drifted" && status === "True") as never;
    const [vpc] = await list("aws_vpc");
    await change({ type: "aws_vpc", id: vpc?.id ?? "" }, { enable_dns_hostnames: false });
    await waitUntil("the drift is reported", async () => (await isDrifted()) !== undefined);
    expect(await isDrifted()).toMatchObject({ message: 'aws_vpc.this["network"]: enable_dns_hostnames changed' });
    await cloud("drift", "correct", "network/drifting", "--wait");
    expect((await list("aws_vpc"))[0]?.attributes["enable_dns_hostnames"]).toBe(true);
    await waitUntil("the drift is gone", async () => (await isDrifted()) === undefined);
    await cloud("network", "delete", "drifting", "--yes", "--wait");
    expect(await list()).toEqual([]);
  });

  test("M049 X030 after kill -9 of the agent during an apply, nothing is created twice and nothing is lost", async () => {
    await faults.add({ operation: "create", type: "aws_route_table", kind: "hang", deaf: true });
    await create("killed");
    await waitUntil("the run hangs after creating its subnets", async () => (await list("aws_subnet")).length === 3);
    expect((await get("killed")).status["phase"]).toBe("PROVISIONING");
    const [agent] = await listChildren(server.pid, "apps/agent/src/main.ts");
    process.kill(agent ?? 0, "SIGKILL");
    await waitUntil("the network is RUNNING", async () => (await get("killed")).status["phase"] === "RUNNING", 120_000);
    expect(await list("aws_vpc")).toHaveLength(1);
    expect(await list("aws_subnet")).toHaveLength(3);
    // The restarted agent kept its lease and did not wait for the lock of the killed Terraform. It found the plan stale and applied a new
    // one.
    expect(await readAttempts("killed")).toEqual([1, 1]);
    await cloud("network", "delete", "killed", "--yes", "--wait");
    expect(await list()).toEqual([]);
  });

  test("M049 a cancelled run keeps what it has created, and continues when it is requested again", async () => {
    await faults.add({ operation: "create", type: "aws_route_table", kind: "hang" });
    await create("cancelled");
    await waitUntil("the run hangs after creating its subnets", async () => (await list("aws_subnet")).length === 3);
    const [vpc] = await list("aws_vpc");
    const path = `${project}/operations/${(await get("cancelled")).metadata.operation}`;
    await calls.send("POST", `${path}:cancel`, {});
    await waitUntil("the operation is cancelled", async () => (await calls.get(path)).status["state"] === "CANCELLED");
    expect(await cloud("state", "list")).toMatch(/network\/cancelled +\d+ +[1-9]/);
    await calls.send("POST", `${path}:retry`, {});
    await waitUntil("the network is RUNNING", async () => (await get("cancelled")).status["phase"] === "RUNNING");
    expect((await get("cancelled")).status["networkId"]).toBe(vpc?.id);
    await cloud("network", "delete", "cancelled", "--yes", "--wait");
    expect(await list()).toEqual([]);
  });

  test("X030 a resource whose create response was lost is adopted in the next attempt", async () => {
    await faults.add({ operation: "create", type: "aws_vpc", kind: "lost_reply" });
    await create("unheard", "--wait");
    expect(await list("aws_vpc")).toHaveLength(1);
    await cloud("network", "delete", "unheard", "--yes", "--wait");
    expect(await list()).toEqual([]);
  });

  test("M049 X032 a resource whose creation failed is replaced automatically, even in a running network", async () => {
    const fail = (type: string): Promise<void> =>
      faults.add({ operation: "create", type, kind: "error", message: "ServiceUnavailable: half-way", afterEffect: true });
    const countReplaced = async (): Promise<unknown> => {
      const runs = await calls.list(`${project}/runs?entity=${(await get("half")).metadata.uid}`);
      return (runs[0] as { counts?: { replace?: number } } | undefined)?.counts?.replace;
    };
    await fail("aws_vpc");
    await create("half", "--wait");
    expect(await countReplaced()).toBe(1);
    const [vpc, ...others] = await list("aws_vpc");
    expect(others).toEqual([]);
    await fail("aws_subnet");
    await cloud("network", "update", "half", "--zones", "a", "--zones", "b", "--wait");
    expect(await countReplaced()).toBe(1);
    expect((await list("aws_vpc")).map(({ id }) => id)).toEqual([vpc?.id]);
    expect(await list("aws_subnet")).toHaveLength(6);
    await cloud("network", "delete", "half", "--yes", "--wait");
    expect(await list()).toEqual([]);
  });

  test("X032 an apply does not replace a network because of an external change", async () => {
    await create("precious", "--wait");
    const [vpc] = await list("aws_vpc");
    const key = { type: "aws_vpc", id: vpc?.id ?? "" };
    await change(key, { cidr_block: "10.9.0.0/16" });
    await cloud("network", "update", "precious", "--zones", "a", "--zones", "b");
    const path = `${project}/operations/${(await get("precious")).metadata.operation}`;
    await waitUntil("the plan waits for an approval", async () =>
      conditionsOf(await get("precious")).some(({ type, status }) => type === "ApprovalNeeded" && status === "True"),
    );
    expect((await calls.get(path)).status["state"]).toBe("RUNNING");
    expect((await list("aws_vpc")).map(({ id }) => id)).toEqual([vpc?.id]);
    expect(await list("aws_subnet")).toHaveLength(3);
    await cloud("network", "delete", "precious", "--yes", "--wait");
    expect(await list()).toEqual([]);
  });

  test("M063 a configuration that the cloud cannot build is rejected before anything is created", async () => {
    await create("tiny", "--cidr", "10.0.0.0/27");
    await waitUntil("the operation has failed", async () => (await get("tiny")).status["phase"] === "FAILED");
    const { operation } = (await get("tiny")).metadata;
    expect(JSON.stringify(await calls.get(`${project}/operations/${operation}`))).toContain("deployer.bad_spec");
    expect(await list()).toEqual([]);
  });

  test("M064 a real account is rejected with a reason", async () => {
    await calls.create(`${project}/accounts`, { metadata: { name: "real" }, spec: { aws: {} } });
    const read = (): Promise<EntityJson> => calls.get(`${project}/accounts/real`);
    await waitUntil("the operation has failed", async () => (await read()).status["phase"] === "FAILED");
    expect(JSON.stringify(await calls.get(`${project}/operations/${(await read()).metadata.operation}`))).toContain(
      "clouds.no_credentials",
    );
  });

  async function readAttempts(name: string): Promise<unknown[]> {
    const tasks = await calls.list(`${project}/tasks?filter=spec.type=network.apply,spec.entityName=${name}&pageSize=1000`);
    return tasks.map(({ status }) => status["attempt"]);
  }
});

function conditionsOf({ status }: EntityJson): readonly { readonly type: string; readonly status: string }[] {
  return (status["conditions"] ?? []) as never;
}
