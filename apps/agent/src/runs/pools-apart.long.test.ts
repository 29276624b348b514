import type { JsonObject } from "@cloudwright/deployer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addNetwork, inNetwork } from "../testing/network-above.ts";
import { azureNetworkRecords, inAzureNetwork } from "../testing/rich-specs-aks.ts";
import { gkeNetwork, gkeParents } from "../testing/rich-specs-gke.ts";
import { openTestPlatform, terraform, type TestEntity, type TestPlatform } from "../testing/test-platform.ts";

type Pools = { readonly uid: string; readonly name: string; readonly spec: JsonObject }[];

const clouds = [
  { cloud: "aws", parents: inNetwork, poolType: "aws_eks_node_group", noType: "x9.large" },
  { cloud: "gcp", parents: gkeParents, records: gkeNetwork, poolType: "google_container_node_pool", noType: "x9-standard-2" },
  {
    cloud: "azure",
    parents: inAzureNetwork,
    records: azureNetworkRecords,
    poolType: "azurerm_kubernetes_cluster_node_pool",
    noType: "Standard_X2s_v9",
  },
] as const;

const pool = (name: string, spec: JsonObject = {}): Pools[number] => ({
  uid: `0199-${name}`,
  name,
  spec: { min: 1, desired: 1, max: 1, ...spec },
});

describe.skipIf(!terraform.found).each(clouds)("M041 node pools of a cluster in $cloud that Terraform builds", (each) => {
  const impossible = { instanceType: each.noType };
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  async function openCluster() {
    const entity = platform.openEntity({}, each.cloud);
    if ("records" in each) for (const record of each.records) await platform.inventory.put(entity.account.uid, record);
    else await addNetwork(platform.inventory, entity.account.uid);
    const run = (action: string, nodePools: Pools, more: Parameters<TestEntity["run"]>[1] = {}): Promise<JsonObject> =>
      entity.run(`cluster.${action}`, {
        kind: "Cluster",
        name: "dev",
        parents: [...each.parents],
        spec: { version: "1.34" },
        nodePools,
        ...more,
      });
    return {
      async build(nodePools: Pools): Promise<JsonObject> {
        await run("preflight", nodePools);
        return run("apply", nodePools, { plan: (await run("plan", nodePools))["plan"] as string });
      },
      async listPools(): Promise<string> {
        return (await entity.list(each.poolType)).map(({ id }) => id).join(" ");
      },
    };
  }

  test("a pool that the cloud rejects reports its own error, other pools are built, and the pool is built once its spec is corrected", async () => {
    const cluster = await openCluster();
    expect(await cluster.build([pool("leaving"), pool("staying")])).not.toHaveProperty("pool_problems");
    const outputs = await cluster.build([pool("odd", impossible), pool("staying"), pool("coming")]);
    expect(outputs).toMatchObject({
      pool_problems: { odd: { code: "deployer.request_rejected", message: expect.stringContaining("odd") as string } },
      version: expect.stringMatching(/^1\.34/) as string,
    });
    expect(Object.keys(outputs["pool_problems"] as JsonObject)).toEqual(["odd"]);
    expect((outputs["node_group_names"] as string[]).join(" ")).toMatch(/coming.* staying/);
    const pools = await cluster.listPools();
    expect([/leaving/, /staying/, /coming/, /odd/].map((name) => name.test(pools))).toEqual([false, true, true, false]);
    const corrected = await cluster.build([pool("odd"), pool("staying"), pool("coming")]);
    expect(corrected).not.toHaveProperty("pool_problems");
    expect(await cluster.listPools()).toMatch(/odd/);
  });

  test("a new cluster with such a pool is refused before anything is created", async () => {
    const cluster = await openCluster();
    await expect(cluster.build([pool("odd", impossible)])).rejects.toMatchObject({ code: "deployer.preflight_failed" });
    expect(await cluster.listPools()).toBe("");
  });
});
