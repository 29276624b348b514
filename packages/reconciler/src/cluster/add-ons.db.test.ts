import { renewTasks } from "@cloudwright/tasks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { done, openTestPlatform, succeed, type Handler, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
beforeEach(async () => {
  platform = await openTestPlatform();
});
afterEach(() => platform.close());

const addOn = (name: string, phase: string, message = "") => ({ name, version: "1", phase, message });
const sick = [addOn("storage-class", "READY"), addOn("sick", "FAILED", "no pod is available")];

test("M135 the status shows the latest report of the access and add-on tasks, even if add-ons fail", async () => {
  const account = await platform.create("Account", "acme");
  const network = await platform.create("Network", "net", { parent: account });
  const cluster = await platform.create("Cluster", "blue", { parent: network, spec: { version: "1.34" } });
  const fault = { code: "deployer.add_ons_refused", message: "1 of 2 add-ons failed: sick", retry: "never" as const };
  const failing: Handler = (task) => {
    if (task.type === "cluster.access") return done({ readyNodes: 2, wantedNodes: 2, serverVersion: "v1.34.1" });
    return task.type === "cluster.addons" ? { state: "failed", fault, result: { addOns: sick } } : succeed(task);
  };
  await platform.run(failing);
  expect((await platform.get(cluster)).status).toMatchObject({
    phase: "FAILED",
    endpoint: "https://cluster.test",
    readyNodes: 2,
    wantedNodes: 2,
    serverVersion: "v1.34.1",
    addOns: sick,
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: "AddOnsReady", status: "False", message: fault.message }),
    ]),
  });
  await platform.retry(cluster);
  const well = [addOn("storage-class", "READY"), addOn("sick", "READY")];
  await platform.run((task) => (task.type === "cluster.addons" ? done({ addOns: well }) : failing(task)));
  expect((await platform.get(cluster)).status).toMatchObject({ phase: "RUNNING", readyNodes: 2, addOns: well });
});

test("M135 the status shows add-ons while they are being installed, and keeps those that are not reported yet", async () => {
  const account = await platform.create("Account", "acme");
  const network = await platform.create("Network", "net", { parent: account });
  const cluster = await platform.create("Cluster", "blue", { parent: network, spec: { version: "1.34" } });
  const well = [addOn("first", "READY"), addOn("second", "READY")];
  await platform.run((task) => (task.type === "cluster.addons" ? done({ addOns: well }) : succeed(task)));
  await platform.update(cluster, { version: "1.34", addOns: [{ name: "third" }] });
  const shown = (): Promise<unknown> => platform.get(cluster).then(({ status }) => status["addOns"]);
  const say = async (uid: string, leaseToken: string, ...addOns: unknown[]): Promise<unknown> => {
    const progress = { percent: 10, message: "installs", outputs: { addOns } };
    await renewTasks(platform.pool, [{ uid, leaseToken, progress }], 60);
    await platform.settle();
    return shown();
  };
  const seen: unknown[] = [];
  await platform.run(async (task) => {
    if (task.type !== "cluster.addons") return succeed(task);
    const { uid, leaseToken } = task;
    seen.push(await say(uid, leaseToken, addOn("first", "INSTALLING")));
    seen.push(await say(uid, leaseToken, addOn("first", "READY"), addOn("third", "INSTALLING")));
    return done({ addOns: [addOn("first", "READY"), addOn("third", "READY")] });
  });
  expect(seen).toEqual([
    [addOn("first", "INSTALLING"), addOn("second", "READY")],
    [...well, addOn("third", "INSTALLING")],
  ]);
  expect(await shown()).toEqual([addOn("first", "READY"), addOn("third", "READY")]);
});

test("M054 malformed add-ons are omitted from the status", async () => {
  const account = await platform.create("Account", "acme");
  const network = await platform.create("Network", "net", { parent: account });
  const cluster = await platform.create("Cluster", "blue", { parent: network });
  await platform.run((task) => (task.type === "cluster.addons" ? done({ addOns: [{ name: 1 }] }) : succeed(task)));
  const { status } = await platform.get(cluster);
  expect([status["phase"], status["addOns"]]).toEqual(["RUNNING", undefined]);
});

test("M135 AddOnsReady is not True while an add-on waits, and becomes True when a later run finds none that waits", async () => {
  const account = await platform.create("Account", "acme");
  const network = await platform.create("Network", "net", { parent: account });
  const cluster = await platform.create("Cluster", "blue", { parent: network, spec: { version: "1.34" } });
  const report =
    (...addOns: ReturnType<typeof addOn>[]): Handler =>
    (task) =>
      task.type === "cluster.addons" ? done({ addOns }) : succeed(task);
  const find = async (): Promise<unknown> =>
    ((await platform.get(cluster)).status["conditions"] as { type: string }[]).find(({ type }) => type === "AddOnsReady");
  await platform.run(report(addOn("storage-class", "READY"), addOn("metrics-server", "WAITING", "the cluster has no nodes")));
  expect((await platform.get(cluster)).status["phase"]).toBe("RUNNING");
  const message = "metrics-server is waiting: the cluster has no nodes";
  expect(await find()).toMatchObject({ status: "False", reason: "Waiting", message });
  await platform.update(cluster, { version: "1.34", workers: 3 });
  await platform.run(report(addOn("metrics-server", "READY"), addOn("karpenter", "SKIPPED", "simulated")));
  expect(await find()).toMatchObject({ status: "True", reason: "Done" });
});
