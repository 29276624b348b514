import { reapTasks, type LeasedTask } from "@cloudwright/tasks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { planGone } from "../testing/test-plans.ts";
import { openTestPlatform, succeed, type Handler, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
let network: string;
beforeEach(async () => {
  platform = await openTestPlatform();
  network = await platform.create("Network", "net", { parent: await platform.create("Account", "acme") });
});
afterEach(() => platform.close());

const again = { state: "failed", fault: { code: "test.flaky", message: "the cloud hung up", retry: "backoff" } } as const;
const phaseOf = async (uid = network): Promise<unknown> => (await platform.get(uid)).status["phase"];
const conditionOf = async (type: string): Promise<unknown> =>
  ((await platform.get(network)).status["conditions"] as { type: string }[]).find((condition) => condition.type === type);
const statusOf = async (): Promise<object> => (await platform.operation(network)).status;
const listPlans = (): ReturnType<TestPlatform["plans"]["list"]> => platform.plans.list(network);
const newestPlan = async (): Promise<string> => (await listPlans()).at(-1)?.uid ?? "";

/** A fake agent with Terraform. It stores plans and applies each one once. */
function terraform(options: { needsApproval?: boolean; apply?: Handler } = {}): Handler {
  const { needsApproval = false, apply = succeed } = options;
  const findings = needsApproval
    ? [{ rule: "no-loss", severity: "must", message: "would be replaced", path: "aws_vpc.main", fix: "" }]
    : [];
  return async (task) => {
    if (task.type === "network.plan")
      return platform.plans.save(task, { needsApproval, findings, counts: { create: 2, replace: 1 } });
    if (task.type !== "network.apply") return succeed(task);
    const outcome = await apply(task);
    return outcome === undefined ? undefined : platform.plans.apply(task, outcome);
  };
}
const risky = terraform({ needsApproval: true });
const overNow = "update task_line set delayed_until = clock_timestamp(), ready = true where delayed_until is not null";

describe("X031 plan and apply are two tasks", () => {
  test("the stored plan is applied unchanged, and only once", async () => {
    const given: unknown[] = [];
    const types = await platform.run((task) => {
      if (task.type === "network.apply") given.push((task.payload as { plan: unknown }).plan);
      return terraform()(task);
    });
    expect(types).toEqual(["account.verify", "network.preflight", "network.plan", "network.apply"]);
    expect(given).toEqual([await newestPlan()]);
    expect(await phaseOf()).toBe("RUNNING");
    expect(await statusOf()).toMatchObject({
      state: "DONE",
      steps: ["parents", "preflight", "policy", "plan", "approval", "infrastructure"].map((name) =>
        expect.objectContaining({ name, state: "DONE" }),
      ),
    });
    expect(await conditionOf("ApprovalNeeded")).toBeUndefined();
  });

  test("M044 an apply with a stored plan is not given to agents that would ignore the plan", async () => {
    const versions: Record<string, number> = {};
    await platform.run((task) => {
      versions[task.type] = task.payloadVersion;
      return terraform()(task);
    });
    expect(versions).toMatchObject({ "network.preflight": 1, "network.plan": 1, "network.apply": 2 });
  });

  test("M071 a run that died after taking its plan is planned again, and nothing is applied twice", async () => {
    let lives = 2;
    const types = await platform.run(
      terraform({
        async apply(task) {
          lives -= 1;
          if (lives < 1 || task.attempt > 1) return succeed(task);
          await platform.plans.take(task);
          return undefined;
        },
      }),
    );
    expect(types.at(-1)).toBe("network.apply");
    await platform.query(
      "update task_line set leased_until = clock_timestamp() - interval '1 hour' where lease_token is not null",
    );
    await reapTasks({ database: platform.pool, random: () => 0 }, 1);
    await platform.query(overNow);
    expect(await platform.run(terraform())).toEqual(["network.apply", "network.plan", "network.apply"]);
    expect(await phaseOf()).toBe("RUNNING");
    const takers = (await listPlans()).map(({ taken_by }) => taken_by);
    expect(new Set(takers).size).toBe(2);
  });

  test("M071 a run that keeps failing ends with its own fault after the last round", async () => {
    platform.rules.taskAttempts = 3;
    const failing = terraform({ apply: () => again });
    const types: string[] = [];
    for (let times = 0; times < 12; times += 1) {
      types.push(...(await platform.run(failing)));
      await platform.query(overNow);
      await platform.wakeAll();
    }
    expect(types.filter((type) => type === "network.plan")).toHaveLength(3);
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "test.flaky", message: "the cloud hung up" });
    await platform.retry(network);
    expect(await platform.run(terraform())).toEqual(["network.preflight", "network.plan", "network.apply"]);
    expect(await phaseOf()).toBe("RUNNING");
  });

  test("M071 a fault that a new plan cannot fix ends the operation immediately", async () => {
    const denied = { state: "failed", fault: { code: "test.denied", message: "no", retry: "never" } } as const;
    const types = await platform.run(terraform({ apply: () => denied }));
    expect(types.filter((type) => type === "network.plan")).toHaveLength(1);
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "test.denied" });
  });

  test("X032 a plan is remade before anything is applied if its state has changed", async () => {
    await platform.run(risky);
    await platform.plans.writeState(network);
    expect(await platform.run(risky)).toEqual(["network.plan"]);
    await platform.plans.approve(await newestPlan());
    expect(await platform.run(risky)).toEqual(["network.apply"]);
    expect(await phaseOf()).toBe("RUNNING");
  });

  test("X032 a run that has not started is cancelled when its plan is outdated", async () => {
    await platform.run((task) => (task.type === "network.plan" ? undefined : succeed(task)));
    const [held] = await platform.query<LeasedTask>(
      `select task_uid as uid, lease_token as "leaseToken", entity_uid as "entityUid" from task_line where entity_uid = $1`,
      [network],
    );
    if (held !== undefined) await platform.end(held, await platform.plans.save(held));
    await platform.settle();
    await platform.plans.writeState(network);
    expect(await platform.run(terraform())).toEqual(["network.plan", "network.apply"]);
    expect((await listPlans()).map(({ taken_by }) => taken_by !== null)).toEqual([false, true]);
  });

  test("X032 an operation fails if the state changes after every plan", async () => {
    platform.rules.taskAttempts = 2;
    for (let times = 0; times < 3; times += 1) {
      await platform.run(risky);
      await platform.plans.writeState(network);
    }
    await platform.settle();
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "reconciler.plan_outdated" });
    expect(await listPlans()).toHaveLength(2);
  });
});

