import { requireTool } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CloudLibrary } from "../../library/library.ts";
import { clusterId, startFakeLibrary, type FakeLibrary } from "../testing/fake-library.ts";

const openssl = requireTool("openssl");

describe.skipIf(!openssl.found)(`AKS agent pools through the library${openssl.found ? "" : `: ${openssl.reason}`}`, () => {
  let library: FakeLibrary;
  let azure: CloudLibrary;
  const lastPut = (): { headers: Record<string, unknown>; properties: Record<string, unknown> } => {
    const found = library.fake.seen.findLast(({ method }) => method === "PUT");
    const { properties } = JSON.parse(found?.body ?? "{}") as { properties: Record<string, unknown> };
    return { headers: found?.headers ?? {}, properties };
  };
  beforeAll(async () => {
    library = await startFakeLibrary(openssl.found ? openssl.path : "");
    ({ azure } = library);
  });
  beforeEach(async () => {
    library.reset();
    await azure.clusters.create({ name: "main", version: "1.33.5", nodeCount: 1 }, { wait: "ready" });
  });
  afterAll(() => library.close());

  test("M159 creates, reads, scales, changes and deletes a pool", async () => {
    const { nodePools } = azure;
    const taints = [
      { key: "gpu", value: "yes", effect: "NoSchedule" as const },
      { key: "spot", effect: "NoExecute" as const },
    ];
    const made = await nodePools.create(
      "main",
      { name: "gpu", count: 2, min: 1, max: 4, labels: { a: "b" }, taints, spot: true, diskGiB: 64, tags: { team: "x" } },
      { wait: "ready", token: "p-1" },
    );
    expect(made).toMatchObject({ name: "gpu", cluster: "main", count: 2, min: 1, max: 4, status: "running", version: "1.33.5" });
    expect(made.id).toBe(`${clusterId("main")}/agentPools/gpu`);
    expect(lastPut()).toMatchObject({
      headers: { "if-none-match": "*" },
      properties: {
        mode: "User",
        nodeTaints: ["gpu=yes:NoSchedule", "spot=:NoExecute"],
        scaleSetPriority: "Spot",
        osDiskSizeGB: 64,
      },
    });
    expect((await nodePools.list("main")).map(({ name }) => name).toSorted()).toEqual(["default", "gpu"]);
    expect(await nodePools.create("main", { name: "gpu", count: 2 }, { token: "p-1" })).toMatchObject({ name: "gpu" });
    await expect(nodePools.create("main", { name: "gpu", count: 2 })).rejects.toMatchObject({ code: "clouds.conflict" });
    expect(await nodePools.scale("main", "gpu", 6, { wait: "ready" })).toMatchObject({ count: 6, min: 1, max: 6 });
    const writes = library.listWrites().length;
    await nodePools.scale("main", made.id, 6);
    expect(library.listWrites()).toHaveLength(writes);
    const changed = await nodePools.update(
      clusterId("main"),
      "gpu",
      { min: 2, max: 8, labels: { c: "d" }, taints: [], tags: { team: "y" } },
      { wait: "ready" },
    );
    expect(changed).toMatchObject({ min: 2, max: 8, labels: { c: "d" }, tags: { team: "y", "cloudwright:token": "p-1" } });
    expect(lastPut().headers["if-match"]).toMatch(/^etag-/);
    expect(lastPut().properties).not.toHaveProperty("provisioningState");
    const drained: string[] = [];
    await nodePools.delete("main", "gpu", { drain: async (selector) => void drained.push(selector) });
    expect(drained).toEqual(["kubernetes.azure.com/agentpool=gpu"]);
    await expect(nodePools.get("main", "gpu")).rejects.toMatchObject({ code: "clouds.not_found" });
    await nodePools.delete("main", "gpu");
    await nodePools.delete("nothing", "gpu");
  });

  test("M159 waits for a change in progress, and starts again if somebody else changed the pool in the meantime", async () => {
    const { nodePools } = azure;
    await nodePools.scale("main", "default", 2);
    expect(await nodePools.scale("main", "default", 3, { wait: "ready" })).toMatchObject({ count: 3 });
    const { answer } = library.cloud();
    let isChanged = false;
    library.fake.answer((asked) => {
      if (asked.method !== "PUT" || isChanged) return answer(asked);
      isChanged = true;
      const id = `${clusterId("main")}/agentPools/default`;
      const now = library.cloud().get(id) as { properties: object };
      library.fake.put({
        ...now,
        id,
        name: "default",
        type: "",
        properties: { ...now.properties, eTag: "other", nodeLabels: { by: "others" } },
      });
      return answer(asked);
    });
    expect(await nodePools.scale("main", "default", 5, { wait: "ready" })).toMatchObject({ count: 5, labels: { by: "others" } });
  });

  test("M159 refuses requests that cannot succeed, and changes nothing", async () => {
    const { nodePools } = azure;
    const before = library.listWrites().length;
    for (const pool of [
      { name: "UPPER", count: 1 },
      { count: -1 },
      { count: 1.5 },
      { count: 1, version: "new" },
      { count: 1, diskGiB: 5 },
      { count: 1, zones: ["x"] },
    ])
      await expect(nodePools.create("main", pool)).rejects.toMatchObject({ code: "clouds.invalid" });
    await expect(nodePools.update("main", "default", { min: 2 })).rejects.toThrow(/min needs max/);
    await expect(nodePools.get("main", `${clusterId("other")}/agentPools/default`)).rejects.toThrow(/does not belong/);
    expect(library.listWrites()).toHaveLength(before);
  });

  test("M162 upgrades the control plane, then the pools one by one, and continues after an interruption", async () => {
    await azure.nodePools.create("main", { name: "more", count: 1 }, { wait: "ready" });
    const order: string[] = [];
    const beforePool = async ({ name, version }: { name: string; version: string }): Promise<void> => {
      order.push(`${name} ${version}`);
      if (order.length === 1) throw new Error("the gate is closed");
    };
    await expect(azure.upgrade("main", { version: "1.34", beforePool })).rejects.toThrow("the gate is closed");
    expect(await azure.clusters.get("main")).toMatchObject({
      version: "1.34.10",
      nodePools: [{ version: "1.33.5" }, { version: "1.33.5" }],
    });
    const clusterPuts = () => library.listWrites().filter((each) => each === "PUT managedClusters/main").length;
    const before = clusterPuts();
    const upgraded = await azure.upgrade("main", { version: "v1.34", beforePool });
    expect(upgraded.nodePools.map(({ version }) => version)).toEqual(["1.34.10", "1.34.10"]);
    expect(order).toHaveLength(3);
    expect(clusterPuts()).toBe(before);
    const writes = library.listWrites().length;
    await azure.upgrade("main", { version: "1.34.10" });
    expect(library.listWrites()).toHaveLength(writes);
  });

  test("M162 refuses a downgrade, a skipped minor version and unknown pools, and reports a failed upgrade", async () => {
    const before = library.listWrites().length;
    await expect(azure.upgrade("main", { version: "1.31" })).rejects.toThrow(/cannot be downgraded/);
    await expect(azure.upgrade("main", { version: "1.35" })).rejects.toThrow(/one minor version at a time/);
    await expect(azure.upgrade("main", { version: "1.34", pools: ["x"] })).rejects.toThrow(/no agent pool x/);
    expect(library.listWrites()).toHaveLength(before);
    library.cloud().behaviour.aksFailure = { code: "ErrCode_InsufficientVCPUQuota", message: "no surge node" };
    await expect(azure.upgrade("main", { version: "1.34" })).rejects.toMatchObject({ code: "clouds.quota" });
    delete library.cloud().behaviour.aksFailure;
    expect(await azure.upgrade("main", { version: "1.34", pools: "control-plane" })).toMatchObject({
      version: "1.34.10",
      status: "running",
    });
  });
});
