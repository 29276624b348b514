import type { JsonObject } from "@cloudwright/contract";
import { processEnvironment, requireTool } from "@cloudwright/platform";
import { ApiException, CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from "@kubernetes/client-node";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createAdminCalls } from "../admin-calls.ts";
import { dumpTables } from "../canaries/dump.ts";
import { runCloud } from "../cloud-command.ts";
import { createHome, removeHome } from "../home-directory.ts";
import { startServer, type RunningServer } from "../server.ts";
import { openSimulatedCloud } from "../simulated-cloud.ts";
import { plantOutputs, startStandIn } from "../stand-in-cluster.ts";
import { waitUntil } from "../wait-until.ts";

const terraform = requireTool("terraform");
const kubectl = requireTool("kubectl");
if (!terraform.found) console.log(`skipped: ${terraform.reason}`);
if (!kubectl.found) console.log(`skipped the kubectl checks: ${kubectl.reason}`);

const within = { timeout: 60_000 };

describe.skipIf(!terraform.found)("a cluster of a simulated account", () => {
  let home: string;
  let server: RunningServer;
  let kubeconfig: string;
  let core: CoreV1Api;

  const cloud = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await runCloud({ home }, ...args);
    if (code !== 0) throw new Error(`cloud ${args.join(" ")}: ${err}`);
    return out;
  };
  const connect = (text: string): KubeConfig => {
    const config = new KubeConfig();
    config.loadFromString(text);
    return config;
  };
  const inCloud = openSimulatedCloud(() => createAdminCalls(server));
  const createMap = (name: string): Promise<V1ConfigMap> =>
    core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name } } });

  beforeAll(async () => {
    home = await createHome();
    const environment = { PATH: processEnvironment["PATH"] };
    server = await startServer({ home, environment });
    await cloud("account", "create", "sim", "--cloud", "aws", "--simulated", "--wait");
    await cloud("network", "create", "net", "--account", "sim", "--region", "eu-west-1", "--zones", "a,b", "--wait");
    await cloud("k8s", "create", "dev", "--network", "net", "--workers", "2");
    const hasAccess = async (): Promise<boolean> => (await runCloud({ home }, "k8s", "kubeconfig", "dev")).code === 0;
    await waitUntil("the cluster has a kubeconfig", hasAccess);
    kubeconfig = await cloud("k8s", "kubeconfig", "dev");
    core = connect(kubeconfig).makeApiClient(CoreV1Api);
  });
  afterAll(async () => {
    await server?.stop();
    await removeHome(home);
  });

  test("M017 M130 the API answers at the address that Terraform received, and the nodes are ready", async () => {
    const [record] = await inCloud.list("aws_eks_cluster");
    const endpoint = connect(kubeconfig).getCurrentCluster()?.server;
    expect(record?.attributes["endpoint"]).toBe(endpoint);
    expect(JSON.parse(await cloud("k8s", "get", "dev", "-o", "json"))).toMatchObject({ status: { endpoint } });
    const ready = async (): Promise<number> =>
      (await core.listNode()).items.filter(({ status }) =>
        status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True"),
      ).length;
    await expect.poll(ready, within).toBe(2);
  });

  test.skipIf(!kubectl.found)("M017 kubectl can use the cluster", () => {
    const file = join(home, "kubeconfig");
    writeFileSync(file, kubeconfig, { mode: 0o600 });
    const run = (...args: string[]): string =>
      execFileSync(kubectl.found ? kubectl.path : "", args, { encoding: "utf8", env: { HOME: home, KUBECONFIG: file } });
    expect(run("get", "nodes", "--no-headers").trim().split("\n")).toHaveLength(2);
    expect(run("create", "deployment", "web", "--image=web", "--replicas=2")).toContain("created");
    expect(run("rollout", "status", "deployment/web", "--timeout=60s")).toContain("successfully rolled out");
  });

  test("M130 a viewer's kubeconfig can read but not change objects", async () => {
    const viewer = connect(await cloud("k8s", "kubeconfig", "dev", "--role", "viewer")).makeApiClient(CoreV1Api);
    expect((await viewer.listNode()).items).toHaveLength(2);
    const change = viewer.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name: "mine" } } });
    expect(await change.catch((error: unknown) => (error as ApiException<unknown>).code)).toBe(403);
  });

  test("M183 M182 for a real cluster, the agent obtains a kubeconfig by role that needs no AWS and expires, and no store holds it in clear text", async () => {
    const keyId = "AKIAIOSFODNN7EXAMPLE";
    const standIn = await startStandIn("prod-1", keyId);
    onTestFinished(() => standIn.host.close());
    const calls = createAdminCalls(server);
    const make = async (kind: string, spec: JsonObject): Promise<string> => {
      const response = await calls.send("POST", `/v1/projects/default/${kind}`, {
        metadata: { name: "prod", paused: true },
        spec,
      });
      return ((await response.json()) as { metadata: { uid: string } }).metadata.uid;
    };
    await make("accounts", { aws: { accessKeyId: keyId, secretAccessKey: "wJalrXUtnFEMI" } });
    await make("networks", { account: "prod", region: "eu-west-1" });
    await plantOutputs(server.database, await make("clusters", { network: "prod" }), standIn.outputs);

    const asked = [["--role", "viewer"], ["--role", "viewer"], []].map((more) => cloud("k8s", "kubeconfig", "prod", ...more));
    const [viewers = "", again = "", admins = ""] = await Promise.all(asked);
    expect(again).toBe(viewers);
    const viewer = connect(viewers).makeApiClient(CoreV1Api);
    expect((await viewer.listNode()).items).toHaveLength(1);
    await viewer.listPodForAllNamespaces();
    const refused = [viewer.listSecretForAllNamespaces(), viewer.deleteNamespace({ name: "default" })];
    for (const attempt of refused) await expect(attempt).rejects.toMatchObject({ code: 403 });
    const secret = { metadata: { name: "made" }, stringData: { a: "b" } };
    await connect(admins).makeApiClient(CoreV1Api).createNamespacedSecret({ namespace: "default", body: secret });

    expect(standIn.entered.length).toBeGreaterThan(0);
    const stored = `${await dumpTables(server.database)}${server.process.stderr()}${server.process.stdout()}`;
    for (const text of [viewers, admins]) {
      const token = connect(text).getCurrentUser()?.token ?? "";
      const [, claims = ""] = token.split(".");
      expect((JSON.parse(Buffer.from(claims, "base64url").toString()) as { exp: number; iat: number }).exp).toBeGreaterThan(0);
      expect([stored.includes(token), stored.includes(Buffer.from(token).toString("hex"))]).toEqual([false, false]);
    }
    expect(stored).toContain("cluster_token");
  });

  test("M032 load balancers and volumes exist in the account, tagged like those of the real controllers", async () => {
    const spec = { type: "LoadBalancer", selector: { app: "web" }, ports: [{ port: 80 }] };
    await core.createNamespacedService({ namespace: "default", body: { metadata: { name: "web" }, spec } });
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } } };
    const data = { metadata: { name: "data" }, spec: claim };
    await core.createNamespacedPersistentVolumeClaim({ namespace: "default", body: data });
    const volumes = [{ name: "d", persistentVolumeClaim: { claimName: "data" } }];
    const pod = { metadata: { name: "user" }, spec: { volumes, containers: [{ name: "c", image: "i" }] } };
    await core.createNamespacedPod({ namespace: "default", body: pod });
    const [cluster] = await inCloud.list("aws_eks_cluster");
    const owned = { [`kubernetes.io/cluster/${cluster?.id}`]: "owned" };
    await expect.poll(() => inCloud.list("aws_ebs_volume"), within).toMatchObject([{ attributes: { size: 5, tags: owned } }]);
    await expect.poll(() => inCloud.list("aws_lb"), within).toMatchObject([{ attributes: { tags: owned } }]);
    expect(await inCloud.list("aws_network_interface")).toHaveLength(2);
    await core.deleteNamespacedService({ namespace: "default", name: "web" });
    await expect.poll(() => inCloud.list("aws_lb"), within).toEqual([]);
  });

  test("M130 X031 after a kill of the control plane the same kubeconfig works, objects are preserved, and an informer continues", async () => {
    await createMap("before");
    const config = connect(kubeconfig);
    const seen = new Set<string>();
    const informer = makeInformer(config, "/api/v1/namespaces/default/configmaps", () =>
      core.listNamespacedConfigMap({ namespace: "default" }),
    );
    informer.on("add", ({ metadata }) => void seen.add(metadata?.name ?? ""));
    // An informer stops after an error, and the program that uses it must restart it.
    const again = (): void => void informer.start().catch(() => setTimeout(again, 100));
    informer.on("error", () => void setTimeout(again, 100));
    await informer.start();
    await expect.poll(() => seen.has("before"), within).toBe(true);

    await server.kill9();
    server = await startServer({ home, environment: { PATH: processEnvironment["PATH"] } });
    expect(connect(await cloud("k8s", "kubeconfig", "dev")).getCurrentCluster()).toEqual(config.getCurrentCluster());
    await expect.poll(() => createMap("after").catch(() => undefined), within).toBeDefined();
    await expect.poll(() => seen.has("after"), within).toBe(true);
    await informer.stop();
    expect((await core.readNamespacedConfigMap({ namespace: "default", name: "before" })).metadata?.name).toBe("before");
  });

  test("M030 changes in the cloud appear in the cluster, and a cluster that is missing from the cloud is no longer served", async () => {
    const [group] = await inCloud.list("aws_eks_node_group");
    const scaling = ((group?.attributes["scaling_config"] ?? []) as object[]).map((config) => ({ ...config, desired_size: 3 }));
    await inCloud.change({ type: "aws_eks_node_group", id: group?.id ?? "" }, { scaling_config: scaling });
    await expect.poll(async () => (await core.listNode()).items.length, within).toBe(3);
    await cloud("sim", "reset", "--yes");
    const code = (): Promise<number> =>
      core.listNode().then(
        () => 200,
        (error: unknown) => (error as ApiException<unknown>).code,
      );
    await expect.poll(code, within).toBe(404);
  });
});
