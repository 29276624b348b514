import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { done, failed, openTestHouse, succeed, type Handler, type TestHouse } from "../testing/test-platform.ts";

let house: TestHouse;
let cluster: string;
beforeEach(async () => {
  house = await openTestHouse();
  const account = await house.create("Account", "acme");
  const network = await house.create("Network", "net", { parent: account });
  cluster = await house.create("Cluster", "blue", { parent: network });
});
afterEach(() => house.close());

const phaseOf = async (uid: string): Promise<unknown> => (await house.get(uid)).status["phase"];

describe("M041 a node pool has no run of its own", () => {
  test("it comes with its cluster when they are asked for together", async () => {
    const pool = await house.create("NodePool", "gpu", { parent: cluster, spec: { size: 2 } });
    const carried: unknown[] = [];
    const types = await house.run((task) => {
      if (task.type === "cluster.apply") carried.push((task.payload as { nodePools: unknown }).nodePools);
      return succeed(task);
    });
    expect(types.filter((type) => type === "cluster.apply")).toHaveLength(1);
    expect(carried).toEqual([[expect.objectContaining({ name: "gpu", spec: { size: 2 } })]]);
    expect(await phaseOf(pool)).toBe("RUNNING");
    expect((await house.operation(pool)).status).toMatchObject({ state: "DONE" });
  });

  test("its change wakes its cluster, whose one task carries all pools", async () => {
    await house.run();
    const pool = await house.create("NodePool", "gpu", { parent: cluster, spec: { size: 2 } });
    expect(await house.run()).toEqual(["cluster.preflight", "cluster.plan", "cluster.apply", "cluster.access", "cluster.addons"]);
    expect(await phaseOf(pool)).toBe("RUNNING");
    await house.update(pool, { size: 5 });
    expect(await house.run()).toContain("cluster.apply");
    expect((await house.operation(pool)).status).toMatchObject({ state: "DONE" });
    expect((await house.get(pool)).status).toMatchObject({ observedGeneration: 2 });
  });

  test("M053 it fails with its cluster's run, and trying it again runs that again", async () => {
    await house.run();
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.run((task) => (task.type === "cluster.apply" ? failed("no such machine") : succeed(task)));
    expect([await phaseOf(pool), await phaseOf(cluster)]).toEqual(["FAILED", "DEGRADED"]);
    await house.retry(pool);
    expect(await house.run()).toContain("cluster.apply");
    expect([await phaseOf(pool), await phaseOf(cluster)]).toEqual(["RUNNING", "RUNNING"]);
  });

  test("M055 it is gone once a run without it has ended", async () => {
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.run();
    await house.remove(pool);
    await house.settle();
    expect(await house.find(pool)).toBeDefined();
    const types = await house.run((task) => (task.type === "cluster.apply" ? done({ ready_nodes: 1 }) : succeed(task)));
    expect(types).toContain("cluster.apply");
    expect(await house.find(pool)).toBeUndefined();
    expect((await house.get(cluster)).status).toMatchObject({ phase: "RUNNING", readyNodes: 1 });
  });

  test("it goes with its cluster", async () => {
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.run();
    await house.remove(cluster);
    expect(await house.run()).toEqual(["cluster.destroy"]);
    expect([await house.find(pool), await house.find(cluster)]).toEqual([undefined, undefined]);
  });

  test("M048 one that comes and goes while its cluster is being changed leaves the cluster's own change to be done", async () => {
    await house.run();
    await house.update(cluster, { version: "1.35" });
    await house.settle();
    await house.work();
    await house.settle();
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.settle();
    await house.work();
    await house.settle();
    await house.remove(pool);
    expect(await house.run()).toContain("cluster.apply");
    expect([await house.find(pool), await phaseOf(cluster)]).toEqual([undefined, "RUNNING"]);
    expect((await house.operation(cluster)).status).toMatchObject({ state: "DONE" });
  });

  const breakRuns: Handler = (task) => (task.type === "cluster.apply" ? failed("locked") : succeed(task));

  test("M053 it is there once its cluster's run was tried again and went well", async () => {
    await house.run();
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.run(breakRuns);
    expect(await phaseOf(pool)).toBe("FAILED");
    await house.retry(cluster);
    await house.run();
    expect([await phaseOf(pool), await phaseOf(cluster)]).toEqual(["RUNNING", "RUNNING"]);
  });

  test("X010 it goes at last when the run that could not release it was tried again", async () => {
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.run();
    await house.remove(pool);
    await house.run(breakRuns);
    expect((await house.operation(pool)).status).toMatchObject({ state: "FAILED" });
    await house.retry(cluster);
    await house.run();
    expect([await house.find(pool), await phaseOf(cluster)]).toEqual([undefined, "RUNNING"]);
  });

  test("X010 one that could not be released does not keep its cluster from going", async () => {
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.run();
    await house.remove(pool);
    await house.run(breakRuns);
    await house.remove(cluster);
    await house.run();
    expect([await house.find(pool), await house.find(cluster)]).toEqual([undefined, undefined]);
  });

  test("X010 a forced deletion does not wait for a run that nobody begins", async () => {
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.run();
    await house.remove(pool, { force: true });
    await house.settle();
    expect(await house.find(pool)).toBeDefined();
    const { name = "" } = (await house.operation(pool)).metadata;
    await house.query(
      `update entity set object = jsonb_set(object::jsonb, '{metadata,createdAt}', '"2026-01-01T00:00:00.000Z"')::json where name = $1`,
      [name],
    );
    await house.wakeAll();
    await house.settle();
    expect(await house.find(pool)).toBeUndefined();
    expect((await house.operation(name)).status).toMatchObject({ state: "DONE", abandoned: [expect.stringContaining("gpu")] });
  });

  test("X010 it is not taken for gone, however often the run without it failed", async () => {
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.run();
    await house.remove(pool);
    await house.run(breakRuns);
    for (let times = 0; times < 6; times += 1) {
      await house.retry(cluster);
      await house.run(breakRuns);
    }
    await house.retry(pool);
    await house.settle();
    expect((await house.operation(pool)).status).toMatchObject({ state: "FAILED" });
  });

  test("M053 it fails, coming and going, when its cluster cannot even begin", async () => {
    const old = await house.create("NodePool", "old", { parent: cluster });
    await house.run();
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.remove(old);
    await house.run((task) => (task.type === "cluster.preflight" ? failed("no such zone") : succeed(task)));
    expect((await house.operation(pool)).status).toMatchObject({ state: "FAILED", message: "no such zone" });
    expect((await house.operation(old)).status).toMatchObject({ state: "FAILED" });
    await house.retry(cluster);
    await house.run();
    expect([await phaseOf(pool), await house.find(old)]).toEqual(["RUNNING", undefined]);
  });

  const planning =
    (needsApproval: boolean): Handler =>
    async (task) => {
      if (task.type === "cluster.plan") return house.plans.save(task, { needsApproval });
      return task.type === "cluster.apply" ? house.plans.apply(task, done({ ready_nodes: 1 })) : succeed(task);
    };
  const newestPlan = async (): Promise<string> => (await house.plans.list(cluster)).at(-1)?.uid ?? "";
  const operationOf = async (uid: string): Promise<object> => (await house.operation(uid)).status;

  test("M053 it fails, coming and going, when its cluster's run cannot be planned", async () => {
    const old = await house.create("NodePool", "old", { parent: cluster });
    await house.run();
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.remove(old);
    await house.run((task) => (task.type === "cluster.plan" ? failed("no such zone") : succeed(task)));
    expect(await operationOf(pool)).toMatchObject({ state: "FAILED", message: "no such zone" });
    expect(await operationOf(old)).toMatchObject({ state: "FAILED" });
    await house.retry(cluster);
    await house.run();
    expect([await phaseOf(pool), await house.find(old)]).toEqual(["RUNNING", undefined]);
  });

  test("X032 it waits, coming and going, while its cluster's run waits for approval", async () => {
    const old = await house.create("NodePool", "old", { parent: cluster });
    await house.run(planning(false));
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.remove(old);
    await house.run(planning(true));
    for (const uid of [pool, old])
      expect(await operationOf(uid)).toMatchObject({ state: "WAITING", message: expect.stringContaining("cloud run approve") });
    await house.plans.approve(await newestPlan());
    await house.run(planning(true));
    expect([await phaseOf(pool), await house.find(old)]).toEqual(["RUNNING", undefined]);
  });

  test.each(["discard", "expire"] as const)("X032 it fails when a person lets its cluster's plan %s", async (what) => {
    const old = await house.create("NodePool", "old", { parent: cluster });
    await house.run(planning(false));
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.remove(old);
    await house.run(planning(true));
    await house.plans[what](await newestPlan());
    await house.run(planning(true));
    const code = what === "discard" ? "reconciler.run_discarded" : "reconciler.approval_expired";
    expect(await operationOf(pool)).toMatchObject({ state: "FAILED", code });
    expect(await operationOf(old)).toMatchObject({ state: "FAILED", code });
    await house.retry(cluster);
    await house.run(planning(false));
    expect([await phaseOf(pool), await house.find(old)]).toEqual(["RUNNING", undefined]);
  });

  test("M071 it does not fail while its cluster's run is planned anew", async () => {
    await house.run(planning(false));
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    const types = await house.run(async (task) => {
      // Somebody else has had the first plan.
      if (task.type === "cluster.apply" && (task.payload as { round: number }).round === 1) await house.plans.take(task);
      return planning(false)(task);
    });
    expect(types.filter((type) => type === "cluster.plan")).toHaveLength(2);
    expect(await operationOf(pool)).toMatchObject({ state: "DONE" });
    expect(await house.query("select from event where entity_uid = $1 and reason = 'Failed'", [pool])).toEqual([]);
  });

  test("X032 it fails when its cluster's plan is discarded after an agent was given the run", async () => {
    await house.run(planning(false));
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.run(async (task) => {
      if (task.type === "cluster.apply") await house.plans.discard(await newestPlan());
      return planning(false)(task);
    });
    expect(await operationOf(pool)).toMatchObject({ state: "FAILED", code: "reconciler.run_discarded" });
    expect(await operationOf(cluster)).toMatchObject({ state: "FAILED", code: "reconciler.run_discarded" });
  });

  test("X035 it fails when a policy does not allow its cluster as it is", async () => {
    await house.run();
    house.rules.findDenials = ({ entity }) => (entity.kind === "Cluster" ? ["too open"] : []);
    const pool = await house.create("NodePool", "gpu", { parent: cluster });
    await house.run();
    expect(await operationOf(pool)).toMatchObject({ state: "FAILED", code: "reconciler.denied" });
  });
});
