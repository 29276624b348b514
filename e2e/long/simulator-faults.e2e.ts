import type { EntityJson, JsonObject } from "@cloudwright/contract";
import { requireTool } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { runCloud } from "../cloud-command.ts";
import { startServer, type RunningServer } from "../server.ts";
import { openSimulatedCloud, type SimulatedCloud } from "../simulated-cloud.ts";
import { waitUntil } from "../wait-until.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);
const project = "/v1/projects/default";
const patienceMs = 150_000;

/** An account with a network, used for a single simulated fault, so that all faults can be tested concurrently. */
interface Place extends Omit<SimulatedCloud, "remove"> {
  /** Deletes a resource from the cloud without the platform's knowledge. */
  take: SimulatedCloud["remove"];
  adjust(conditions: JsonObject): Promise<void>;
  create(spec?: JsonObject): Promise<void>;
  isIn(phase: string): Promise<EntityJson>;
  retry(): Promise<void>;
  remove(): Promise<void>;
  isGone(): Promise<void>;
}

describe.skipIf(!tool.found)("the platform recovers from simulated faults", () => {
  let server: RunningServer;
  let calls: AdminCalls;

  beforeAll(async () => {
    server = await startServer({ environment: { CLOUDWRIGHT_DRIFT_CHECK: "Network=2s,*=off" } });
    calls = createAdminCalls(server);
  });
  afterAll(() => server?.stop());

  async function openPlace(name: string): Promise<Place> {
    const account = `${project}/accounts/${name}`;
    const path = `${project}/networks/${name}`;
    await calls.create(`${project}/accounts`, { metadata: { name }, spec: { aws: {}, simulated: true } });
    const act = async (method: string, url: string, body?: JsonObject): Promise<void> => {
      const response = await calls.send(method, url, body);
      if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
    };
    const { remove: take, ...cloud } = openSimulatedCloud(() => calls, account);
    return {
      ...cloud,
      take,
      adjust: (conditions) => act("POST", `${account}/simulation/adjust`, conditions),
      async create(spec = {}) {
        const aws = { account: name, region: "eu-west-1", cidr: "10.0.0.0/16", zones: ["a"] };
        await calls.create(`${project}/networks`, { metadata: { name }, spec: { ...aws, ...spec } });
      },
      async isIn(phase) {
        await waitUntil(`${name} is ${phase}`, async () => (await calls.get(path)).status["phase"] === phase, patienceMs);
        return calls.get(path);
      },
      async retry() {
        const [operation] = await calls.list(`${project}/operations?filter=spec.entityName=${name}&orderBy=-createdAt`);
        await act("POST", `${project}/operations/${operation?.metadata.name}:retry`, {});
      },
      remove: () => act("DELETE", path),
      isGone: () => waitUntil(`${name} is gone`, async () => (await calls.send("GET", path)).status === 404, patienceMs),
    };
  }

  async function empty(place: Place): Promise<void> {
    await place.remove();
    await place.isGone();
    expect(await place.list()).toEqual([]);
  }

  test.concurrent("M032 a create that fails temporarily is retried automatically", async () => {
    const place = await openPlace("moment");
    await place.faults.add({
      operation: "create",
      type: "aws_subnet",
      nth: 2,
      kind: "error",
      message: "InternalError: try again",
    });
    await place.create();
    await place.isIn("RUNNING");
    expect(await place.list("aws_subnet")).toHaveLength(3);
    expect((await place.faults.list())[0]?.seen).toBeGreaterThanOrEqual(2);
    await empty(place);
  });

  test.concurrent("M032 a create that the cloud rejects is reported with the cloud's message, and continues on request", async () => {
    const place = await openPlace("refused");
    const message = "UnauthorizedOperation: you are not authorized to perform this operation";
    await place.faults.add({ operation: "create", type: "aws_internet_gateway", kind: "error", message });
    await place.create();
    expect((await place.isIn("FAILED")).status["message"]).toContain("UnauthorizedOperation");
    await place.retry();
    await place.isIn("RUNNING");
    expect(await place.list("aws_vpc")).toHaveLength(1);
    await empty(place);
  });

  test.concurrent("M032 M110 a NAT gateway that fails temporarily is retried; a rejected one is reported, and created on request", async () => {
    const place = await openPlace("nat");
    const fail = async (nth: string, message: string): Promise<void> => {
      const words = ["sim", "fail", "create", "aws_nat_gateway", "--account", "nat", "--nth", nth, "--message", message];
      expect(await runCloud({ home: server.home }, ...words)).toMatchObject({ code: 0 });
    };
    const state = "waiting for EC2 NAT Gateway create: unexpected state 'failed', wanted target 'available'";
    await fail("1", `${state}. last error: InternalError: try again`);
    await fail("2", "NatGatewayLimitExceeded: the maximum number of NAT Gateways has been reached");
    await place.create({ nat: "single" });
    const { status } = await place.isIn("FAILED");
    expect(status["message"]).toContain("NatGatewayLimitExceeded");
    // `seen` counts matching calls until the fault has occurred. The first fault occurred on the first attempt, the second on the automatic
    // retry.
    expect((await place.faults.list()).map(({ seen }) => seen)).toEqual([1, 2]);
    expect(await place.list("aws_nat_gateway")).toEqual([]);
    await place.retry();
    await place.isIn("RUNNING");
    expect(await place.list("aws_nat_gateway")).toHaveLength(1);
    await empty(place);
  });

  test.concurrent("M032 an entity that failed permanently can be deleted", async () => {
    const place = await openPlace("halfway");
    const message = "UnauthorizedOperation: you are not authorized to perform this operation";
    await place.faults.add({ operation: "create", type: "aws_route_table", kind: "error", message, times: 100 });
    await place.create();
    await place.isIn("FAILED");
    expect((await place.list()).length).toBeGreaterThan(0);
    await empty(place);
  });

  test.concurrent("M032 X013 an exhausted quota is named in the error, and raising it is enough to continue", async () => {
    const place = await openPlace("quota");
    await place.adjust({ quotas: { "vpcs-per-region": 0 } });
    await place.create();
    expect((await place.isIn("FAILED")).status["message"]).toMatch(/the quota for VPCs is 0,/);
    expect(await place.list()).toEqual([]);
    await place.adjust({ quotas: { "vpcs-per-region": 5 } });
    await place.retry();
    await place.isIn("RUNNING");
    await empty(place);
  });

  test.concurrent("M032 a response lost after the create took effect does not cause a second network", async () => {
    const place = await openPlace("lost");
    await place.faults.add({ operation: "create", type: "aws_vpc", kind: "lost_reply" });
    await place.create();
    await place.isIn("RUNNING");
    expect(await place.list("aws_vpc")).toHaveLength(1);
    await empty(place);
  });

  test.concurrent("M032 the platform waits for a throttled, slow and lagging cloud", async () => {
    const place = await openPlace("slow");
    await place.adjust({ callsPerSecond: 5, burst: 2, lagMs: 50 });
    await place.faults.add({ operation: "create", type: "aws_subnet", kind: "slow", delayMs: 1500, times: 3 });
    await place.create();
    expect((await place.isIn("RUNNING")).status["message"] ?? "").toBe("");
    expect((await place.faults.list())[0]?.seen).toBeGreaterThanOrEqual(3);
    await empty(place);
  });

  test.concurrent("M032 a crashed provider and one that sends invalid replies are retried", async () => {
    const place = await openPlace("dying");
    await place.faults.add(
      { operation: "create", type: "aws_vpc", kind: "crash" },
      { operation: "create", type: "aws_route_table", kind: "rubbish" },
    );
    await place.create();
    await place.isIn("RUNNING");
    expect(await place.list("aws_vpc")).toHaveLength(1);
    await empty(place);
  });

  test.concurrent("M032 external changes and deletions are corrected if the policy says so", async () => {
    const place = await openPlace("drifting");
    await place.create({ infra: { drift: "correct" } });
    await place.isIn("RUNNING");
    const [vpc] = await place.list("aws_vpc");
    const [link] = await place.list("aws_route_table_association");
    const links = (await place.list("aws_route_table_association")).length;
    await place.change({ type: "aws_vpc", id: vpc?.id ?? "" }, { enable_dns_hostnames: false });
    await place.take({ type: "aws_route_table_association", id: link?.id ?? "" });
    await waitUntil(
      "both are as they were",
      async () =>
        (await place.list("aws_vpc"))[0]?.attributes["enable_dns_hostnames"] === true &&
        (await place.list("aws_route_table_association")).length === links,
      patienceMs,
    );
    expect((await place.isIn("RUNNING")).status["phase"]).toBe("RUNNING");
    await empty(place);
  });

  test.concurrent("M032 X010 a delete that fails temporarily completes; a rejected one lists the leftover resources, and completes when retried", async () => {
    const place = await openPlace("staying");
    await place.create();
    await place.isIn("RUNNING");
    const [vpc] = await place.list("aws_vpc");
    const refused = {
      kind: "error",
      message: "UnauthorizedOperation: you are not authorized to perform this operation",
    } as const;
    await place.faults.add(
      { operation: "delete", type: "aws_subnet", kind: "error", message: "InternalError: try again" },
      { operation: "delete", type: "aws_vpc", ...refused, times: 1 },
    );
    await place.remove();
    const failed = await place.isIn("FAILED");
    expect(JSON.stringify(failed.status)).toContain("UnauthorizedOperation");
    expect((await place.list()).map(({ id }) => id)).toContain(vpc?.id);
    await place.retry();
    await place.isGone();
    expect(await place.list()).toEqual([]);
  });
});
