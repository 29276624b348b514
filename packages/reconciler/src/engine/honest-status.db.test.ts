import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { done, failed, openTestPlatform, succeed, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
let cluster: string;
beforeEach(async () => {
  platform = await openTestPlatform();
  const account = await platform.create("Account", "acme");
  const network = await platform.create("Network", "net", { parent: account });
  cluster = await platform.create("Cluster", "blue", { parent: network });
});
afterEach(() => platform.close());

const conditionOf = async (type: string): Promise<unknown> =>
  ((await platform.get(cluster)).status["conditions"] as { type: string }[]).find((condition) => condition.type === type);
const wake = (): Promise<unknown> => platform.query("select wake_entities(array[$1::uuid], now())", [cluster]);

describe("X012 during a pause", () => {
  test("M052 an operation can be cancelled and ends", async () => {
    await platform.run();
    await platform.pause(cluster, true);
    await platform.update(cluster, { version: "1.35" });
    await platform.settle();
    await platform.cancel(cluster);
    await platform.settle();
    expect((await platform.operation(cluster)).status).toMatchObject({ state: "CANCELLED" });
  });

  test("an operation says what it waits for", async () => {
    await platform.run();
    await platform.pause(cluster, true);
    await platform.update(cluster, { version: "1.35" });
    await platform.settle();
    expect((await platform.operation(cluster)).status).toMatchObject({
      state: "WAITING",
      message: expect.stringContaining("is paused"),
    });
  });

  test("the status keeps saying why an entity failed", async () => {
    await platform.run((task) => (task.type === "cluster.apply" ? failed("quota exceeded") : succeed(task)));
    await platform.pause(cluster, true);
    await platform.settle();
    await platform.pause(cluster, false);
    await platform.settle();
    expect((await platform.get(cluster)).status).toMatchObject({ phase: "FAILED", message: "quota exceeded" });
    expect(await conditionOf("Ready")).toMatchObject({ status: "False", message: "quota exceeded" });
  });
});

describe("M052 after a cancellation", () => {
  test("the condition about missing agents is reset", async () => {
    await platform.run();
    await platform.update(cluster, { version: "1.35" });
    await platform.settle();
    await platform.query("update task set created_at = created_at - interval '1 minute'");
    await wake();
    await platform.settle();
    expect(await conditionOf("Placeable")).toMatchObject({ status: "False" });
    await platform.cancel(cluster);
    await platform.settle();
    expect(await conditionOf("Placeable")).toMatchObject({ status: "Unknown" });
    expect(await conditionOf("PreflightPassed")).toMatchObject({ status: "False", reason: "Cancelled" });
  });

  test("no step is in progress", async () => {
    await platform.run((task) => (task.type === "cluster.apply" ? undefined : succeed(task)));
    await wake();
    await platform.settle();
    const steps = async (): Promise<unknown> => (await platform.operation(cluster)).status["steps"];
    expect(await steps()).toContainEqual(expect.objectContaining({ name: "infrastructure", state: "RUNNING" }));
    await platform.cancel(cluster);
    const [held] = await platform.query<{ uid: string; leaseToken: string }>(
      `select task_uid as uid, lease_token as "leaseToken" from task_line where entity_uid = $1`,
      [cluster],
    );
    await platform.end(held as Parameters<TestPlatform["end"]>[0], { state: "cancelled" });
    await platform.settle();
    expect(await steps()).toContainEqual(expect.objectContaining({ name: "infrastructure", state: "CANCELLED" }));
    expect(await steps()).not.toContainEqual(expect.objectContaining({ state: "RUNNING" }));
  });
});

describe("M042 drift", () => {
  const look = async (result: Parameters<typeof done>[0]): Promise<void> => {
    await platform.run();
    await platform.query("update task set ended_at = ended_at - interval '2 hours'");
    await platform.check(cluster);
    await platform.run((task) => (task.type === "cluster.check" ? done(result) : succeed(task)));
  };

  test("ends once a run has corrected it", async () => {
    await look({ drifted: true, summary: "1 changed" });
    expect(await conditionOf("Drifted")).toMatchObject({ status: "True" });
    await platform.update(cluster, { version: "1.35" });
    await platform.run();
    await platform.wakeAll();
    await platform.settle();
    expect(await conditionOf("Drifted")).toMatchObject({ status: "False" });
  });

  test("is reported as text, regardless of what an agent sends", async () => {
    await look({ drifted: true, summary: { changed: 1 } });
    expect(await conditionOf("Drifted")).toMatchObject({ status: "True", message: "" });
  });
});

test("M054 outputs without a matching status field are omitted", async () => {
  await platform.run((task) => (task.type === "cluster.apply" ? done({ readyNodes: 1.5, version: "1.34.1" }) : succeed(task)));
  expect((await platform.get(cluster)).status).toMatchObject({ phase: "RUNNING", version: "1.34.1" });
  expect((await platform.get(cluster)).status).not.toHaveProperty("readyNodes");
});

test("X010 a deletion that succeeds after a failure reports no leftovers", async () => {
  await platform.run();
  await platform.remove(cluster);
  await platform.run(() => failed("in use", ["lb-1: in use"]));
  const { name = "" } = (await platform.operation(cluster)).metadata;
  await platform.retry(cluster);
  await platform.run();
  expect((await platform.operation(name)).status).toMatchObject({ state: "DONE", left: [] });
});

test("M046 a task that waits for a retry says why, and its entity gets a pass when the delay ends", async () => {
  const again = { state: "failed", fault: { code: "test.flaky", message: "no route to the cloud", retry: "backoff" } } as const;
  await platform.run((task) => (task.type === "cluster.apply" ? again : succeed(task)));
  const message = expect.stringContaining(again.fault.message);
  expect(await conditionOf("Ready")).toMatchObject({ reason: "Retrying", message });
  expect((await platform.operation(cluster)).status).toMatchObject({ state: "RUNNING", message });
  const soon = "select from due where entity_uid = $1 and due_at < now() + interval '1 minute'";
  expect(await platform.query(soon, [cluster])).toHaveLength(1);
});
