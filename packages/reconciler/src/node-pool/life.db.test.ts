import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { done, failed, openTestPlatform, succeed, type Handler, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
let cluster: string;
beforeEach(async () => {
  platform = await openTestPlatform();
  const account = await platform.create("Account", "acme");
  const network = await platform.create("Network", "net", { parent: account });
  cluster = await platform.create("Cluster", "blue", { parent: network });
});
afterEach(() => platform.close());

const phaseOf = async (uid: string): Promise<unknown> => (await platform.get(uid)).status["phase"];

describe("M041 a node pool has no runs of its own", () => {
  test("it is built with its cluster when both are created together", async () => {
    const pool = await platform.create("NodePool", "gpu", { parent: cluster, spec: { size: 2 } });
    const carried: unknown[] = [];
    const types = await platform.run((task) => {
      if (task.type === "cluster.apply") carried.push((task.payload as { nodePools: unknown }).nodePools);
      return succeed(task);
    });
    expect(types.filter((type) => type === "cluster.apply")).toHaveLength(1);
    expect(carried).toEqual([[expect.objectContaining({ name: "gpu", spec: { size: 2 } })]]);
    expect(await phaseOf(pool)).toBe("RUNNING");
    expect((await platform.operation(pool)).status).toMatchObject({ state: "DONE" });
  });

  test("a change to it wakes its cluster, whose run builds all pools", async () => {
    await platform.run();
    const pool = await platform.create("NodePool", "gpu", { parent: cluster, spec: { size: 2 } });
    expect(await platform.run()).toEqual([
      "cluster.preflight",
      "cluster.plan",
      "cluster.apply",
      "cluster.access",
      "cluster.addons",
    ]);
    expect(await phaseOf(pool)).toBe("RUNNING");
    await platform.update(pool, { size: 5 });
    expect(await platform.run()).toContain("cluster.apply");
    expect((await platform.operation(pool)).status).toMatchObject({ state: "DONE" });
    expect((await platform.get(pool)).status).toMatchObject({ observedGeneration: 2 });
  });

  test("M053 it fails with its cluster's run, and a retry starts a new run", async () => {
    await platform.run();
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.run((task) => (task.type === "cluster.apply" ? failed("no such machine") : succeed(task)));
    expect([await phaseOf(pool), await phaseOf(cluster)]).toEqual(["FAILED", "DEGRADED"]);
    await platform.retry(pool);
    expect(await platform.run()).toContain("cluster.apply");
    expect([await phaseOf(pool), await phaseOf(cluster)]).toEqual(["RUNNING", "RUNNING"]);
  });

  test("M041 a pool that a run could not build fails with its own error, and other pools are built and removed", async () => {
    const leaving = await platform.create("NodePool", "old", { parent: cluster });
    await platform.run();
    await platform.remove(leaving);
    const [odd, fine] = [
      await platform.create("NodePool", "odd", { parent: cluster }),
      await platform.create("NodePool", "fine", { parent: cluster }),
    ];
    const problems = { odd: { code: "clouds.invalid", message: "there is no such machine", help: "" } };
    await platform.run((task) => (task.type === "cluster.apply" ? done({ pool_problems: problems }) : succeed(task)));
    expect([await phaseOf(odd), await phaseOf(fine), await phaseOf(cluster)]).toEqual(["FAILED", "RUNNING", "RUNNING"]);
    expect(await platform.find(leaving)).toBeUndefined();
    const { status } = await platform.operation(odd);
    expect(status).toMatchObject({ state: "FAILED", message: expect.stringContaining("no such machine") as string });
    expect((await platform.operation(fine)).status).toMatchObject({ state: "DONE" });
    await platform.retry(odd);
    expect(await platform.run()).toContain("cluster.apply");
    expect(await phaseOf(odd)).toBe("RUNNING");
  });

  test("X010 X030 it stays until a run without it has succeeded if an agent had started to build it and handed the run back", async () => {
    await platform.run();
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    const carried: unknown[] = [];
    const phases: unknown[] = [];
    await platform.run(async (task) => {
      if (task.type !== "cluster.apply") return succeed(task);
      carried.push((task.payload as { nodePools: readonly { name: string }[] }).nodePools.map(({ name }) => name));
      phases.push((await platform.find(pool))?.status["phase"]);
      if (carried.length > 1) return succeed(task);
      await platform.remove(pool);
      return { state: "returned" };
    });
    expect(carried).toEqual([["gpu"], []]);
    expect(phases.at(-1)).toBe("DELETING");
    expect(await platform.find(pool)).toBeUndefined();
  });

  test("M055 it is removed once a run without it has succeeded", async () => {
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.run();
    await platform.remove(pool);
    await platform.settle();
    expect(await platform.find(pool)).toBeDefined();
    const types = await platform.run((task) => (task.type === "cluster.apply" ? done({ ready_nodes: 1 }) : succeed(task)));
    expect(types).toContain("cluster.apply");
    expect(await platform.find(pool)).toBeUndefined();
    expect((await platform.get(cluster)).status).toMatchObject({ phase: "RUNNING", readyNodes: 1 });
  });

  test("it is deleted with its cluster", async () => {
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.run();
    await platform.remove(cluster);
    expect(await platform.run()).toEqual(["cluster.destroy"]);
    expect([await platform.find(pool), await platform.find(cluster)]).toEqual([undefined, undefined]);
  });

  test("M048 a pool that is created and deleted during a change of its cluster does not replace that change", async () => {
    await platform.run();
    await platform.update(cluster, { version: "1.35" });
    await platform.settle();
    await platform.work();
    await platform.settle();
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.settle();
    await platform.work();
    await platform.settle();
    await platform.remove(pool);
    expect(await platform.run()).toContain("cluster.apply");
    expect([await platform.find(pool), await phaseOf(cluster)]).toEqual([undefined, "RUNNING"]);
    expect((await platform.operation(cluster)).status).toMatchObject({ state: "DONE" });
  });

  const breakRuns: Handler = (task) => (task.type === "cluster.apply" ? failed("locked") : succeed(task));

  test("M053 it becomes RUNNING when a retry of its cluster's run succeeds", async () => {
    await platform.run();
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.run(breakRuns);
    expect(await phaseOf(pool)).toBe("FAILED");
    await platform.retry(cluster);
    await platform.run();
    expect([await phaseOf(pool), await phaseOf(cluster)]).toEqual(["RUNNING", "RUNNING"]);
  });

  test("X010 it is removed when the run that failed to delete it is retried", async () => {
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.run();
    await platform.remove(pool);
    await platform.run(breakRuns);
    expect((await platform.operation(pool)).status).toMatchObject({ state: "FAILED" });
    await platform.retry(cluster);
    await platform.run();
    expect([await platform.find(pool), await phaseOf(cluster)]).toEqual([undefined, "RUNNING"]);
  });

  test("X010 a pool that could not be deleted does not keep its cluster from being deleted", async () => {
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.run();
    await platform.remove(pool);
    await platform.run(breakRuns);
    await platform.remove(cluster);
    await platform.run();
    expect([await platform.find(pool), await platform.find(cluster)]).toEqual([undefined, undefined]);
  });

  test("X010 a forced deletion does not wait for a run that never starts", async () => {
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.run();
    await platform.remove(pool, { force: true });
    await platform.settle();
    expect(await platform.find(pool)).toBeDefined();
    const { name = "" } = (await platform.operation(pool)).metadata;
    await platform.query(
      `update entity set object = jsonb_set(object::jsonb, '{metadata,createdAt}', '"2026-01-01T00:00:00.000Z"')::json where name = $1`,
      [name],
    );
    await platform.wakeAll();
    await platform.settle();
    expect(await platform.find(pool)).toBeUndefined();
    expect((await platform.operation(name)).status).toMatchObject({ state: "DONE", abandoned: [expect.stringContaining("gpu")] });
  });

  test("X010 it is not considered deleted, even if the run without it failed several times", async () => {
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.run();
    await platform.remove(pool);
    await platform.run(breakRuns);
    for (let times = 0; times < 6; times += 1) {
      await platform.retry(cluster);
      await platform.run(breakRuns);
    }
    await platform.retry(pool);
    await platform.settle();
    expect((await platform.operation(pool)).status).toMatchObject({ state: "FAILED" });
  });

  test("M053 its creation and its deletion fail if its cluster's preflight fails", async () => {
    const old = await platform.create("NodePool", "old", { parent: cluster });
    await platform.run();
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.remove(old);
    await platform.run((task) => (task.type === "cluster.preflight" ? failed("no such zone") : succeed(task)));
    expect((await platform.operation(pool)).status).toMatchObject({ state: "FAILED", message: "no such zone" });
    expect((await platform.operation(old)).status).toMatchObject({ state: "FAILED" });
    await platform.retry(cluster);
    await platform.run();
    expect([await phaseOf(pool), await platform.find(old)]).toEqual(["RUNNING", undefined]);
  });

  const planning =
    (needsApproval: boolean): Handler =>
    async (task) => {
      if (task.type === "cluster.plan") return platform.plans.save(task, { needsApproval });
      return task.type === "cluster.apply" ? platform.plans.apply(task, done({ ready_nodes: 1 })) : succeed(task);
    };
  const newestPlan = async (): Promise<string> => (await platform.plans.list(cluster)).at(-1)?.uid ?? "";
  const operationOf = async (uid: string): Promise<object> => (await platform.operation(uid)).status;

  test("M053 its creation and its deletion fail if its cluster's plan fails", async () => {
    const old = await platform.create("NodePool", "old", { parent: cluster });
    await platform.run();
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.remove(old);
    await platform.run((task) => (task.type === "cluster.plan" ? failed("no such zone") : succeed(task)));
    expect(await operationOf(pool)).toMatchObject({ state: "FAILED", message: "no such zone" });
    expect(await operationOf(old)).toMatchObject({ state: "FAILED" });
    await platform.retry(cluster);
    await platform.run();
    expect([await phaseOf(pool), await platform.find(old)]).toEqual(["RUNNING", undefined]);
  });

  test("X032 its creation and its deletion wait while its cluster's run waits for approval", async () => {
    const old = await platform.create("NodePool", "old", { parent: cluster });
    await platform.run(planning(false));
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.remove(old);
    await platform.run(planning(true));
    for (const uid of [pool, old])
      expect(await operationOf(uid)).toMatchObject({ state: "WAITING", message: expect.stringContaining("cloud run approve") });
    await platform.plans.approve(await newestPlan());
    await platform.run(planning(true));
    expect([await phaseOf(pool), await platform.find(old)]).toEqual(["RUNNING", undefined]);
  });

  test.each(["discard", "expire"] as const)("X032 it fails if its cluster's plan is not approved: %s", async (what) => {
    const old = await platform.create("NodePool", "old", { parent: cluster });
    await platform.run(planning(false));
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.remove(old);
    await platform.run(planning(true));
    await platform.plans[what](await newestPlan());
    await platform.run(planning(true));
    const code = what === "discard" ? "reconciler.run_discarded" : "reconciler.approval_expired";
    expect(await operationOf(pool)).toMatchObject({ state: "FAILED", code });
    expect(await operationOf(old)).toMatchObject({ state: "FAILED", code });
    await platform.retry(cluster);
    await platform.run(planning(false));
    expect([await phaseOf(pool), await platform.find(old)]).toEqual(["RUNNING", undefined]);
  });

  test("M071 it does not fail while its cluster's run is planned again", async () => {
    await platform.run(planning(false));
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    const types = await platform.run(async (task) => {
      // Simulates another task that claimed the first plan.
      if (task.type === "cluster.apply" && (task.payload as { round: number }).round === 1) await platform.plans.take(task);
      return planning(false)(task);
    });
    expect(types.filter((type) => type === "cluster.plan")).toHaveLength(2);
    expect(await operationOf(pool)).toMatchObject({ state: "DONE" });
    expect(await platform.query("select from event where entity_uid = $1 and reason = 'Failed'", [pool])).toEqual([]);
  });

  test.each([
    ["fails with the cause that its cluster's run reported before its plan was gone", "terraform.failed", "FAILED"],
    ["waits if every attempt of its cluster's run was interrupted", "terraform.killed", "RUNNING"],
  ])("M053 M071 it %s", async (_, code, state) => {
    platform.rules.taskAttempts = 2;
    await platform.run(planning(false));
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    const message = "Error 400: Machine type e2-standard-4 does not support accelerators., badRequest";
    const rejected = { state: "failed", fault: { code, message, retry: "backoff" } } as const;
    for (let times = 0; times < 6; times += 1) {
      await platform.run((task) =>
        task.type === "cluster.apply" ? platform.plans.apply(task, rejected) : planning(false)(task),
      );
      await platform.query(
        "update task_line set delayed_until = clock_timestamp(), ready = true where delayed_until is not null",
      );
      await platform.wakeAll();
    }
    const status = state === "FAILED" ? { state, code, message } : { state };
    expect(await operationOf(pool)).toMatchObject(status);
    expect(await operationOf(cluster)).toMatchObject(status);
    expect((await platform.get(pool)).status).toMatchObject(state === "FAILED" ? { phase: "FAILED", message } : {});
  });

  test("X032 it fails if its cluster's plan is discarded after an agent leased the run", async () => {
    await platform.run(planning(false));
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.run(async (task) => {
      if (task.type === "cluster.apply") await platform.plans.discard(await newestPlan());
      return planning(false)(task);
    });
    expect(await operationOf(pool)).toMatchObject({ state: "FAILED", code: "reconciler.run_discarded" });
    expect(await operationOf(cluster)).toMatchObject({ state: "FAILED", code: "reconciler.run_discarded" });
  });

  test("X035 it fails if a policy denies its cluster", async () => {
    await platform.run();
    platform.rules.findDenials = ({ entity }) => (entity.kind === "Cluster" ? ["too open"] : []);
    const pool = await platform.create("NodePool", "gpu", { parent: cluster });
    await platform.run();
    expect(await operationOf(pool)).toMatchObject({ state: "FAILED", code: "reconciler.denied" });
  });
});