describe("X032 a plan that requires approval", () => {
  test("X035 says what it would do, does not occupy a task, and continues once approved", async () => {
    expect(await platform.run(risky)).not.toContain("network.apply");
    const uid = await newestPlan();
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "True", message: expect.stringContaining(uid) });
    expect(await conditionOf("Ready")).toMatchObject({
      reason: "ApprovalNeeded",
      message: expect.stringMatching(/create 2, replace 1.*aws_vpc.main.*cloud run approve/),
    });
    expect(await statusOf()).toMatchObject({ state: "RUNNING", message: expect.stringContaining("cloud run approve") });
    expect(await platform.query("select from task where ended is null")).toEqual([]);
    expect(await platform.query("select from event where reason = 'ApprovalNeeded'")).toHaveLength(1);
    await platform.wakeAll();
    expect(await platform.run(risky)).toEqual([]);
    expect(await platform.query("select from event where reason = 'ApprovalNeeded'")).toHaveLength(1);
    await platform.plans.approve(uid);
    expect(await platform.run(risky)).toEqual(["network.apply"]);
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "False" });
    expect(await statusOf()).toMatchObject({
      state: "DONE",
      steps: expect.arrayContaining([expect.objectContaining({ name: "approval", message: "approved by boss" })]),
    });
  });

  test("expires and fails the operation; a retry creates a new plan", async () => {
    await platform.run(risky);
    await platform.query("update plan set expires_at = now() + interval '5 minutes'");
    await platform.wakeAll();
    await platform.settle();
    const due = "select from due where entity_uid = $1 and due_at < now() + interval '6 minutes'";
    expect(await platform.query(due, [network])).toHaveLength(1);
    await platform.plans.expire(await newestPlan());
    await platform.settle();
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "reconciler.approval_expired" });
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "False", reason: "ApprovalExpired" });
    await platform.retry(network);
    expect(await platform.run(risky)).toEqual(["network.preflight", "network.plan"]);
    expect(await listPlans()).toHaveLength(2);
  });

  test("stays approved after its expiry", async () => {
    await platform.run(risky);
    const uid = await newestPlan();
    await platform.plans.approve(uid);
    await platform.plans.expire(uid);
    expect(await platform.run(risky)).toEqual(["network.apply"]);
  });

  test("fails the operation if it is discarded, and is not remade", async () => {
    await platform.run(risky);
    await platform.plans.discard(await newestPlan());
    expect(await platform.run(risky)).toEqual([]);
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "reconciler.run_discarded" });
    await platform.wakeAll();
    expect(await platform.run(risky)).toEqual([]);
  });

  test("M071 is not remade if it is discarded after an agent leased the apply", async () => {
    await platform.run((task) => (task.type === "network.apply" ? undefined : terraform()(task)));
    const [held] = await platform.query<LeasedTask>(
      `select l.task_uid as uid, l.lease_token as "leaseToken", l.entity_uid as "entityUid", t.object -> 'payload' as payload
        from task_line l join task t on t.uid = l.task_uid where l.entity_uid = $1`,
      [network],
    );
    await platform.plans.discard(await newestPlan());
    if (held !== undefined) await platform.end(held, await platform.plans.apply(held, { state: "done" }));
    expect(await platform.run(terraform())).toEqual([]);
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "reconciler.run_discarded" });
  });

  test("is replaced when the spec changes, and its approval does not apply to the new plan", async () => {
    await platform.run(risky);
    const former = await newestPlan();
    const { name = "" } = (await platform.operation(network)).metadata;
    await platform.plans.approve(former);
    await platform.update(network, { region: "eu-west-1", cidr: "10.9.0.0/16" });
    expect(await platform.run(risky)).toEqual(["network.preflight", "network.plan"]);
    expect((await platform.operation(name)).status).toMatchObject({ state: "CANCELLED" });
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "True" });
    expect((await listPlans())[0]).toMatchObject({ uid: former, taken_by: null });
  });

  test("leaves the entity RUNNING while it waits", async () => {
    await platform.run(terraform());
    await platform.update(network, { region: "eu-west-1", cidr: "10.9.0.0/16" });
    await platform.run(risky);
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "True" });
    expect(await phaseOf()).toBe("RUNNING");
    await platform.plans.approve(await newestPlan());
    await platform.run((task) => (task.type === "network.apply" ? undefined : risky(task)));
    await platform.wakeAll();
    await platform.settle();
    expect(await phaseOf()).toBe("UPDATING");
  });

  test("M052 can be cancelled and retried", async () => {
    await platform.run(risky);
    await platform.cancel(network);
    await platform.settle();
    expect(await statusOf()).toMatchObject({ state: "CANCELLED" });
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "False", reason: "Cancelled" });
    await platform.plans.approve(await newestPlan());
    expect(await platform.run(risky)).toEqual([]);
    await platform.retry(network);
    expect(await platform.run(risky)).toEqual(["network.preflight", "network.plan"]);
  });

  test("X012 is applied after a pause if it is approved during the pause", async () => {
    await platform.run(risky);
    await platform.pause(network, true);
    await platform.settle();
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "True" });
    await platform.plans.approve(await newestPlan());
    expect(await platform.run(risky)).toEqual([]);
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "False" });
    await platform.pause(network, false);
    expect(await platform.run(risky)).toEqual(["network.apply"]);
  });

  test("M055 does not delay a deletion if nothing was built", async () => {
    await platform.run(risky);
    await platform.remove(network);
    expect(await platform.run(risky)).toEqual([]);
    expect(await platform.find(network)).toBeUndefined();
  });

  test("X010 does not delay a forced deletion", async () => {
    await platform.run(terraform());
    await platform.update(network, { region: "eu-west-1", cidr: "10.9.0.0/16" });
    await platform.run(risky);
    await platform.remove(network, { force: true });
    expect(await platform.run(risky)).toEqual(["network.destroy"]);
    expect(await platform.find(network)).toBeUndefined();
  });
});

