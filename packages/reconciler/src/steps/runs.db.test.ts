import { reapTasks, type LeasedTask } from "@cloudwright/tasks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { planGone } from "../testing/test-lifecycles.ts";
import { openTestHouse, succeed, type Handler, type TestHouse } from "../testing/test-platform.ts";

let house: TestHouse;
let network: string;
beforeEach(async () => {
  house = await openTestHouse();
  network = await house.create("Network", "net", { parent: await house.create("Account", "acme") });
});
afterEach(() => house.close());

const again = { state: "failed", fault: { code: "test.flaky", message: "the cloud hung up", retry: "backoff" } } as const;
const phaseOf = async (uid = network): Promise<unknown> => (await house.get(uid)).status["phase"];
const conditionOf = async (type: string): Promise<unknown> =>
  ((await house.get(network)).status["conditions"] as { type: string }[]).find((condition) => condition.type === type);
const statusOf = async (): Promise<object> => (await house.operation(network)).status;
const listPlans = (): ReturnType<TestHouse["plans"]["list"]> => house.plans.list(network);
const newestPlan = async (): Promise<string> => (await listPlans()).at(-1)?.uid ?? "";

/** An agent that runs Terraform: plans are kept, and applied once. */
function terraform(options: { needsApproval?: boolean; apply?: Handler } = {}): Handler {
  const { needsApproval = false, apply = succeed } = options;
  const findings = needsApproval
    ? [{ rule: "no-loss", severity: "must", message: "would be replaced", path: "aws_vpc.main", fix: "" }]
    : [];
  return async (task) => {
    if (task.type === "network.plan")
      return house.plans.save(task, { needsApproval, findings, counts: { create: 2, replace: 1 } });
    if (task.type !== "network.apply") return succeed(task);
    const outcome = await apply(task);
    return outcome === undefined ? undefined : house.plans.apply(task, outcome);
  };
}
const risky = terraform({ needsApproval: true });
const overNow = "update task_line set delayed_until = clock_timestamp(), ready = true where delayed_until is not null";

describe("X031 plan and apply are two tasks", () => {
  test("what is applied is the plan that was made, which is handed out once", async () => {
    const given: unknown[] = [];
    const types = await house.run((task) => {
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

  test("M044 an apply that names its plan is not for agents that would not see the name", async () => {
    const versions: Record<string, number> = {};
    await house.run((task) => {
      versions[task.type] = task.payloadVersion;
      return terraform()(task);
    });
    expect(versions).toMatchObject({ "network.preflight": 1, "network.plan": 1, "network.apply": 2 });
  });

  test("M071 a run that died with its plan in hand is planned anew, and nothing is applied twice", async () => {
    let lives = 2;
    const types = await house.run(
      terraform({
        async apply(task) {
          lives -= 1;
          if (lives < 1 || task.attempt > 1) return succeed(task);
          await house.plans.take(task);
          return undefined;
        },
      }),
    );
    expect(types.at(-1)).toBe("network.apply");
    await house.query("update task_line set leased_until = clock_timestamp() - interval '1 hour' where lease_token is not null");
    await reapTasks({ database: house.pool, random: () => 0 }, 1);
    await house.query(overNow);
    expect(await house.run(terraform())).toEqual(["network.apply", "network.plan", "network.apply"]);
    expect(await phaseOf()).toBe("RUNNING");
    const takers = (await listPlans()).map(({ taken_by }) => taken_by);
    expect(new Set(takers).size).toBe(2);
  });

  test("M071 a run that keeps failing ends with its own words after so many rounds", async () => {
    house.rules.taskAttempts = 3;
    const failing = terraform({ apply: () => again });
    const types: string[] = [];
    for (let times = 0; times < 12; times += 1) {
      types.push(...(await house.run(failing)));
      await house.query(overNow);
      await house.wakeAll();
    }
    expect(types.filter((type) => type === "network.plan")).toHaveLength(3);
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "test.flaky", message: "the cloud hung up" });
    await house.retry(network);
    expect(await house.run(terraform())).toEqual(["network.preflight", "network.plan", "network.apply"]);
    expect(await phaseOf()).toBe("RUNNING");
  });

  test("M071 what cannot help by planning again stops at once", async () => {
    const denied = { state: "failed", fault: { code: "test.denied", message: "no", retry: "never" } } as const;
    const types = await house.run(terraform({ apply: () => denied }));
    expect(types.filter((type) => type === "network.plan")).toHaveLength(1);
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "test.denied" });
  });

  test("X032 a plan whose state has changed since is made anew before anything is applied", async () => {
    await house.run(risky);
    await house.plans.writeState(network);
    expect(await house.run(risky)).toEqual(["network.plan"]);
    await house.plans.approve(await newestPlan());
    expect(await house.run(risky)).toEqual(["network.apply"]);
    expect(await phaseOf()).toBe("RUNNING");
  });

  test("X032 a run that nobody has begun is taken back when its plan is outdated", async () => {
    await house.run((task) => (task.type === "network.plan" ? undefined : succeed(task)));
    const [held] = await house.query<LeasedTask>(
      `select task_uid as uid, lease_token as "leaseToken", entity_uid as "entityUid" from task_line where entity_uid = $1`,
      [network],
    );
    if (held !== undefined) await house.end(held, await house.plans.save(held));
    await house.settle();
    await house.plans.writeState(network);
    expect(await house.run(terraform())).toEqual(["network.plan", "network.apply"]);
    expect((await listPlans()).map(({ taken_by }) => taken_by !== null)).toEqual([false, true]);
  });

  test("X032 a state that changes after every plan ends the operation", async () => {
    house.rules.taskAttempts = 2;
    for (let times = 0; times < 3; times += 1) {
      await house.run(risky);
      await house.plans.writeState(network);
    }
    await house.settle();
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "reconciler.plan_outdated" });
    expect(await listPlans()).toHaveLength(2);
  });
});

