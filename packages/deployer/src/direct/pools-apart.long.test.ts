import { createUid, systemClock, textOf } from "@cloudwright/platform";
import { describe, expect, onTestFinished, test } from "vitest";
import { createDeployer } from "../create-deployer.ts";
import type { JsonObject } from "../task.ts";
import { startTestEndpoint } from "../testing/test-endpoint.ts";
import { createTestTask, type TestTaskOptions } from "../testing/test-task.ts";
import { startSimulatedAccount, tenant, type DirectCloud } from "./testing/simulated-account.ts";
import { directAws } from "./testing/simulated-aws.ts";
import { directAzure } from "./testing/simulated-azure.ts";
import { directGcp } from "./testing/simulated-gcp.ts";

type Pools = NonNullable<TestTaskOptions["nodePools"]>;

const never = (): never => {
  throw new Error("the direct executor starts no program");
};
const pool = (name: string, spec: JsonObject = {}): Pools[number] => ({
  uid: `0199-${name}`,
  name,
  spec: { min: 1, desired: 1, max: 1, ...spec },
});

/** Opens a cluster. `build` plans and applies it with these pools and returns the outputs. */
async function openCluster(direct: DirectCloud) {
  const account = await startSimulatedAccount(direct);
  const endpoint = await startTestEndpoint();
  onTestFinished(async () => {
    await account.close();
    await endpoint.close();
  });
  const uid = createUid(systemClock.now());
  const deployer = createDeployer({ binaries: { get: never }, openCloud: () => account.openCloud() });
  let outputs: JsonObject = {};
  const handle = async (action: string, nodePools: Pools, more: TestTaskOptions = {}): Promise<JsonObject> => {
    const outcome = await deployer.handle(
      createTestTask(`cluster.${action}`, {
        entityUid: uid,
        name: "dev",
        account: { cloud: direct.cloud },
        parents: [account.network],
        spec: { provisioner: "direct", version: "1.34", workers: 1 },
        openState: async () => endpoint.access(uid),
        nodePools,
        outputs,
        ...more,
      }),
    );
    return outcome.outcome === "done" ? (outcome.outputs ?? {}) : {};
  };
  return {
    handle,
    async build(nodePools: Pools): Promise<JsonObject> {
      await handle("preflight", nodePools);
      const { plan } = await handle("plan", nodePools);
      outputs = await handle("apply", nodePools, { plan: textOf(plan) });
      return outputs;
    },
    async listPools(): Promise<string> {
      const found = (await account.inventory.list(tenant)).filter(({ type }) => type === direct.poolType);
      return found.map(({ id }) => id).join(" ");
    },
  };
}

/** Specs that the blueprints reject before anything is sent. */
const impossible: Readonly<Record<string, JsonObject>> = {
  aws: { zones: ["q"] },
  gcp: { instanceTypes: ["e2-small", "e2-medium"] },
  azure: { instanceTypes: ["Standard_D2s_v5", "Standard_D4s_v5"] },
};
const rejected = /^deployer\.(bad_spec|not_supported)$/;

describe.each([directAws, directGcp, directAzure])("M041 $title: pools do not block each other", (direct) => {
  test.each([
    ["a machine type that the cloud refuses", { instanceType: "no-such-type" }, /^clouds\.invalid$/],
    ["a spec that cannot be built", impossible[direct.cloud] ?? {}, rejected],
  ])("a pool with %s reports its own error, and another pool is deleted", async (_title, spec, code) => {
    const cluster = await openCluster(direct);
    const first = await cluster.build([pool("leaving"), pool("staying")]);
    expect(first).not.toHaveProperty("pool_problems");
    const outputs = await cluster.build([pool("odd", spec), pool("staying"), pool("coming")]);
    expect(outputs).toMatchObject({
      pool_problems: { odd: { code: expect.stringMatching(code) as string, message: expect.stringContaining("odd") as string } },
    });
    expect(Object.keys(outputs["pool_problems"] as JsonObject)).toEqual(["odd"]);
    expect(outputs["node_group_names"]).toEqual(["coming", "default", "staying"]);
    const pools = await cluster.listPools();
    expect(pools).not.toMatch(/leaving/);
    expect(pools).toMatch(/staying/);
    expect(pools).toMatch(/coming/);
    // Once its spec is corrected, the pool is built, and nothing else changes.
    const corrected = await cluster.build([pool("odd"), pool("staying"), pool("coming")]);
    expect(corrected).not.toHaveProperty("pool_problems");
    expect(corrected["node_group_names"]).toEqual(["coming", "default", "odd", "staying"]);
  });

  test("a pool that was built and whose spec has become invalid is kept as it is", async () => {
    const cluster = await openCluster(direct);
    await cluster.build([pool("leaving"), pool("staying")]);
    const before = await cluster.listPools();
    const outputs = await cluster.build([pool("staying", impossible[direct.cloud])]);
    expect(outputs).toMatchObject({ pool_problems: { staying: { code: expect.stringMatching(rejected) as string } } });
    expect(before).toMatch(/leaving/);
    expect(await cluster.listPools()).not.toMatch(/leaving/);
    expect(await cluster.listPools()).toMatch(/staying/);
    const { counts } = await cluster.handle("plan", [pool("staying")]);
    expect(counts).toMatchObject({ create: 0, delete: 0, replace: 0 });
  });

  test("a new cluster with an invalid pool is refused before anything is created", async () => {
    const cluster = await openCluster(direct);
    const refused = { code: expect.stringMatching(rejected) as string };
    await expect(cluster.build([pool("odd", impossible[direct.cloud])])).rejects.toMatchObject(refused);
    expect(await cluster.listPools()).toBe("");
  });
});
