import { afterEach, beforeEach, expect, test } from "vitest";
import { done, failed, openTestHouse, succeed, type TestHouse } from "../testing/test-house.ts";

let house: TestHouse;
let account: string;
let network: string;
let cluster: string;
beforeEach(async () => {
  house = await openTestHouse();
  account = await house.create("Account", "acme");
  network = await house.create("Network", "net", { parent: account });
  cluster = await house.create("Cluster", "blue", { parent: network, spec: { version: "1.34" } });
  await house.run();
});
afterEach(() => house.close());

const items = [{ part: "nodes", name: "default", action: "update", message: "2 -> 3 nodes" }];

test("X034 a preview plans the candidate, tells what it would do, and leaves the entity and its newest operation alone", async () => {
  const before = await house.get(cluster);
  const operation = await house.preview(cluster, { version: "1.34", workers: 3 });
  const given: unknown[] = [];
  expect(
    await house.run((task) => {
      given.push(task.payload);
      return done({ items });
    }),
  ).toEqual(["cluster.preview"]);
  expect(given).toMatchObject([{ entity: { spec: { version: "1.34", workers: 3 } }, formerSpec: { version: "1.34" } }]);
  expect((await house.operation(operation)).status).toMatchObject({ state: "DONE", preview: items });
  const after = await house.get(cluster);
  expect([after.spec, after.status, after.metadata.operation]).toEqual([before.spec, before.status, before.metadata.operation]);
});

test("X034 previews wait for one another, one that fails says why, and changes go on beside them", async () => {
  const first = await house.preview(cluster, { version: "1.34", workers: 3 });
  const second = await house.preview(cluster, { version: "9.9" });
  await house.update(cluster, { version: "1.34", workers: 5 });
  const ran = await house.run((task) => (task.type === "cluster.preview" ? failed("there is no such version") : succeed(task)));
  expect(ran.filter((type) => type === "cluster.preview")).toHaveLength(2);
  expect(ran).toContain("cluster.apply");
  for (const operation of [first, second]) {
    expect((await house.operation(operation)).status).toMatchObject({ state: "FAILED", message: "there is no such version" });
  }
  expect((await house.get(cluster)).status).toMatchObject({ phase: "RUNNING", observedGeneration: 2 });
});

test("X034 what creating a cluster would do is planned in its network, which stays as it is", async () => {
  const [before, outputs] = [await house.get(network), { network_id: "vpc-1" }];
  const net = await house.create("Network", "late", { parent: account });
  const early = await house.preview(net, { workers: 2 }, "green");
  await house.settle();
  expect((await house.operation(early)).status).toMatchObject({ state: "FAILED", code: "reconciler.not_built" });
  await house.run((task) => (task.type === "network.apply" ? done(outputs) : succeed(task)));
  const operation = await house.preview(net, { workers: 2 }, "green");
  const given: unknown[] = [];
  const ran = await house.run((task) => {
    given.push(task.payload);
    return done({ items });
  });
  expect(ran).toEqual(["cluster.preview"]);
  expect(given).toMatchObject([
    {
      entity: { kind: "Cluster", name: "green", spec: { workers: 2 } },
      parents: [
        { kind: "Network", name: "late", outputs },
        { kind: "Account", name: "acme" },
      ],
      nodePools: [],
      outputs: {},
    },
  ]);
  expect(given[0]).not.toHaveProperty("formerSpec");
  expect((await house.operation(operation)).status).toMatchObject({ state: "DONE", preview: items });
  expect((await house.get(net)).status).toMatchObject({ phase: "RUNNING" });
  expect(await house.get(network)).toEqual(before);
});
