import type { LeasedTask } from "@cloudwright/tasks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { done, failed, openTestPlatform, outputs, succeed, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
beforeEach(async () => {
  platform = await openTestPlatform();
});
afterEach(() => platform.close());

/** Returns the Kubernetes version that a task installs. */
const askedOf = ({ payload }: LeasedTask): string => {
  const { entity } = payload as { entity: { spec: { version: string } } };
  return entity.spec.version;
};

/** A fake agent that installs the requested version and records each request. */
function createAgent(): { handle: (task: LeasedTask) => ReturnType<typeof done>; readonly asked: string[] } {
  const asked: string[] = [];
  const handle = (task: LeasedTask): ReturnType<typeof done> => {
    asked.push(`${task.type} ${askedOf(task)}`);
    return done(task.type === "cluster.apply" ? { ...outputs[task.type], version: askedOf(task) } : (outputs[task.type] ?? {}));
  };
  return { handle, asked };
}

async function createCluster(version: string): Promise<string> {
  const account = await platform.create("Account", "acme");
  const network = await platform.create("Network", "net", { parent: account });
  const cluster = await platform.create("Cluster", "blue", { parent: network, spec: { version } });
  await platform.run((task) => (task.type.startsWith("cluster.") ? createAgent().handle(task) : succeed(task)));
  return cluster;
}

const round = (version: string): string[] =>
  ["preflight", "plan", "gates", "apply"].map((action) => `cluster.${action} ${version}`);

test("M161 an upgrade by three minor versions takes three runs in one operation, each after a preflight; add-ons follow the last run", async () => {
  const cluster = await createCluster("1.31");
  await platform.update(cluster, { version: "v1.34.1" });
  const { handle, asked } = createAgent();
  const phases = new Set<unknown>();
  const percents: number[] = [];
  await platform.run(async (task) => {
    percents.push(Number((await platform.operation(cluster)).status["progressPercent"]));
    if (task.type === "cluster.apply") phases.add((await platform.get(cluster)).status["phase"]);
    return handle(task);
  });
  const last = ["cluster.access v1.34.1", "cluster.addons v1.34.1", "cluster.gates v1.34.1"];
  expect(asked).toEqual([...round("1.32"), ...round("1.33"), ...round("v1.34.1"), ...last]);
  expect((await platform.operation(cluster)).status).toMatchObject({ state: "DONE", progressPercent: 100 });
  const operations = await platform.query("select 1 from entity where kind = 'Operation' and about_uid = $1", [cluster]);
  expect(operations).toHaveLength(2);
  expect([...phases]).toContain("UPGRADING");
  expect(percents).toEqual(percents.toSorted((one, other) => one - other));
  await platform.wakeAll();
  expect(await platform.run()).toEqual([]);
});

test("M161 a failed upgrade stays at the version it has reached, and a retry continues from there", async () => {
  const cluster = await createCluster("1.31");
  await platform.update(cluster, { version: "1.33" });
  const first = createAgent();
  await platform.run((task) => (task.type === "cluster.plan" && askedOf(task) === "1.33" ? failed("no") : first.handle(task)));
  expect((await platform.get(cluster)).status).toMatchObject({ phase: "DEGRADED", version: "1.32" });
  expect((await platform.operation(cluster)).status).toMatchObject({ state: "FAILED" });
  const again = createAgent();
  await platform.retry(cluster);
  await platform.run(again.handle);
  expect(again.asked).toEqual([...round("1.33"), "cluster.access 1.33", "cluster.addons 1.33", "cluster.gates 1.33"]);
  expect((await platform.get(cluster)).status).toMatchObject({ phase: "RUNNING", version: "1.33" });
});

test("M161 changing the version during an upgrade takes effect", async () => {
  const cluster = await createCluster("1.30");
  await platform.update(cluster, { version: "1.34" });
  const { handle, asked } = createAgent();
  await platform.run(async (task) => {
    if (task.type === "cluster.apply" && askedOf(task) === "1.31") await platform.update(cluster, { version: "1.32" });
    return handle(task);
  });
  expect(asked.filter((line) => line.startsWith("cluster.apply"))).toEqual(["cluster.apply 1.31", "cluster.apply 1.32"]);
  expect((await platform.get(cluster)).status).toMatchObject({ phase: "RUNNING", version: "1.32" });
});
