import type { JsonObject } from "@cloudwright/contract";
import type { LeasedTask, TaskOutcome } from "@cloudwright/tasks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listConditions } from "../engine/conditions.ts";
import { done, failed, openTestPlatform, outputs, succeed, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
let agent: ReturnType<typeof createAgent>;
beforeEach(async () => {
  platform = await openTestPlatform();
  agent = createAgent();
});
afterEach(() => platform.close());

interface Payload {
  readonly entity: { readonly spec: { readonly version: string } };
  readonly gates?: { readonly stage: string; readonly skip: readonly string[] };
}

/** A fake agent that installs the requested version. `fails` chooses the gates that fail, by stage and version. */
function createAgent() {
  const stages: string[] = [];
  const applied: string[] = [];
  const versions = new Set<number>();
  let fault: ((stage: string, skip: readonly string[]) => TaskOutcome | undefined) | undefined;
  return {
    stages,
    applied,
    versions,
    setFault: (next: typeof fault) => void (fault = next),
    handle: (task: LeasedTask): TaskOutcome => {
      const { entity, gates } = task.payload as Payload;
      const { version } = entity.spec;
      if (gates !== undefined) {
        stages.push(`${gates.stage} ${version}${gates.skip.length > 0 ? ` without ${gates.skip.join(",")}` : ""}`);
        versions.add(task.payloadVersion);
        return fault?.(gates.stage, gates.skip) ?? done({ stage: gates.stage, passed: ["smoke"], skipped: [...gates.skip] });
      }
      if (task.type === "cluster.apply") applied.push(version);
      return done(task.type === "cluster.apply" ? { ...outputs[task.type], version } : (outputs[task.type] ?? {}));
    },
  };
}

const refuse = (code: string): TaskOutcome => ({
  state: "failed",
  fault: { code, message: "the gate said no", retry: "never" },
  result: {},
});

async function createCluster(version: string): Promise<string> {
  const account = await platform.create("Account", "acme");
  const network = await platform.create("Network", "net", { parent: account });
  const cluster = await platform.create("Cluster", "blue", { parent: network, spec: { version } });
  await platform.run((task) => (task.type.startsWith("cluster.") ? agent.handle(task) : succeed(task)));
  return cluster;
}

/** Resumes the upgrade as the API does. */
async function resume(cluster: string, skip: readonly string[] = []): Promise<void> {
  const { metadata, spec } = await platform.operation(cluster);
  const next = { ...spec, resumes: Number(spec["resumes"] ?? 0) + 1, skipGates: [...skip] };
  await platform.query("update entity set object = jsonb_set(object::jsonb, '{spec}', $2::jsonb)::json where uid = $1", [
    metadata.uid,
    JSON.stringify(next),
  ]);
  await platform.wakeAll();
}

async function pauseOf(uid: string): Promise<JsonObject | undefined> {
  return listConditions((await platform.get(uid)).status).find(({ type }) => type === "UpgradePaused");
}

const listEvents = async (): Promise<string[]> =>
  (await platform.query<{ reason: string }>("select reason from event order by at, uid")).map(({ reason }) => reason);

test("X040 gates run before the first minor version, between versions and after the last one, and not for other changes", async () => {
  const cluster = await createCluster("1.31");
  expect(agent.stages).toEqual([]);
  await platform.update(cluster, { version: "1.33" });
  await platform.run(agent.handle);
  expect(agent.stages).toEqual(["before 1.32", "between 1.33", "after 1.33"]);
  expect([...agent.versions]).toEqual([5]);
  await platform.update(cluster, { version: "1.33", workers: 4 });
  await platform.run(agent.handle);
  expect(agent.stages).toHaveLength(3);
  expect((await platform.get(cluster)).status).toMatchObject({ phase: "RUNNING", version: "1.33" });
  expect(await pauseOf(cluster)).toBeUndefined();
});

test("X040 a failed gate pauses the upgrade before anything changes; resuming runs only the gates again", async () => {
  const cluster = await createCluster("1.33");
  agent.setFault(() => refuse("deployer.gate_failed"));
  await platform.update(cluster, { version: "1.34" });
  const first = await platform.run(agent.handle);
  expect(first).toEqual(["cluster.preflight", "cluster.plan", "cluster.gates"]);
  const paused = await pauseOf(cluster);
  expect(paused).toMatchObject({ status: "True", reason: "GateFailed" });
  expect(paused?.["message"]).toContain("cloud k8s upgrade blue --resume");
  expect(paused?.["message"]).toContain("--abort");
  expect((await platform.get(cluster)).status).toMatchObject({ phase: "RUNNING", version: "1.33" });
  expect((await platform.operation(cluster)).status).toMatchObject({ state: "RUNNING" });
  await platform.wakeAll();
  expect(await platform.run(agent.handle)).toEqual([]);
  agent.setFault(undefined);
  await resume(cluster);
  expect(await platform.run(agent.handle)).toEqual([
    "cluster.gates",
    "cluster.apply",
    "cluster.access",
    "cluster.addons",
    "cluster.gates",
  ]);
  expect(await pauseOf(cluster)).toMatchObject({ status: "False" });
  expect((await platform.get(cluster)).status).toMatchObject({ phase: "RUNNING", version: "1.34" });
  expect((await listEvents()).filter((reason) => /Gates|Paused/.test(reason))).toEqual([
    "UpgradePaused",
    "GatesPassed",
    "GatesPassed",
  ]);
});

test("X040 a gate between versions pauses at the version reached; skipping it continues there", async () => {
  const cluster = await createCluster("1.32");
  agent.setFault((stage, skip) => (stage === "between" && skip.length === 0 ? refuse("deployer.gate_refused") : undefined));
  await platform.update(cluster, { version: "1.34" });
  await platform.run(agent.handle);
  expect(agent.applied).toEqual(["1.32", "1.33"]);
  const paused = await pauseOf(cluster);
  expect(paused).toMatchObject({ status: "True", reason: "GateFailed" });
  expect(paused?.["message"]).not.toContain("--abort");
  expect((await platform.get(cluster)).status).toMatchObject({ phase: "UPGRADING", version: "1.33" });
  await resume(cluster, ["smoke"]);
  await platform.run(agent.handle);
  expect(agent.stages.slice(-2)).toEqual(["between 1.34 without smoke", "after 1.34 without smoke"]);
  expect((await platform.get(cluster)).status).toMatchObject({ phase: "RUNNING", version: "1.34" });
});

test("X040 nodes that are too old pause the upgrade with a reason of their own", async () => {
  const cluster = await createCluster("1.33");
  agent.setFault(() => refuse("deployer.nodes_too_old"));
  await platform.update(cluster, { version: "1.34" });
  await platform.run(agent.handle);
  const paused = await pauseOf(cluster);
  expect(paused).toMatchObject({ status: "True", reason: "NodesTooOld" });
  expect(paused?.["message"]).not.toContain("--skip-gate");
  expect(agent.applied).toEqual(["1.33"]);
});

test("X040 setting the version back ends a paused upgrade, and another change says that the upgrade is paused", async () => {
  const cluster = await createCluster("1.33");
  agent.setFault(() => refuse("deployer.gate_failed"));
  await platform.update(cluster, { version: "1.34" });
  await platform.run(agent.handle);
  const pool = await platform.create("NodePool", "extra", { parent: cluster, spec: { desired: 1 } });
  await platform.run(agent.handle);
  expect((await platform.get(pool)).status["message"]).toContain("the upgrade is paused");
  await platform.update(cluster, { version: "1.34", workers: 3 });
  await platform.run(agent.handle);
  expect((await platform.operation(cluster)).status["message"]).toContain("the upgrade is paused");
  expect(agent.applied).toEqual(["1.33"]);
  await platform.update(cluster, { version: "1.33", workers: 3 });
  await platform.run(agent.handle);
  expect(await pauseOf(cluster)).toMatchObject({ status: "False" });
  expect((await platform.get(cluster)).status).toMatchObject({ phase: "RUNNING", version: "1.33" });
  expect((await platform.get(pool)).status).toMatchObject({ phase: "RUNNING" });
});

test("X040 a paused upgrade does not block the deletion", async () => {
  const cluster = await createCluster("1.33");
  agent.setFault(() => refuse("deployer.gate_failed"));
  await platform.update(cluster, { version: "1.34" });
  await platform.run(agent.handle);
  await platform.remove(cluster);
  await platform.run(agent.handle);
  expect(await platform.find(cluster)).toBeUndefined();
});

test("X040 a retry after a failed run checks the nodes and gates again, still before the upgrade", async () => {
  const cluster = await createCluster("1.33");
  await platform.update(cluster, { version: "1.34" });
  await platform.run((task) => (task.type === "cluster.apply" ? failed("no") : agent.handle(task)));
  expect((await platform.operation(cluster)).status).toMatchObject({ state: "FAILED" });
  await platform.retry(cluster);
  await platform.run(agent.handle);
  expect(agent.stages).toEqual(["before 1.34", "before 1.34", "after 1.34"]);
});

test("X040 a gate after the upgrade pauses it at the new version", async () => {
  const cluster = await createCluster("1.33");
  agent.setFault((stage) => (stage === "after" ? refuse("deployer.gate_failed") : undefined));
  await platform.update(cluster, { version: "1.34" });
  await platform.run(agent.handle);
  expect(await pauseOf(cluster)).toMatchObject({ status: "True", reason: "GateFailed" });
  expect((await platform.get(cluster)).status).toMatchObject({ version: "1.34" });
  agent.setFault(undefined);
  await resume(cluster);
  expect(await platform.run(agent.handle)).toEqual(["cluster.gates"]);
  expect((await platform.operation(cluster)).status).toMatchObject({ state: "DONE" });
});
