import type { KubeClient } from "@cloudwright/kube";
import { openSimulatedCluster, type TestCluster } from "@cloudwright/kube/testing";
import { systemClock } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDeployer } from "../create-deployer.ts";
import type { JsonObject } from "../task.ts";
import { createClusterTask, openTestCloud } from "../testing/cluster-task.ts";
import type { TestTaskOptions } from "../testing/test-task.ts";
import { tryJob } from "./job-gate.ts";

const binaries = { get: () => Promise.reject(new Error(terraformFaults.no_binary.code)) };
const service = { namespace: "default", name: "web", port: "80" };
const jobs = { apiVersion: "batch/v1", kind: "Job" };

let cluster: Awaited<ReturnType<typeof openSimulatedCluster>>;
let lines: string[];
beforeEach(async () => {
  lines = [];
  cluster = await openSimulatedCluster([{ name: "a" }]);
});
afterEach(() => cluster.close());

async function serve(status: string, body = ""): Promise<void> {
  const annotations = { "cloudwright.dev/simulated-status": status, "cloudwright.dev/simulated-body": body };
  const spec = { ports: [{ name: "http", port: 80 }] };
  await cluster.client.apply({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default", annotations },
    spec,
  });
}

interface Asked extends Pick<TestTaskOptions, "uid" | "signal"> {
  readonly gates?: readonly JsonObject[];
  readonly stage?: "before" | "between" | "after";
  readonly skip?: readonly string[];
  readonly version?: string;
  readonly hosts?: readonly string[];
  readonly simulated?: TestCluster;
}

function run({ gates = [], stage = "before", skip = [], version = "1.35", hosts = [], ...rest }: Asked): Promise<unknown> {
  const spec = { version, upgrade: { gates: gates.map((gate) => ({ retries: 0, ...gate })) } };
  const task = createClusterTask("cluster.gates", { ...rest, spec, gates: { stage, skip }, log: (line) => lines.push(line) });
  return createDeployer({ binaries, openCloud: openTestCloud(cluster.access), gateHosts: hosts }).handle(task);
}

const http = (check: JsonObject = {}): JsonObject => ({ name: "smoke", http: { service, path: "/healthz", ...check } });

test("X040 an HTTP gate reaches a service through the cluster's API server and compares status and body", async () => {
  await serve("200", "all good");
  await expect(run({ gates: [http({ bodyContains: "good" })] })).resolves.toEqual({
    outcome: "done",
    outputs: { stage: "before", passed: ["smoke"], skipped: [] },
  });
  await expect(run({ gates: [http({ bodyContains: "bad" })] })).rejects.toMatchObject({ code: "deployer.gate_failed" });
  await expect(run({ gates: [http({ expectedStatus: 204 })] })).rejects.toMatchObject({ code: "deployer.gate_failed" });
  await expect(run({ gates: [http({ service: { ...service, port: "http" } })] })).resolves.toMatchObject({ outcome: "done" });
  await expect(run({ gates: [http({ service: { ...service, port: "81" } })] })).rejects.toMatchObject({
    code: "deployer.gate_failed",
  });
});

test("X040 a failed gate is retried, and the message contains a short excerpt without secrets", async () => {
  await serve("500", `{"error":"down","token":"abcdefghijklmnopqrstuvwxyz0123456789"}${"x ".repeat(500)}`);
  const failed = run({ gates: [{ ...http(), retries: 1, intervalSeconds: 1 }] });
  await expect(failed).rejects.toMatchObject({ code: "deployer.gate_failed", retry: "never" });
  const { message } = (await failed.catch((error: unknown) => error)) as Error;
  expect(message).toContain("attempt 2 of 2");
  expect(message.length).toBeLessThan(400);
  expect([...lines, message].join(" ")).not.toContain("abcdefghij");
});

test("X040 only the gates of the stage run, in order, without the skipped ones", async () => {
  await serve("200");
  const gates = [
    { ...http(), name: "one", when: ["before", "after"] },
    { ...http(), name: "two", when: ["between"] },
    { ...http(), name: "three" },
  ];
  await expect(run({ gates, stage: "after", skip: ["one"] })).resolves.toMatchObject({
    outputs: { stage: "after", passed: ["three"], skipped: ["one"] },
  });
  await expect(run({ gates, stage: "between" })).resolves.toMatchObject({ outputs: { passed: ["two", "three"] } });
});

test.each([
  ["<", 5, '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"4.5"]}]}}', true],
  ["<", 5, '{"status":"success","data":{"resultType":"vector","result":[{"value":[1,"1"]},{"value":[1,"7"]}]}}', false],
  [">=", 1, '{"status":"success","data":{"resultType":"scalar","result":[1,"1"]}}', true],
  ["==", 0, '{"status":"success","data":{"resultType":"vector","result":[]}}', false],
  ["!=", 1, '{"status":"success","data":{"resultType":"vector","result":[{"value":[1,"NaN"]}]}}', false],
  ["<", 5, '{"status":"error","error":"bad query"}', false],
  ["<", 5, "<html>", false],
])("X040 a metric gate passes if every value is %s %s: %s", async (comparison, threshold, body, passes) => {
  await serve("200", body);
  const metric = { service, query: "up", comparison, threshold };
  const ended = await run({ gates: [{ name: "errors", metric }] }).catch((error: unknown) => error);
  expect(ended).toMatchObject(passes ? { outcome: "done" } : { code: "deployer.gate_failed" });
});