describe("X032 a plan that needs approval waits for it", () => {
  test("X035 says what it would do, holds nothing, and goes on once approved", async () => {
    expect(await house.run(risky)).not.toContain("network.apply");
    const uid = await newestPlan();
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "True", message: expect.stringContaining(uid) });
    expect(await conditionOf("Ready")).toMatchObject({
      reason: "ApprovalNeeded",
      message: expect.stringMatching(/create 2, replace 1.*aws_vpc.main.*cloud run approve/),
    });
    expect(await statusOf()).toMatchObject({ state: "RUNNING", message: expect.stringContaining("cloud run approve") });
    expect(await house.query("select from task where ended is null")).toEqual([]);
    expect(await house.query("select from event where reason = 'ApprovalNeeded'")).toHaveLength(1);
    await house.wakeAll();
    expect(await house.run(risky)).toEqual([]);
    expect(await house.query("select from event where reason = 'ApprovalNeeded'")).toHaveLength(1);
    await house.plans.approve(uid);
    expect(await house.run(risky)).toEqual(["network.apply"]);
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "False" });
    expect(await statusOf()).toMatchObject({
      state: "DONE",
      steps: expect.arrayContaining([expect.objectContaining({ name: "approval", message: "approved by boss" })]),
    });
  });

  test("it is looked at again when its time is up, and then fails; a retry plans again", async () => {
    await house.run(risky);
    await house.query("update plan set expires_at = now() + interval '5 minutes'");
    await house.wakeAll();
    await house.settle();
    const due = "select from due where entity_uid = $1 and due_at < now() + interval '6 minutes'";
    expect(await house.query(due, [network])).toHaveLength(1);
    await house.plans.expire(await newestPlan());
    await house.settle();
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "reconciler.approval_expired" });
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "False", reason: "ApprovalExpired" });
    await house.retry(network);
    expect(await house.run(risky)).toEqual(["network.preflight", "network.plan"]);
    expect(await listPlans()).toHaveLength(2);
  });

  test("one that was approved in time stays approved", async () => {
    await house.run(risky);
    const uid = await newestPlan();
    await house.plans.approve(uid);
    await house.plans.expire(uid);
    expect(await house.run(risky)).toEqual(["network.apply"]);
  });

  test("discarded by a person, the operation fails and does not plan by itself", async () => {
    await house.run(risky);
    await house.plans.discard(await newestPlan());
    expect(await house.run(risky)).toEqual([]);
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "reconciler.run_discarded" });
    await house.wakeAll();
    expect(await house.run(risky)).toEqual([]);
  });

  test("M071 discarded after an agent was given the task, it is not planned again behind the person's back", async () => {
    await house.run((task) => (task.type === "network.apply" ? undefined : terraform()(task)));
    const [held] = await house.query<LeasedTask>(
      `select l.task_uid as uid, l.lease_token as "leaseToken", l.entity_uid as "entityUid", t.object -> 'payload' as payload
        from task_line l join task t on t.uid = l.task_uid where l.entity_uid = $1`,
      [network],
    );
    await house.plans.discard(await newestPlan());
    if (held !== undefined) await house.end(held, await house.plans.apply(held, { state: "done" }));
    expect(await house.run(terraform())).toEqual([]);
    expect(await statusOf()).toMatchObject({ state: "FAILED", code: "reconciler.run_discarded" });
  });

  test("a changed spec makes another plan, and the approval of the former counts for nothing", async () => {
    await house.run(risky);
    const former = await newestPlan();
    const { name = "" } = (await house.operation(network)).metadata;
    await house.plans.approve(former);
    await house.update(network, { region: "eu-west-1", cidr: "10.9.0.0/16" });
    expect(await house.run(risky)).toEqual(["network.preflight", "network.plan"]);
    expect((await house.operation(name)).status).toMatchObject({ state: "CANCELLED" });
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "True" });
    expect((await listPlans())[0]).toMatchObject({ uid: former, taken_by: null });
  });

  test("what runs stays RUNNING while a change of it waits", async () => {
    await house.run(terraform());
    await house.update(network, { region: "eu-west-1", cidr: "10.9.0.0/16" });
    await house.run(risky);
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "True" });
    expect(await phaseOf()).toBe("RUNNING");
    await house.plans.approve(await newestPlan());
    await house.run((task) => (task.type === "network.apply" ? undefined : risky(task)));
    await house.wakeAll();
    await house.settle();
    expect(await phaseOf()).toBe("UPDATING");
  });

  test("M052 it can be cancelled, and tried again", async () => {
    await house.run(risky);
    await house.cancel(network);
    await house.settle();
    expect(await statusOf()).toMatchObject({ state: "CANCELLED" });
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "False", reason: "Cancelled" });
    await house.plans.approve(await newestPlan());
    expect(await house.run(risky)).toEqual([]);
    await house.retry(network);
    expect(await house.run(risky)).toEqual(["network.preflight", "network.plan"]);
  });

  test("X012 approved in a pause it is applied when the pause is over", async () => {
    await house.run(risky);
    await house.pause(network, true);
    await house.settle();
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "True" });
    await house.plans.approve(await newestPlan());
    expect(await house.run(risky)).toEqual([]);
    expect(await conditionOf("ApprovalNeeded")).toMatchObject({ status: "False" });
    await house.pause(network, false);
    expect(await house.run(risky)).toEqual(["network.apply"]);
  });

  test("M055 what waits is deleted at once when nothing was built", async () => {
    await house.run(risky);
    await house.remove(network);
    expect(await house.run(risky)).toEqual([]);
    expect(await house.find(network)).toBeUndefined();
  });

  test("X010 a forced deletion of what was built does not wait for an approval", async () => {
    await house.run(terraform());
    await house.update(network, { region: "eu-west-1", cidr: "10.9.0.0/16" });
    await house.run(risky);
    await house.remove(network, { force: true });
    expect(await house.run(risky)).toEqual(["network.destroy"]);
    expect(await house.find(network)).toBeUndefined();
  });
});

test("X033 a state that is kept elsewhere does not make a plan outdated", async () => {
  await house.run(async (task) => {
    if (task.type === "network.apply") return (await house.plans.take(task)) === undefined ? planGone : succeed(task);
    const outcome = await terraform()(task);
    if (task.type === "network.plan") await house.query("update plan set serial = 7 where uid = $1", [task.uid]);
    return outcome;
  });
  expect(await phaseOf()).toBe("RUNNING");
  expect(await listPlans()).toHaveLength(1);
});
