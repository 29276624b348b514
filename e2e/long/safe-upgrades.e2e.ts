import { createKubeClient, type KubeClient } from "@cloudwright/kube";
import { readKubeconfig } from "@cloudwright/kube/testing";
import { requireTool } from "@cloudwright/platform";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listChildren } from "../child-processes.ts";
import { runCloud } from "../cloud-command.ts";
import { startServer, type RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);

const node = { apiVersion: "v1", kind: "Node" };
const job = { apiVersion: "batch/v1", kind: "Job" };
const service = { namespace: "default", name: "web", port: "80" };
const within = 120_000;

describe.skipIf(!tool.found)("upgrades of clusters in a simulated AWS account", () => {
  let server: RunningServer;
  const clients = new Map<string, KubeClient>();

  async function cloud(...args: string[]): Promise<string> {
    const { code, out, err } = await runCloud({ home: server.home }, ...args);
    if (code !== 0) throw new Error(`cloud ${args.join(" ")} exited with ${code}: ${err}`);
    return out;
  }

  interface Shown {
    readonly status: {
      readonly phase: string;
      readonly version: string;
      readonly conditions: readonly { type: string; status: string; reason: string; message: string }[];
    };
  }
  const show = async (name: string): Promise<Shown> => JSON.parse(await cloud("get", "cluster", name, "-o", "json")) as Shown;
  const findPause = async (name: string) => {
    const { status } = await show(name);
    return status.conditions.find((condition) => condition.type === "UpgradePaused" && condition.status === "True");
  };
  const waitForVersion = (name: string, version: string) =>
    waitUntil(
      `${name} runs ${version}`,
      async () => {
        const { status } = await show(name);
        return status.phase === "RUNNING" && status.version.startsWith(version) && (await isIdle(name));
      },
      within,
    );
  const isIdle = async (name: string) => {
    const operations = JSON.parse(await cloud("operation", "list", "-o", "json")) as {
      items: { spec: { entityName: string }; status: { state: string } }[];
    };
    return operations.items.every(
      ({ spec, status }) => spec.entityName !== name || !["WAITING", "RUNNING"].includes(status.state),
    );
  };

  async function createCluster(name: string, provisioner: string, gates: readonly object[]): Promise<KubeClient> {
    const spec = { network: "net", version: "1.33", workers: 1, provisioner, upgrade: { gates } };
    const file = join(server.home, `${name}.json`);
    await writeFile(file, JSON.stringify({ kind: "Cluster", metadata: { name }, spec }));
    await cloud("apply", "-f", file, "--wait");
    const client = createKubeClient(readKubeconfig(await cloud("k8s", "kubeconfig", name)));
    clients.set(name, client);
    return client;
  }

  const serve = (client: KubeClient, status: string) =>
    client.apply({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web", namespace: "default", annotations: { "cloudwright.dev/simulated-status": status } },
      spec: { ports: [{ port: 80 }] },
    });

  beforeAll(async () => {
    server = await startServer({ environment: { CLOUDWRIGHT_LEASE_SECONDS: "5", CLOUDWRIGHT_LEASE_GRACE_SECONDS: "2" } });
    await cloud("account", "create", "sim", "--cloud", "aws", "--simulated", "--wait");
    await cloud("network", "create", "net", "--account", "sim", "--region", "eu-west-1", "--wait");
  });
  afterAll(async () => {
    for (const client of clients.values()) client.close();
    await server?.stop();
  });

  test("X040 a gate fails, the upgrade pauses, the cause is fixed, the upgrade is resumed and completes", async () => {
    const client = await createCluster("dev", "direct", [{ name: "smoke", retries: 0, http: { service, path: "/healthz" } }]);
    await serve(client, "503");
    const preview = await cloud("k8s", "upgrade", "dev", "--version", "1.35", "--preview");
    expect(preview).toMatch(/upgrade +check +before .*gates: smoke/);
    expect(preview).toMatch(/upgrade +check +between .*gates: smoke/);
    await cloud("k8s", "upgrade", "dev", "--version", "1.35");
    await waitUntil("the upgrade is paused", async () => (await findPause("dev")) !== undefined, within);
    expect(await findPause("dev")).toMatchObject({ reason: "GateFailed" });
    expect((await findPause("dev"))?.message).toContain('gate "smoke" failed in attempt 1 of 1');
    expect((await show("dev")).status).toMatchObject({ phase: "RUNNING", version: "1.33" });
    await serve(client, "200");
    await cloud("k8s", "upgrade", "dev", "--resume", "--wait");
    expect((await show("dev")).status.version).toMatch(/^1\.35/);
    expect(await findPause("dev")).toBeUndefined();
    const operations = JSON.parse(await cloud("operation", "list", "-o", "json")) as {
      items: { metadata: { name: string }; spec: { resumes?: number } }[];
    };
    const { name = "" } = operations.items.find(({ spec }) => spec.resumes === 1)?.metadata ?? {};
    const timeline = await cloud("operation", "get", name, "--timeline");
    expect(timeline).toContain("gate smoke failed, attempt 1 of 1");
    expect(timeline.match(/gate smoke passed/g)).toHaveLength(3);
  });

  test("X040 an old node that appears in the cluster holds the upgrade until it is gone", async () => {
    const client = await createCluster("tf", "terraform", []);
    const nodeInfo = {
      kubeletVersion: "v1.30.4",
      architecture: "amd64",
      bootID: "",
      containerRuntimeVersion: "",
      kernelVersion: "",
    };
    const status = {
      nodeInfo: { ...nodeInfo, kubeProxyVersion: "", machineID: "", operatingSystem: "linux", osImage: "", systemUUID: "" },
    };
    await client.apply({ ...node, metadata: { name: "straggler" }, spec: {}, status });
    await cloud("k8s", "upgrade", "tf", "--version", "1.34");
    await waitUntil("the upgrade is held", async () => (await findPause("tf")) !== undefined, within);
    const pause = await findPause("tf");
    expect(pause).toMatchObject({ reason: "NodesTooOld" });
    expect(pause?.message).toContain("straggler (kubelet v1.30.4)");
    expect((await show("tf")).status.version).toMatch(/^1\.33/);
    await cloud("k8s", "upgrade", "tf", "--abort", "--wait");
    expect(await findPause("tf")).toBeUndefined();
    await client.delete({ ...node, name: "straggler" });
    await cloud("k8s", "upgrade", "tf", "--version", "1.34", "--wait");
    expect((await show("tf")).status.version).toMatch(/^1\.34/);
  });

  test("X040 the agent is killed during a Job gate: the Job runs once, and the upgrade completes", async () => {
    const gate = {
      name: "tests",
      when: ["before"],
      timeoutSeconds: 300,
      job: { namespace: "default", image: "registry.test/tests:1" },
    };
    const client = await createCluster("killed", "direct", [gate]);
    const { items } = await client.list(node);
    // The cordoned node keeps the Job's pod from starting, although the node itself has a supported version.
    for (const { metadata } of items) await client.patch({ ...node, name: metadata.name }, { spec: { unschedulable: true } });
    await cloud("k8s", "upgrade", "killed", "--version", "1.34");
    const listJobs = async () => (await client.list(job, { namespace: "default" })).items.map(({ metadata }) => metadata.uid);
    await waitUntil("the Job exists", async () => (await listJobs()).length === 1, within);
    const [uid] = await listJobs();
    const findLease = async (): Promise<string | undefined> => {
      const tasks = JSON.parse(await cloud("task", "list", "-o", "json")) as {
        items: { spec: { type: string; entityName: string }; status: { state: string; leaseExpiresAt?: string } }[];
      };
      const gates = tasks.items.find(({ spec }) => spec.type === "cluster.gates" && spec.entityName === "killed");
      return gates?.status.state === "LEASED" ? gates.status.leaseExpiresAt : undefined;
    };
    for (const pid of await listChildren(server.pid, "apps/agent")) process.kill(pid, "SIGKILL");
    const last = await findLease();
    expect(last).toBeDefined();
    // The restarted agent continues the task if the lease is still valid. Otherwise it gets the task again.
    await waitUntil(
      "the restarted agent renews the lease",
      async () => {
        const lease = await findLease();
        return lease !== undefined && lease !== last;
      },
      within,
    );
    expect(await listJobs()).toEqual([uid]);
    for (const { metadata } of items) await client.patch({ ...node, name: metadata.name }, { spec: { unschedulable: false } });
    await waitForVersion("killed", "1.34");
    expect(await listJobs()).toEqual([]);
  });

  test("X040 a gate cannot make the agent send requests into its own network, and skipping a gate is recorded", async () => {
    const url = "http://169.254.169.254/latest/meta-data/";
    const client = await createCluster("nosy", "direct", [{ name: "nosy", when: ["before"], retries: 0, http: { url } }]);
    await cloud("k8s", "upgrade", "nosy", "--version", "1.34");
    await waitUntil("the upgrade is paused", async () => (await findPause("nosy")) !== undefined, within);
    expect((await findPause("nosy"))?.message).toContain("does not allow this host");
    const unknown = await runCloud({ home: server.home }, "k8s", "upgrade", "nosy", "--skip-gate", "other");
    expect(unknown.code).not.toBe(0);
    await cloud("k8s", "upgrade", "nosy", "--skip-gate", "nosy", "--wait");
    expect((await show("nosy")).status.version).toMatch(/^1\.34/);
    expect(await cloud("events")).toMatch(/GatesSkipped.*skipping nosy/);
    expect(await cloud("audit")).toMatch(/upgrade +.*Cluster.*nosy/i);
    client.close();
  });

  test("X040 a paused upgrade does not block the deletion of the cluster", async () => {
    await createCluster("stuck", "direct", [{ name: "never", retries: 0, http: { service: { ...service, name: "absent" } } }]);
    await cloud("k8s", "upgrade", "stuck", "--version", "1.34");
    await waitUntil("the upgrade is paused", async () => (await findPause("stuck")) !== undefined, within);
    await cloud("delete", "cluster", "stuck", "--yes", "--wait");
    expect((await runCloud({ home: server.home }, "get", "cluster", "stuck")).code).not.toBe(0);
  });
});
