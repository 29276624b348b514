import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { done, failed, openTestHouse, succeed, type TestHouse } from "../testing/test-platform.ts";

let house: TestHouse;
let cluster: string;
beforeEach(async () => {
  house = await openTestHouse();
  const account = await house.create("Account", "acme");
  const network = await house.create("Network", "net", { parent: account });
  cluster = await house.create("Cluster", "blue", { parent: network });
});
afterEach(() => house.close());

const conditionOf = async (type: string): Promise<unknown> =>
  ((await house.get(cluster)).status["conditions"] as { type: string }[]).find((condition) => condition.type === type);
const wake = (): Promise<unknown> => house.query("select wake_entities(array[$1::uuid], now())", [cluster]);

describe("X012 in a pause", () => {
  test("M052 an operation can be cancelled, and ends", async () => {
    await house.run();
    await house.pause(cluster, true);
    await house.update(cluster, { version: "1.35" });
    await house.settle();
    await house.cancel(cluster);
    await house.settle();
    expect((await house.operation(cluster)).status).toMatchObject({ state: "CANCELLED" });
  });

  test("an operation says what it waits for", async () => {
    await house.run();
    await house.pause(cluster, true);
    await house.update(cluster, { version: "1.35" });
    await house.settle();
    expect((await house.operation(cluster)).status).toMatchObject({
      state: "WAITING",
      message: expect.stringContaining("is paused"),
    });
  });

  test("why an entity failed is not forgotten", async () => {
    await house.run((task) => (task.type === "cluster.apply" ? failed("quota exceeded") : succeed(task)));
    await house.pause(cluster, true);
    await house.settle();
    await house.pause(cluster, false);
    await house.settle();
    expect((await house.get(cluster)).status).toMatchObject({ phase: "FAILED", message: "quota exceeded" });
    expect(await conditionOf("Ready")).toMatchObject({ status: "False", message: "quota exceeded" });
  });
});

describe("M052 what was cancelled", () => {
  test("no longer misses an agent", async () => {
    await house.run();
    await house.update(cluster, { version: "1.35" });
    await house.settle();
    await house.query("update task set created_at = created_at - interval '1 minute'");
    await wake();
    await house.settle();
    expect(await conditionOf("Placeable")).toMatchObject({ status: "False" });
    await house.cancel(cluster);
    await house.settle();
    expect(await conditionOf("Placeable")).toMatchObject({ status: "Unknown" });
    expect(await conditionOf("PreflightPassed")).toMatchObject({ status: "False", reason: "Cancelled" });
  });

  test("has no step that still runs", async () => {
    await house.run((task) => (task.type === "cluster.apply" ? undefined : succeed(task)));
    await wake();
    await house.settle();
    const steps = async (): Promise<unknown> => (await house.operation(cluster)).status["steps"];
    expect(await steps()).toContainEqual(expect.objectContaining({ name: "infrastructure", state: "RUNNING" }));
    await house.cancel(cluster);
    const [held] = await house.query<{ uid: string; leaseToken: string }>(
      `select task_uid as uid, lease_token as "leaseToken" from task_line where entity_uid = $1`,
      [cluster],
    );
    await house.end(held as Parameters<TestHouse["end"]>[0], { state: "cancelled" });
    await house.settle();
    expect(await steps()).toContainEqual(expect.objectContaining({ name: "infrastructure", state: "CANCELLED" }));
    expect(await steps()).not.toContainEqual(expect.objectContaining({ state: "RUNNING" }));
  });
});

describe("M042 drift", () => {
  const look = async (result: Parameters<typeof done>[0]): Promise<void> => {
    house.rules.driftMs = { Cluster: 3_600_000 };
    await house.run();
    await house.query("update task set ended_at = ended_at - interval '2 hours'");
    await house.wakeAll();
    await house.run((task) => (task.type === "cluster.check" ? done(result) : succeed(task)));
  };

  test("is over once a run has mended it", async () => {
    await look({ drifted: true, summary: "1 changed" });
    expect(await conditionOf("Drifted")).toMatchObject({ status: "True" });
    await house.update(cluster, { version: "1.35" });
    await house.run();
    await house.wakeAll();
    await house.settle();
    expect(await conditionOf("Drifted")).toMatchObject({ status: "False" });
  });

  test("is told in words only, whatever an agent says", async () => {
    await look({ drifted: true, summary: { changed: 1 } });
    expect(await conditionOf("Drifted")).toMatchObject({ status: "True", message: "" });
  });
});

test("M054 outputs that a status has no room for are left out of it", async () => {
  await house.run((task) => (task.type === "cluster.apply" ? done({ readyNodes: 1.5, version: "1.34.1" }) : succeed(task)));
  expect((await house.get(cluster)).status).toMatchObject({ phase: "RUNNING", version: "1.34.1" });
  expect((await house.get(cluster)).status).not.toHaveProperty("readyNodes");
});

test("X010 a deletion that went through at last says that nothing is left", async () => {
  await house.run();
  await house.remove(cluster);
  await house.run(() => failed("in use", ["lb-1: in use"]));
  const { name = "" } = (await house.operation(cluster)).metadata;
  await house.retry(cluster);
  await house.run();
  expect((await house.operation(name)).status).toMatchObject({ state: "DONE", left: [] });
});

test("M046 a task that waits for its next attempt says why, and is looked at when its time has come", async () => {
  const again = { state: "failed", fault: { code: "test.flaky", message: "no route to the cloud", retry: "backoff" } } as const;
  await house.run((task) => (task.type === "cluster.apply" ? again : succeed(task)));
  const message = expect.stringContaining(again.fault.message);
  expect(await conditionOf("Ready")).toMatchObject({ reason: "Retrying", message });
  expect((await house.operation(cluster)).status).toMatchObject({ state: "RUNNING", message });
  const soon = "select from due where entity_uid = $1 and due_at < now() + interval '1 minute'";
  expect(await house.query(soon, [cluster])).toHaveLength(1);
});
