import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestPlatform, succeed, type Handler, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
let network: string;
beforeEach(async () => {
  platform = await openTestPlatform();
  platform.rules.taskAttempts = 2;
  network = await platform.create("Network", "net", { parent: await platform.create("Account", "acme") });
});
afterEach(() => platform.close());

const fault = { code: "deployer.adoption_failed", message: "the cloud hung up", retry: "backoff" } as const;
const failing =
  (type: string): Handler =>
  (task) =>
    task.type === type ? { state: "failed", fault, result: { left: ["aws_vpc vpc-1"] } } : succeed(task);

/** Runs all attempts of the current task without waiting between them. */
async function exhaust(handler: Handler): Promise<string[]> {
  const types: string[] = [];
  for (let times = 0; times < 4; times += 1) {
    types.push(...(await platform.run(handler)));
    await platform.query("update task_line set delayed_until = clock_timestamp(), ready = true where delayed_until is not null");
    await platform.wakeAll();
  }
  return types;
}

/** Backdates the end of failed tasks, so that the pause before the next task is over. */
async function passTime(): Promise<void> {
  await platform.query("update task set ended_at = ended_at - interval '11 minutes' where ended = 'failed'");
  await platform.wakeAll();
}

test("X010 X031 a build whose adoption fails is never given up, and completes as soon as the cloud allows it", async () => {
  const types = await exhaust(failing("network.plan"));
  expect(types.filter((type) => type === "network.plan")).toHaveLength(2);
  expect((await platform.operation(network)).status).toMatchObject({ state: "RUNNING" });
  await passTime();
  expect((await exhaust(failing("network.plan"))).filter((type) => type === "network.plan")).toHaveLength(2);
  expect((await platform.operation(network)).status).toMatchObject({ state: "RUNNING" });
  await passTime();
  await platform.run();
  expect((await platform.get(network)).status["phase"]).toBe("RUNNING");
});

test("X010 X031 a deletion whose adoption fails is never given up, and completes as soon as the cloud allows it", async () => {
  await platform.run();
  await platform.remove(network);
  await exhaust(failing("network.destroy"));
  const { status } = await platform.operation(network);
  expect(status).toMatchObject({ state: "RUNNING" });
  await passTime();
  await platform.run();
  expect(await platform.find(network)).toBeUndefined();
});

test("X010 M042 a forced deletion does not wait for an adoption, and names what it leaves", async () => {
  await platform.run();
  await platform.remove(network, { force: true });
  const name = (await platform.operation(network)).metadata.name ?? "";
  await exhaust(failing("network.destroy"));
  expect(await platform.find(network)).toBeUndefined();
  expect((await platform.operation(name)).status).toMatchObject({ state: "DONE", abandoned: ["aws_vpc vpc-1"] });
});

test("X030 X031 an apply that is killed in every round is planned again after a pause", async () => {
  const killed = { state: "failed", fault: { code: "terraform.killed", message: "killed", retry: "backoff" } } as const;
  let isKilled = true;
  const handler: Handler = async (task) => {
    if (task.type === "network.plan") return platform.plans.save(task);
    if (task.type !== "network.apply") return succeed(task);
    return platform.plans.apply(task, isKilled ? killed : ((await succeed(task)) ?? killed));
  };
  const types = await exhaust(handler);
  expect(types.filter((type) => type === "network.plan")).toHaveLength(2);
  expect((await platform.operation(network)).status).toMatchObject({ state: "RUNNING" });
  isKilled = false;
  await passTime();
  await platform.run(handler);
  expect((await platform.get(network)).status["phase"]).toBe("RUNNING");
});

test("X030 X031 an apply whose agent is killed in every round is planned again after a pause", async () => {
  let isKilled = true;
  const handler: Handler = async (task) => {
    if (task.type === "network.plan") return platform.plans.save(task);
    if (task.type !== "network.apply") return succeed(task);
    // A restarted agent hands the apply back. That attempt has no outcome, but its plan has been used.
    return platform.plans.apply(task, isKilled ? { state: "returned" } : ((await succeed(task)) ?? { state: "returned" }));
  };
  const types = await exhaust(handler);
  expect(types.filter((type) => type === "network.plan")).toHaveLength(2);
  expect((await platform.operation(network)).status).toMatchObject({ state: "RUNNING" });
  isKilled = false;
  await passTime();
  await platform.run(handler);
  expect((await platform.get(network)).status["phase"]).toBe("RUNNING");
});

test("X030 X031 a preflight whose agent is lost in every attempt is requested again after a pause", async () => {
  const lost = { state: "failed", fault: { code: "tasks.lease_expired", message: "lost", retry: "backoff" } } as const;
  const types = await exhaust((task) => (task.type === "network.preflight" ? lost : succeed(task)));
  expect(types.filter((type) => type === "network.preflight")).toHaveLength(2);
  expect((await platform.operation(network)).status).toMatchObject({ state: "RUNNING" });
  await passTime();
  await platform.run();
  expect((await platform.get(network)).status["phase"]).toBe("RUNNING");
});

test("X010 X030 a deletion removes what an apply built although its agent handed the apply back", async () => {
  const types = await platform.run(async (task) => {
    if (task.type !== "network.apply") return succeed(task);
    await platform.remove(network);
    return { state: "returned" };
  });
  expect(types.slice(-2)).toEqual(["network.apply", "network.destroy"]);
  expect(await platform.find(network)).toBeUndefined();
});
