import { afterEach, beforeEach, expect, test } from "vitest";
import { planGone } from "../testing/test-plans.ts";
import { openTestPlatform, succeed, type Handler, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
let network: string;
beforeEach(async () => {
  platform = await openTestPlatform();
  network = await platform.create("Network", "net", { parent: await platform.create("Account", "acme") });
});
afterEach(() => platform.close());

const cause = "Error 400: Machine type e2-standard-4 does not support accelerators., badRequest";
const rejected = { state: "failed", fault: { code: "terraform.failed", message: cause, retry: "backoff" } } as const;
const overNow = "update task_line set delayed_until = clock_timestamp(), ready = true where delayed_until is not null";
const conditionOf = async (type: string): Promise<unknown> =>
  ((await platform.get(network)).status["conditions"] as { type: string }[]).find((condition) => condition.type === type);

test("M071 an apply reports the fault of the attempt that took the plan, not those of later attempts", async () => {
  platform.rules.taskAttempts = 3;
  const offline = { state: "failed", fault: { code: "deployer.state_door", message: "no answer", retry: "backoff" } } as const;
  const agent: Handler = async (task) => {
    if (task.type === "network.plan") return platform.plans.save(task);
    if (task.type !== "network.apply") return succeed(task);
    if (task.attempt === 2) return offline;
    return (await platform.plans.take(task)) === undefined ? planGone : rejected;
  };
  for (let times = 0; times < 15; times += 1) {
    await platform.run(agent);
    await platform.query(overNow);
    await platform.wakeAll();
  }
  expect((await platform.operation(network)).status).toMatchObject({ state: "FAILED", code: "terraform.failed", message: cause });
  expect((await platform.get(network)).status).toMatchObject({ phase: "FAILED", message: cause });
  expect(await conditionOf("InfrastructureReady")).toMatchObject({ message: cause });
});

test("M071 the entity says why the last apply failed while it is planned again", async () => {
  const agent: Handler = (task) => {
    if (task.type === "network.plan") return platform.plans.save(task);
    return task.type === "network.apply" ? platform.plans.apply(task, rejected) : succeed(task);
  };
  await platform.run(agent);
  await platform.query(overNow);
  const types = await platform.run((task) => (task.type === "network.plan" ? undefined : agent(task)));
  expect(types).toEqual(["network.apply", "network.plan"]);
  await platform.wakeAll();
  await platform.settle();
  const message = expect.stringContaining(`planning again, because the last apply failed: ${cause}`) as string;
  expect(await conditionOf("InfrastructureReady")).toMatchObject({ message });
});
