import type { EntityJson, JsonObject } from "@cloudwright/contract";
import { createKubeClient, type KubeClient } from "@cloudwright/kube";
import { readKubeconfig } from "@cloudwright/kube/testing";
import { requireTool } from "@cloudwright/platform";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { fillCluster } from "../cluster-contents.ts";
import { startServer, type RunningServer } from "../server.ts";
import { openSimulatedCloud } from "../simulated-cloud.ts";
import { waitUntil } from "../wait-until.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);
const project = "/v1/projects/default";
const path = `${project}/clusters/dev`;
const patienceMs = 120_000;

const banner = `name: banner
version: "1.0.0"
values: { text: hello }
manifests:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: banner, namespace: default }, data: { text: "{{values.text}} from {{region}}" } }
`;

describe.skipIf(!tool.found)("add-ons of a cluster are installed, and removed without leftovers", () => {
  let folder: string;
  let server: RunningServer;
  let calls: AdminCalls;
  let client: KubeClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "add-ons-"));
    await writeFile(join(folder, "banner.yaml"), banner);
    server = await startServer({ environment: { CLOUDWRIGHT_AGENT_ADDONS: folder } });
    calls = createAdminCalls(server);
  });
  afterAll(async () => {
    client?.close();
    await server?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  const isIn = async (phase: string, generation: number): Promise<EntityJson> => {
    const holds = async (): Promise<boolean> => {
      const { status, metadata } = await calls.get(path);
      return status["phase"] === phase && metadata.generation === generation;
    };
    await waitUntil(`dev is ${phase} at generation ${generation}`, holds, patienceMs);
    return calls.get(path);
  };
  const addOnsOf = ({ status }: EntityJson): Record<string, string> =>
    Object.fromEntries(((status["addOns"] ?? []) as { name: string; phase: string }[]).map(({ name, phase }) => [name, phase]));
  const ask = async (...addOns: JsonObject[]): Promise<void> => {
    const response = await calls.send("PATCH", path, { spec: { addOns } });
    if (!response.ok) throw new Error(await response.text());
  };
  const config = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "banner" };

  test("M044 M131 a plain cluster with its defaults runs on a machine that has only Terraform", async () => {
    await calls.create(`${project}/accounts`, { metadata: { name: "acme" }, spec: { aws: {}, simulated: true } });
    const place = { account: "acme", region: "eu-west-1", cidr: "10.0.0.0/16", zones: ["a", "b"] };
    await calls.create(`${project}/networks`, { metadata: { name: "main" }, spec: place });
    await calls.create(`${project}/clusters`, { metadata: { name: "dev" }, spec: { network: "main", workers: 1 } });
    const cluster = await isIn("RUNNING", 1);
    expect(cluster.status).toMatchObject({ readyNodes: 1, serverVersion: expect.stringMatching(/^v1\./) });
    expect(addOnsOf(cluster)).toMatchObject({ "storage-class": "READY", "metrics-server": "READY" });
    const answer = await calls.send("POST", `${path}:kubeconfig`, {});
    client = createKubeClient(readKubeconfig(((await answer.json()) as { kubeconfig: string }).kubeconfig));
  });

  test("M135 M235 add-ons are installed, changed, rejected by name, and removed", async () => {
    const loud = { name: "banner", configuration: JSON.stringify({ text: "hi" }) };
    await ask(loud, { name: "nobody-knows" });
    const degraded = await isIn("DEGRADED", 2);
    expect(addOnsOf(degraded)).toMatchObject({ "storage-class": "READY", banner: "READY", "nobody-knows": "FAILED" });
    expect(degraded.status["message"]).toContain("nobody-knows");
    expect((await client.get(config))["data"]).toEqual({ text: "hi from eu-west-1" });
    await ask();
    expect(addOnsOf(await isIn("RUNNING", 3))).not.toHaveProperty("banner");
    expect(await client.find(config)).toBeUndefined();
  });

  test("X010 X082 deleting a cluster also deletes its load balancer and volume, which the timeline lists first, and the account is empty", async () => {
    await fillCluster(calls, "dev", "acme");
    const cloud = openSimulatedCloud(() => calls, `${project}/accounts/acme`);
    const made = async (): Promise<string[]> => (await cloud.list()).map(({ type }) => type);
    const account = `${project}/accounts/acme`;
    const own = (await cloud.list()).filter(({ type }) => type === "aws_lb" || type === "aws_ebs_volume");
    await calls.send("DELETE", `${project}/networks/main?cascade=true`);
    const { operation = "" } = (await calls.get(path)).metadata;
    await waitUntil(
      "the network is gone",
      async () => (await calls.send("GET", `${project}/networks/main`)).status === 404,
      patienceMs,
    );
    expect(await made()).toEqual([]);
    const answer = await calls.send("GET", `${project}/operations/${operation}/timeline?logLines=1000`);
    const told = ((await answer.json()) as { items: { message: string }[] }).items.map(({ message }) => message);
    const listed = told.filter((message) => message.startsWith("to be deleted: "));
    for (const name of ["aws_eks_cluster dev", "Service default/web", ...own.map(({ id }) => id)])
      expect([name, listed.filter((line) => line.includes(name)).length]).toEqual([name, 1]);
    expect(told.findIndex((message) => message.startsWith("deleting "))).toBeGreaterThan(0);
    await calls.send("DELETE", account);
  });
});
