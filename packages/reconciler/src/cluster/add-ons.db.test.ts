import { renewTasks } from "@cloudwright/tasks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { done, openTestHouse, succeed, type Handler, type TestHouse } from "../testing/test-platform.ts";

let house: TestHouse;
beforeEach(async () => {
  house = await openTestHouse();
});
afterEach(() => house.close());

const addOn = (name: string, phase: string, message = "") => ({ name, version: "1", phase, message });
const sick = [addOn("storage-class", "READY"), addOn("sick", "FAILED", "no pod is available")];

test("M135 the status has what access and add-ons say, also when add-ons fail, until they say something else", async () => {
  const account = await house.create("Account", "acme");
  const network = await house.create("Network", "net", { parent: account });
  const cluster = await house.create("Cluster", "blue", { parent: network, spec: { version: "1.34" } });
  const fault = { code: "deployer.add_ons_refused", message: "1 of 2 add-ons failed: sick", retry: "never" as const };
  const failing: Handler = (task) => {
    if (task.type === "cluster.access") return done({ readyNodes: 2, wantedNodes: 2, serverVersion: "v1.34.1" });
    return task.type === "cluster.addons" ? { state: "failed", fault, result: { addOns: sick } } : succeed(task);
  };
  await house.run(failing);
  expect((await house.get(cluster)).status).toMatchObject({
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
  await house.retry(cluster);
  const well = [addOn("storage-class", "READY"), addOn("sick", "READY")];
  await house.run((task) => (task.type === "cluster.addons" ? done({ addOns: well }) : failing(task)));
  expect((await house.get(cluster)).status).toMatchObject({ phase: "RUNNING", readyNodes: 2, addOns: well });
});

test("M135 what an agent says of add-ons while it installs them is shown at once, beside what it has not come to yet", async () => {
  const account = await house.create("Account", "acme");
  const network = await house.create("Network", "net", { parent: account });
  const cluster = await house.create("Cluster", "blue", { parent: network, spec: { version: "1.34" } });
  const well = [addOn("first", "READY"), addOn("second", "READY")];
  await house.run((task) => (task.type === "cluster.addons" ? done({ addOns: well }) : succeed(task)));
  await house.update(cluster, { version: "1.34", addOns: [{ name: "third" }] });
  const shown = (): Promise<unknown> => house.get(cluster).then(({ status }) => status["addOns"]);
  const say = async (uid: string, leaseToken: string, ...addOns: unknown[]): Promise<unknown> => {
    const progress = { percent: 10, message: "installs", outputs: { addOns } };
    await renewTasks(house.pool, [{ uid, leaseToken, progress }], 60);
    await house.settle();
    return shown();
  };
  const seen: unknown[] = [];
  await house.run(async (task) => {
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

test("M054 add-ons that the status has no room for are left out of it", async () => {
  const account = await house.create("Account", "acme");
  const network = await house.create("Network", "net", { parent: account });
  const cluster = await house.create("Cluster", "blue", { parent: network });
  await house.run((task) => (task.type === "cluster.addons" ? done({ addOns: [{ name: 1 }] }) : succeed(task)));
  const { status } = await house.get(cluster);
  expect([status["phase"], status["addOns"]]).toEqual(["RUNNING", undefined]);
});
