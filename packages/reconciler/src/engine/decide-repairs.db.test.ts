import { insertForgotten, listForgotten } from "@cloudwright/store";
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

const readUid = async (operation: string): Promise<string> => (await platform.operation(operation)).metadata.uid ?? "";
/** Records the resource as forgotten, as the API does when it accepts the request. */
const recordForgotten = async (operation: string): Promise<void> =>
  insertForgotten(
    platform.pool,
    network,
    [{ type: "aws_subnet", id: subnet.id, address: subnet.address }],
    await readUid(operation),
  );
const listIds = async (): Promise<string[]> => (await listForgotten(platform.pool, network)).map(({ id }) => id);
const forget = async (): Promise<string> => {
  const operation = await platform.repair(network, "forget", { ...subnet, id: "" });
  await recordForgotten(operation);
  return operation;
};

test("X010 a failed or cancelled adoption keeps the resource forgotten; only a successful one ends that", async () => {
  await forget();
  await platform.run();
  expect(await listIds()).toEqual(["subnet-1"]);
  await platform.repair(network, "adopt", subnet);
  expect(await listIds()).toEqual(["subnet-1"]);
  await platform.run(() => failed("the cloud does not respond"));
  expect(await listIds()).toEqual(["subnet-1"]);
  await platform.repair(network, "adopt", { ...subnet, dryRun: true });
  await platform.run(() => done({ message: "can be adopted", changed: true, type: "aws_subnet", id: "subnet-1" }));
  expect(await listIds()).toEqual(["subnet-1"]);
  // The id used for the import may differ from the id in the state.
  await platform.repair(network, "adopt", { ...subnet, id: "vpc-1/subnet-1" });
  await platform.run(() => done({ message: "adopted", changed: true, type: "aws_subnet", id: "subnet-1" }));
  expect(await listIds()).toEqual([]);
});

test("X010 an adoption of another resource at the same address keeps the first one forgotten", async () => {
  await forget();
  await platform.run();
  await platform.repair(network, "adopt", { ...subnet, id: "subnet-2" });
  await platform.run(() => done({ message: "adopted", changed: true, type: "aws_subnet", id: "subnet-2" }));
  expect(await listIds()).toEqual(["subnet-1"]);
});

test("X010 X068 forgotten resources stay recorded after their operation is deleted; a failed request leaves no record", async () => {
  const operation = await forget();
  await platform.run();
  await platform.query("delete from entity where uid = $1", [await readUid(operation)]);
  expect(await listIds()).toEqual(["subnet-1"]);
  await platform.query("delete from forgotten_resource");
  const broken = await forget();
  await platform.run(() => failed("the state is locked"));
  await platform.query("delete from entity where uid = $1", [await readUid(broken)]);
  expect(await listIds()).toEqual([]);
});

test("X010 a second request that fails does not delete the record of the first", async () => {
  await forget();
  await platform.run();
  await forget();
  await platform.run(() => failed("the state is locked"));
  expect(await listIds()).toEqual(["subnet-1"]);
});

/** Backdates the entity's open tasks, so that the test does not have to wait. */
const age = async (minutes: number): Promise<void> => {
  await platform.query("update task set created_at = created_at - $1 * interval '1 minute' where ended is null", [minutes]);
  await platform.wakeAll();
  await platform.settle();
};

test.each(["adopt", "forget"] as const)(
  "X010 a request to %s a resource that no agent takes fails after a while, and runs continue",
  async (verb) => {
    const operation = verb === "forget" ? await forget() : await platform.repair(network, verb, subnet);
    await platform.update(network, { region: "eu-west-1", cidr: "10.2.0.0/16" });
    await platform.settle();
    await age(9);
    expect((await platform.operation(operation)).status).toMatchObject({ state: "WAITING" });
    await age(2);
    expect((await platform.operation(operation)).status).toMatchObject({
      state: "FAILED",
      code: "reconciler.repair_not_started",
      message: expect.stringContaining("no agent is connected") as string,
    });
    expect(await listIds()).toEqual([]);
    const ran = await platform.run();
    expect([ran.includes(`network.${verb}`), ran.includes("network.apply")]).toEqual([false, true]);
  },
);

test("X010 a request that an agent works on is not given up", async () => {
  const operation = await platform.repair(network, "adopt", subnet);
  await platform.settle();
  await platform.work(() => undefined);
  await age(60);
  expect((await platform.operation(operation)).status).toMatchObject({ state: "RUNNING" });
});

test("X010 M042 a forced deletion supersedes a request that no agent has started; any other deletion waits for it", async () => {
  const operation = await forget();
  await platform.settle();
  await platform.remove(network);
  await platform.settle();
  expect((await platform.operation(network)).status).toMatchObject({
    state: "WAITING",
    message: expect.stringContaining(`cloud operation cancel ${operation}`) as string,
  });
  await platform.remove(network, { force: true });
  await platform.settle();
  expect((await platform.operation(operation)).status).toMatchObject({
    state: "CANCELLED",
    message: expect.stringContaining("superseded by the forced deletion") as string,
  });
  expect(await platform.run()).toEqual(["network.destroy"]);
  expect(await platform.find(network)).toBeUndefined();
});

test.each([false, true])(
  "X010 X082 forgotten resources are listed as left in the account after a deletion (forced: %s)",
  async (force) => {
    await forget();
    await platform.run();
    await platform.remove(network, { force });
    const { name = "" } = (await platform.operation(network)).metadata;
    await platform.run();
    expect(await platform.find(network)).toBeUndefined();
    expect((await platform.operation(name)).status).toMatchObject({
      state: "DONE",
      abandoned: [expect.stringContaining("aws_subnet subnet-1 (forgotten") as string],
    });
    expect(await listEvents()).toContainEqual({
      reason: "Abandoned",
      message: expect.stringContaining("aws_subnet subnet-1") as string,
    });
  },
);
