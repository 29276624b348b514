import { afterEach, beforeEach, expect, test } from "vitest";
import { done, failed, openTestPlatform, succeed, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
let account: string;
let network: string;
let cluster: string;
beforeEach(async () => {
  platform = await openTestPlatform();
  account = await platform.create("Account", "acme");
  network = await platform.create("Network", "net", { parent: account });
  cluster = await platform.create("Cluster", "blue", { parent: network, spec: { version: "1.34" } });
  await platform.run();
});
afterEach(() => platform.close());

const items = [{ part: "nodes", name: "default", action: "update", message: "2 -> 3 nodes" }];

test("X034 a preview plans the proposed spec and reports its changes without affecting the entity or its newest operation", async () => {
  const before = await platform.get(cluster);
  const operation = await platform.preview(cluster, { version: "1.34", workers: 3 });
  const given: unknown[] = [];
  expect(
    await platform.run((task) => {
      given.push(task.payload);
      return done({ items });
    }),
  ).toEqual(["cluster.preview"]);
  expect(given).toMatchObject([{ entity: { spec: { version: "1.34", workers: 3 } }, formerSpec: { version: "1.34" } }]);
  expect((await platform.operation(operation)).status).toMatchObject({ state: "DONE", preview: items });
  const after = await platform.get(cluster);
  expect([after.spec, after.status, after.metadata.operation]).toEqual([before.spec, before.status, before.metadata.operation]);
});

test("X034 previews run one at a time, a failed one says why, and changes continue in parallel", async () => {
  const first = await platform.preview(cluster, { version: "1.34", workers: 3 });
  const second = await platform.preview(cluster, { version: "9.9" });
  await platform.update(cluster, { version: "1.34", workers: 5 });
  const ran = await platform.run((task) =>
    task.type === "cluster.preview" ? failed("there is no such version") : succeed(task),
  );
  expect(ran.filter((type) => type === "cluster.preview")).toHaveLength(2);
  expect(ran).toContain("cluster.apply");
  for (const operation of [first, second]) {
    expect((await platform.operation(operation)).status).toMatchObject({ state: "FAILED", message: "there is no such version" });
  }
  expect((await platform.get(cluster)).status).toMatchObject({ phase: "RUNNING", observedGeneration: 2 });
});

test("X034 the creation of a cluster is previewed in its network, which does not change", async () => {
  const [before, outputs] = [await platform.get(network), { network_id: "vpc-1" }];
  const net = await platform.create("Network", "late", { parent: account });
  const early = await platform.preview(net, { workers: 2 }, "green");
  await platform.settle();
  expect((await platform.operation(early)).status).toMatchObject({ state: "FAILED", code: "reconciler.not_built" });
  await platform.run((task) => (task.type === "network.apply" ? done(outputs) : succeed(task)));
  const operation = await platform.preview(net, { workers: 2 }, "green");
  const given: unknown[] = [];
  const ran = await platform.run((task) => {
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
  expect((await platform.operation(operation)).status).toMatchObject({ state: "DONE", preview: items });
  expect((await platform.get(net)).status).toMatchObject({ phase: "RUNNING" });
  expect(await platform.get(network)).toEqual(before);
});

const finding = (field: string) => ({ field, message: "no", help: "change it", severity: "must", rule: "", code: "" });

test("X013 a preflight of a new entity runs on its future owner, adds its findings to the known ones, and changes nothing", async () => {
  const asked = [
    [account, "Network", "fresh", { region: "eu-west-1", account: "acme" }],
    [network, "Cluster", "green", { workers: 2 }],
    [cluster, "Storage", "bucket", { bucket: {} }],
    [cluster, "NodePool", "spot", { desired: 2 }],
  ] as const;
  for (const [parent, kind, name, spec] of asked) {
    const before = await platform.get(parent);
    const operation = await platform.preflight(parent, kind, name, spec, [finding("metadata.name")]);
    const given: unknown[] = [];
    const ran = await platform.run((task) => {
      given.push(task.payload);
      return done({ findings: [{ field: "spec", message: "no", help: "change it" }, { field: "spec" }, "nonsense"] });
    });
    const isPool = kind === "NodePool";
    expect(ran).toEqual([`${isPool ? "cluster" : kind.toLowerCase()}.look`]);
    const pool = { entity: { kind: "Cluster", spec: { version: "1.34" } }, newPool: "spot", nodePools: [{ name: "spot", spec }] };
    expect(given[0]).toMatchObject(isPool ? pool : { entity: { kind, name, spec } });
    expect(given[0]).not.toHaveProperty("formerSpec");
    const { status } = await platform.operation(operation);
    expect(status).toMatchObject({ state: "DONE", findings: [finding("metadata.name"), finding("spec")] });
    const after = await platform.get(parent);
    expect([after.spec, after.status, after.metadata.operation]).toEqual([before.spec, before.status, before.metadata.operation]);
  }
});

test("X013 a preflight does not need a built owner, says what it waits for, and fails if no agent can run it", async () => {
  const net = await platform.create("Network", "late", { parent: account });
  await platform.pause(net, true);
  const operation = await platform.preflight(net, "Cluster", "green", { workers: 2 });
  await platform.settle();
  expect((await platform.operation(operation)).status).toMatchObject({
    state: "WAITING",
    message: expect.stringContaining("paused"),
  });
  await platform.pause(net, false);
  await platform.run((task) => (task.type === "cluster.look" ? failed("the cloud does not answer") : succeed(task)));
  const { status } = await platform.operation(operation);
  expect(status).toMatchObject({ state: "FAILED", message: "the cloud does not answer" });
});

test("X013 the findings of a failed preflight are in the operation, and a successful retry clears them", async () => {
  const result = { findings: [{ field: "spec.nat", message: "no room" }] };
  const late = await platform.create("Network", "late", { parent: account });
  await platform.run((task) =>
    task.type === "network.preflight" && task.entityName === "late" ? { ...failed("one thing"), result } : succeed(task),
  );
  expect((await platform.operation(late)).status).toMatchObject({
    state: "FAILED",
    findings: [{ field: "spec.nat", message: "no room", severity: "must" }],
  });
  await platform.retry(late);
  await platform.run();
  expect((await platform.operation(late)).status).toMatchObject({ state: "DONE", findings: [] });
});

test("X082 the preview of a node pool's deletion plans its cluster without the pool, and changes nothing", async () => {
  await platform.create("NodePool", "gpu", { parent: cluster });
  await platform.create("NodePool", "web", { parent: cluster });
  await platform.run();
  const operation = await platform.preview(cluster, { version: "1.34" }, "gpu", { deletion: true });
  const given: unknown[] = [];
  expect(
    await platform.run((task) => {
      given.push(task.payload);
      return done({ items });
    }),
  ).toEqual(["cluster.preview"]);
  expect(given).toMatchObject([{ nodePools: [{ name: "web" }], formerSpec: { version: "1.34" }, entity: { name: "blue" } }]);
  expect(given[0]).not.toHaveProperty("deletion", true);
  expect((await platform.operation(operation)).status).toMatchObject({ state: "DONE", preview: items });
});

test("X082 the preview of a network's deletion is a task of the network; nothing is listed for a pool of an unbuilt cluster", async () => {
  const operation = await platform.preview(network, { region: "eu-west-1" }, undefined, { deletion: true });
  const given: unknown[] = [];
  const ran = await platform.run((task) => {
    given.push(task.payload);
    return done({ items });
  });
  expect([ran, given]).toMatchObject([["network.preview"], [{ deletion: true, entity: { name: "net" } }]]);
  expect((await platform.operation(operation)).status).toMatchObject({ state: "DONE", preview: items });
  const late = await platform.create("Cluster", "late", { parent: network });
  const early = await platform.preview(late, {}, "gpu", { deletion: true });
  await platform.settle();
  expect((await platform.operation(early)).status).toMatchObject({ state: "DONE", message: "no infrastructure was built" });
});

const flaky = { state: "failed", fault: { code: "test.flaky", message: "no route to the cloud", retry: "backoff" } } as const;

test.each(["preflight", "preview", "drift check", "repair"])(
  "M046 X013 the status of a retried %s says why the last attempt failed and when the next one starts",
  async (what) => {
    const request = {
      preflight: () => platform.preflight(network, "Cluster", "green", { workers: 2 }),
      preview: () => platform.preview(cluster, { version: "1.34", workers: 3 }),
      "drift check": () => platform.check(cluster),
      repair: () => platform.repair(cluster, "forget", { address: "aws_vpc.this", id: "", dryRun: false }),
    }[what];
    const operation = (await request?.()) ?? "";
    const statusOf = async () => (await platform.operation(operation)).status;
    await platform.run(() => flaky);
    const { state, message } = await statusOf();
    expect([state, message]).toEqual([
      "RUNNING",
      expect.stringMatching(/attempt 1 of \d.*retrying in \d+ s.*no route to the cloud/),
    ]);
    // While the next attempt is running, the message still says why the previous one failed.
    await platform.query("update task_line set delayed_until = null, ready = true where delayed_until is not null");
    await platform.work(() => undefined);
    await platform.wakeAll();
    await platform.settle();
    expect((await statusOf())["message"]).toMatch(/attempt 2 of \d.*no route to the cloud/);
  },
);