test("X040 a Job gate runs in the cluster and leaves no Job behind", async () => {
  const job = { namespace: "default", image: "registry.test/smoke:1", command: ["/smoke"] };
  await expect(run({ gates: [{ name: "smoke", job }] })).resolves.toMatchObject({ outcome: "done" });
  expect((await cluster.client.list(jobs)).items).toEqual([]);
  const missing = run({ gates: [{ name: "smoke", job: { ...job, namespace: "nowhere" } }] });
  await expect(missing).rejects.toMatchObject({ code: "deployer.gate_failed" });
});

test("X040 an agent that continues after a kill waits for the same Job; Jobs from other tasks are removed first", async () => {
  const check = { namespace: "default", image: "i", command: [], args: [], serviceAccount: "" } as never;
  const one = { gate: "smoke", check, timeoutMs: 60_000, number: 1 };
  const task = createClusterTask("cluster.gates", { uid: "task-1" });
  const created: string[] = [];
  let isKilled = true;
  // The first agent is killed right after it has created the Job: nothing it does afterwards reaches the cluster.
  const client: KubeClient = {
    ...cluster.client,
    async apply(object, options) {
      created.push(object.metadata.name);
      const applied = await cluster.client.apply(object, options);
      if (isKilled) throw new Error("killed");
      return applied;
    },
    delete: async (ref, options, signal) => (isKilled ? false : cluster.client.delete(ref, options, signal)),
  };
  await expect(tryJob(client, task, one, systemClock)).rejects.toThrow("killed");
  expect((await cluster.client.list(jobs)).items).toHaveLength(1);
  isKilled = false;
  await expect(tryJob(client, task, one, systemClock)).resolves.toMatchObject({ passed: true });
  expect(created).toHaveLength(1);
  isKilled = true;
  await expect(tryJob(client, task, { ...one, number: 2 }, systemClock)).rejects.toThrow("killed");
  isKilled = false;
  const other = createClusterTask("cluster.gates", { uid: "task-2" });
  await expect(tryJob(client, other, one, systemClock)).resolves.toMatchObject({ passed: true });
  expect(new Set(created).size).toBe(3);
  expect((await cluster.client.list(jobs)).items).toEqual([]);
});

test("X040 a failed Job fails the gate", async () => {
  const check = { namespace: "default", image: "i", command: ["x"], args: [], serviceAccount: "runner" } as never;
  const client: KubeClient = {
    ...cluster.client,
    apply: (object, options) => {
      const spec = object["spec"] as { template: { metadata: object } };
      const annotations = { "cloudwright.dev/simulated-mishap": "Error" };
      const template = { ...spec.template, metadata: { ...spec.template.metadata, annotations } };
      return cluster.client.apply({ ...object, spec: { ...spec, template } }, options);
    },
  };
  const one = { gate: "smoke", check, timeoutMs: 60_000, number: 1 };
  const result = await tryJob(client, createClusterTask("cluster.gates"), one, systemClock);
  expect(result.passed).toBe(false);
  expect(result.message).toContain("BackoffLimitExceeded");
});

test("X040 nodes that the next version does not support stop the upgrade, and the message names node and pool", async () => {
  const labels = { "example.com/nodegroup": "blue" };
  await cluster.host.setNodes("one", [
    { name: "new", version: "v1.35.0" },
    { name: "old", version: "v1.31.9", labels },
  ]);
  const refused = run({ version: "1.35" });
  await expect(refused).rejects.toMatchObject({ code: "deployer.nodes_too_old", retry: "never" });
  await expect(refused).rejects.toThrow(/old \(pool blue, kubelet v1\.31\.9\)/);
  await expect(run({ version: "1.34" })).rejects.toMatchObject({ code: "deployer.nodes_too_old" });
  await cluster.host.setNodes("one", [{ name: "older", version: "v1.32.0" }]);
  await expect(run({ version: "1.35" })).resolves.toMatchObject({ outcome: "done" });
});

test("X040 the check waits for an old node that is about to leave the cluster", async () => {
  await cluster.host.setNodes("one", [{ name: "old", version: "v1.31.0" }]);
  const node = { apiVersion: "v1", kind: "Node", name: "old" };
  await cluster.client.patch(node, { spec: { unschedulable: true } });
  const waiting = run({ version: "1.35" });
  await expect.poll(() => lines.join(" ")).toContain("waiting for nodes to be replaced");
  await cluster.client.delete(node);
  await expect(waiting).resolves.toMatchObject({ outcome: "done" });
});