test("X033 an external state does not make a plan outdated", async () => {
  await platform.run(async (task) => {
    if (task.type === "network.apply") return (await platform.plans.take(task)) === undefined ? planGone : succeed(task);
    const outcome = await terraform()(task);
    if (task.type === "network.plan") await platform.query("update plan set serial = 7 where uid = $1", [task.uid]);
    return outcome;
  });
  expect(await phaseOf()).toBe("RUNNING");
  expect(await listPlans()).toHaveLength(1);
});

describe("M115 an apply can request another run", () => {
  const nextRun = { network_id: "vpc-1", next_run: "delete the old gateways" };
  /** A fake agent whose first apply requests another run. It records the outputs that each plan starts from. */
  function createMover(needsApproval = false): { handle: Handler; readonly before: unknown[] } {
    const before: unknown[] = [];
    const handle: Handler = (task) => {
      const { outputs } = task.payload as { outputs: Record<string, unknown> };
      if (task.type === "network.plan") before.push(outputs["next_run"]);
      const isSecond = outputs["next_run"] !== undefined;
      const apply: Handler = (each) => (isSecond ? succeed(each) : { state: "done", result: nextRun });
      return terraform({ needsApproval: needsApproval && isSecond, apply })(task);
    };
    return { handle, before };
  }
  const countOperations = async (): Promise<number> =>
    (await platform.query("select 1 from entity where kind = 'Operation' and about_uid = $1", [network])).length;

  test("the operation plans and applies once more, and ends only then", async () => {
    const { handle, before } = createMover();
    const states: unknown[] = [];
    const types = await platform.run(async (task) => {
      if (task.type === "network.apply") states.push((await platform.operation(network)).status["state"]);
      return handle(task);
    });
    const run = ["network.plan", "network.apply"];
    expect(types).toEqual(["account.verify", "network.preflight", ...run, ...run]);
    expect(before).toEqual([undefined, "delete the old gateways"]);
    expect(states).toEqual(["RUNNING", "RUNNING"]);
    expect(await statusOf()).toMatchObject({ state: "DONE", progressPercent: 100 });
    expect(await countOperations()).toBe(1);
    expect(await phaseOf()).toBe("RUNNING");
    await platform.wakeAll();
    expect(await platform.run(handle)).toEqual([]);
  });

  test("the second plan can wait for approval, and can be discarded; a retry continues with the second run", async () => {
    const { handle, before } = createMover(true);
    await platform.run(handle);
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "True" });
    expect(before).toHaveLength(2);
    await platform.plans.discard(await newestPlan());
    await platform.run(handle);
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "reconciler.run_discarded" });
    await platform.retry(network);
    expect(await platform.run(handle)).toEqual(["network.preflight", "network.plan"]);
    await platform.plans.approve(await newestPlan());
    expect(await platform.run(handle)).toEqual(["network.apply"]);
    expect(before.slice(1)).toEqual(["delete the old gateways", "delete the old gateways"]);
    expect(await statusOf()).toMatchObject({ state: "DONE" });
  });

  test("a second run that dies is planned again, and the first one is not repeated", async () => {
    const { handle, before } = createMover();
    let dies = true;
    await platform.run(async (task) => {
      const isSecond = (task.payload as { outputs: Record<string, unknown> }).outputs["next_run"] !== undefined;
      if (task.type !== "network.apply" || !isSecond || !dies) return handle(task);
      dies = false;
      await platform.plans.take(task);
      return undefined;
    });
    await platform.query(
      "update task_line set leased_until = clock_timestamp() - interval '1 hour' where lease_token is not null",
    );
    await reapTasks({ database: platform.pool, random: () => 0 }, 1);
    await platform.query(overNow);
    await platform.run(handle);
    expect(before).toEqual([undefined, "delete the old gateways", "delete the old gateways"]);
    expect(await statusOf()).toMatchObject({ state: "DONE" });
  });

  test("an entity can be changed or deleted between the two runs", async () => {
    const { handle } = createMover(true);
    await platform.run(handle);
    await platform.update(network, { region: "eu-west-1", nat: "single" });
    const types = await platform.run(createMover().handle);
    expect(types).toEqual(["network.preflight", "network.plan", "network.apply"]);
    expect(await phaseOf()).toBe("RUNNING");
    const other = await platform.create("Network", "other", { parent: await platform.create("Account", "acme-2") });
    await platform.run(createMover(true).handle);
    await platform.remove(other);
    await platform.run(handle);
    expect(await platform.find(other)).toBeUndefined();
  });
});
