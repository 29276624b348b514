import { afterEach, beforeEach, expect, test } from "vitest";
import { done, openTestHouse, succeed, type Handler, type TestHouse } from "../testing/test-house.ts";

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

test("M054 add-ons that the status has no room for are left out of it", async () => {
  const account = await house.create("Account", "acme");
  const network = await house.create("Network", "net", { parent: account });
  const cluster = await house.create("Cluster", "blue", { parent: network });
  await house.run((task) => (task.type === "cluster.addons" ? done({ addOns: [{ name: 1 }] }) : succeed(task)));
  const { status } = await house.get(cluster);
  expect([status["phase"], status["addOns"]]).toEqual(["RUNNING", undefined]);
});
