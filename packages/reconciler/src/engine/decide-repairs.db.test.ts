import { afterEach, beforeEach, expect, test } from "vitest";
import { done, failed, openTestPlatform, succeed, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
let network: string;
beforeEach(async () => {
  platform = await openTestPlatform();
  const account = await platform.create("Account", "acme");
  network = await platform.create("Network", "net", { parent: account });
  await platform.run();
});
afterEach(() => platform.close());

const subnet = { address: 'aws_subnet.intra["a"]', id: "subnet-1", dryRun: false };

async function listEvents(): Promise<{ reason: string; message: string }[]> {
  return platform.query("select reason, message from event where entity_uid = $1 order by uid", [network]);
}

test.each([
  ["adopt", "ResourceAdopted"],
  ["forget", "ResourceForgotten"],
] as const)("X010 %s runs one task, names the requester in an event, and leaves the entity as it is", async (verb, reason) => {
  const before = await platform.get(network);
  const operation = await platform.repair(network, verb, subnet);
  const payloads: unknown[] = [];
  const ran = await platform.run((task) => {
    payloads.push(task.payload);
    return done({ message: "subnet-1 is settled", changed: true });
  });
  expect(ran).toEqual([`network.${verb}`]);
  expect(payloads).toMatchObject([{ action: verb, repair: subnet, entity: { name: "net" } }]);
  expect((await platform.operation(operation)).status).toMatchObject({ state: "DONE", message: "subnet-1 is settled" });
  const after = await platform.get(network);
  expect([after.spec, after.status, after.metadata.operation]).toEqual([before.spec, before.status, before.metadata.operation]);
  expect(await listEvents()).toContainEqual({ reason, message: "subnet-1 is settled (requested by tester)" });
});

test("X010 no run starts before an adoption has ended, and the waiting operation says why", async () => {
  const operation = await platform.repair(network, "adopt", subnet);
  await platform.update(network, { region: "eu-west-1", cidr: "10.2.0.0/16" });
  const first = await platform.run((task) => (task.type === "network.adopt" ? undefined : succeed(task)));
  expect(first).toEqual(["network.adopt"]);
  expect((await platform.operation(network)).status).toMatchObject({
    state: "WAITING",
    message: expect.stringContaining(operation) as string,
  });
});

test("X010 after an adoption, the entity's own operation continues", async () => {
  await platform.repair(network, "adopt", subnet);
  await platform.update(network, { region: "eu-west-1", cidr: "10.2.0.0/16" });
  const ran = await platform.run();
  expect(ran[0]).toBe("network.adopt");
  expect(ran).toContain("network.apply");
  expect((await platform.get(network)).status).toMatchObject({ phase: "RUNNING", observedGeneration: 2 });
});

test("X010 a failed adoption reports the fault and does not change the entity's phase", async () => {
  const operation = await platform.repair(network, "adopt", subnet);
  await platform.run(() => failed("subnet-1 belongs to the entity x"));
  expect((await platform.operation(operation)).status).toMatchObject({ state: "FAILED", code: "test.broken" });
  expect((await platform.get(network)).status).toMatchObject({ phase: "RUNNING" });
  expect(await listEvents()).toContainEqual({
    reason: "AdoptionFailed",
    message: "subnet-1 belongs to the entity x (requested by tester)",
  });
});

test("X010 a resource of an entity whose deletion failed can be forgotten", async () => {
  await platform.remove(network);
  await platform.run(() => failed("the VPC is in use"));
  expect((await platform.operation(network)).status).toMatchObject({ state: "FAILED" });
  const operation = await platform.repair(network, "forget", { ...subnet, id: "" });
  expect(await platform.run()).toEqual(["network.forget"]);
  expect((await platform.operation(operation)).status).toMatchObject({ state: "DONE" });
  await platform.retry(network);
  expect(await platform.run()).toEqual(["network.destroy"]);
  expect(await platform.find(network)).toBeUndefined();
});

test("X010 a paused entity is repaired after it is resumed", async () => {
  await platform.pause(network, true);
  const operation = await platform.repair(network, "adopt", subnet);
  expect(await platform.run()).toEqual([]);
  expect((await platform.operation(operation)).status).toMatchObject({
    state: "WAITING",
    message: expect.stringContaining("paused") as string,
  });
  await platform.pause(network, false);
  await platform.wakeAll();
  expect(await platform.run()).toEqual(["network.adopt"]);
});
