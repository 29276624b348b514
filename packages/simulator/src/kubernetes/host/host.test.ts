import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  VersionApi,
  Watch,
  type V1ConfigMap,
} from "@kubernetes/client-node";
import { Secret, systemClock } from "@cloudwright/platform";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { simulatorFaults } from "../../faults.ts";
import { namesOnly } from "../controllers/cloud-hooks.ts";
import { createFileObjects } from "../objects/file-objects.ts";
import type { ClusterRecord } from "../objects/kubernetes-objects.ts";
import { createMemoryObjects } from "../objects/memory-objects.ts";
import type { TokenOrigin } from "./cluster-access.ts";
import { createClusterCredentials } from "./cluster-credentials.ts";
import { startKubernetesHost, type KubernetesHost, type KubernetesHostOptions } from "./start-host.ts";

describe("host of simulated clusters", () => {
  let directory: string;
  const hosts: KubernetesHost[] = [];
  const start = async (change: Partial<KubernetesHostOptions> = {}): Promise<KubernetesHost> => {
    const base = {
      listen: { host: "127.0.0.1", port: 0 },
      store: createFileObjects(directory),
      secret: new Secret("installation"),
      timeScale: 0,
    };
    // Another process may briefly use a released port for an outgoing connection, so starting is retried.
    let host: KubernetesHost | undefined;
    await vi.waitFor(async () => (host = await startKubernetesHost({ ...base, ...change })), { timeout: 60_000 });
    hosts.push(host as KubernetesHost);
    return host as KubernetesHost;
  };
  const connect = (kubeconfig: string): KubeConfig => {
    const config = new KubeConfig();
    config.loadFromString(kubeconfig);
    return config;
  };
  // The first request may fail because the client reuses a connection that the previous host has just closed.
  const awaitAnswer = async (core: CoreV1Api): Promise<void> => {
    await vi.waitFor(() => core.listNamespace(), { timeout: 60_000 });
  };
  const statusOf = (error: unknown): number => (error instanceof ApiException ? error.code : 0);

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "host-"));
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
  });
  afterAll(() => rm(directory, { recursive: true }));

  test("M130 a GKE cluster has GKE's gateway classes if the Gateway API is enabled, and no Gateway API otherwise", async () => {
    const hooks = { ...namesOnly, hasGateways: async (id: string) => id === "with" };
    const host = await start({ store: createMemoryObjects(), hooks });
    const list = async (id: string): Promise<unknown> => {
      await host.createCluster(id, { version: "v1.34.3", cloud: "gcp" });
      const objects = connect(await host.getKubeconfig(id, "admin")).makeApiClient(CustomObjectsApi);
      return objects.listClusterCustomObject({ group: "gateway.networking.k8s.io", version: "v1", plural: "gatewayclasses" });
    };
    const { items } = (await list("with")) as { items: { metadata: { name: string }; spec: object }[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual([
      "gke-l7-global-external-managed",
      "gke-l7-gxlb",
      "gke-l7-regional-external-managed",
      "gke-l7-rilb",
    ]);
    expect(items[0]?.spec).toMatchObject({ controllerName: "networking.gke.io/gateway" });
    expect(await list("without").catch(statusOf)).toBe(404);
  });

  test("M130 a kubeconfig still works after a restart, and the objects are preserved", async () => {
    const first = await start();
    await first.createCluster("lasting", { version: "v1.32.4" });
    await first.setNodes("lasting", [{ name: "n1" }]);
    const kubeconfig = await first.getKubeconfig("lasting", "admin");
    const core = connect(kubeconfig).makeApiClient(CoreV1Api);
    await core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name: "kept" }, data: { a: "b" } } });
    await first.settled("lasting");
    await first.close();
    const second = await start({ listen: { host: "127.0.0.1", port: first.port } });
    expect(await second.getKubeconfig("lasting", "admin")).toBe(kubeconfig);
    await awaitAnswer(core);
    expect((await core.readNamespacedConfigMap({ namespace: "default", name: "kept" })).data).toEqual({ a: "b" });
    const pods = await core.listPodForAllNamespaces();
    expect(pods.items.map(({ status }) => status?.phase)).toEqual(["Running", "Running", "Running", "Running"]);
  });

  test("M183 a token is valid until it expires, and neither its expiry nor its role can be altered", async () => {
    const clock = { ...systemClock, nowMs: systemClock.now(), now: () => clock.nowMs };
    const host = await start({ clock, store: createMemoryObjects() });
    await host.createCluster("ending", { version: "v1.34.1" });
    const [record] = await host.listClusters();
    const credentials = createClusterCredentials({ secret: new Secret("installation"), address: host.address }, record as never);
    const expiresAt = new Date(Math.floor(clock.nowMs / 1000) * 1000 + 600_000);
    const kubeconfig = credentials.kubeconfigFor("viewer", expiresAt).reveal();
    const core = connect(kubeconfig).makeApiClient(CoreV1Api);
    const later = kubeconfig.replace(String(expiresAt.getTime() / 1000), String(expiresAt.getTime() / 1000 + 3600));
    const admin = kubeconfig.replace("token: viewer.", "token: admin.");
    expect(new Set([kubeconfig, later, admin]).size).toBe(3);
    const look = (text: string): Promise<unknown> =>
      connect(text).makeApiClient(CoreV1Api).listNamespacedPod({ namespace: "default" });
    await look(kubeconfig);
    await expect(core.deleteNamespace({ name: "default" })).rejects.toMatchObject({ code: 403 });
    for (const forged of [later, admin]) await expect(look(forged)).rejects.toMatchObject({ code: 401 });
    clock.nowMs = expiresAt.getTime();
    await expect(look(kubeconfig)).rejects.toMatchObject({ code: 401 });
  });

  test("M183 M006 a kubeconfig becomes invalid with the credential that was used to request it, and that credential cannot be altered", async () => {
    const valid = new Set(["key-1~a", "key-2~b"]);
    const isSourceValid = async ({ source }: TokenOrigin): Promise<boolean> => valid.has(source);
    const host = await start({ store: createMemoryObjects(), isSourceValid });
    await host.createCluster("bound", { version: "v1.34.1" });
    const [record] = await host.listClusters();
    const credentials = createClusterCredentials({ secret: new Secret("installation"), address: host.address }, record as never);
    const tomorrow = new Date(systemClock.now() + 86_400_000);
    const kubeconfig = credentials.kubeconfigFor("admin", tomorrow, "key-1~a").reveal();
    const look = (text: string): Promise<unknown> => connect(text).makeApiClient(CoreV1Api).listNamespace();
    await look(kubeconfig);
    for (const forged of [kubeconfig.replace("key-1~a", "key-2~b"), kubeconfig.replace("key-1~a.", "")])
      await expect(look(forged)).rejects.toMatchObject({ code: 401 });
    valid.delete("key-1~a");
    await expect(look(kubeconfig)).rejects.toMatchObject({ code: 401 });
    await look(credentials.kubeconfigFor("admin", tomorrow, "key-2~b").reveal());
  });

  test.each(["its API key is revoked", "its holder loses the role", "its token expires"])(
    "M183 M006 an open watch ends when %s",
    async (reason) => {
      const clock = { ...systemClock, nowMs: systemClock.now(), now: () => clock.nowMs };
      const valid = new Set(["key-1~a"]);
      const roles = new Set(["viewer in watching"]);
      const isSourceValid = async ({ source, role }: TokenOrigin, { id }: ClusterRecord): Promise<boolean> =>
        valid.has(source) && roles.has(`${role} in ${id}`);
      const host = await start({ clock, store: createMemoryObjects(), isSourceValid });
      await host.createCluster("watching", { version: "v1.34.1" });
      const [record] = await host.listClusters();
      const credentials = createClusterCredentials(
        { secret: new Secret("installation"), address: host.address },
        record as never,
      );
      const kubeconfig = credentials.kubeconfigFor("viewer", new Date(clock.nowMs + 600_000), "key-1~a").reveal();
      const seen: string[] = [];
      const ended = new Promise<unknown>((resolve, reject) => {
        const watch = new Watch(connect(kubeconfig));
        watch.watch("/api/v1/namespaces", {}, (type) => seen.push(type), resolve).catch(reject);
      });
      await expect.poll(() => seen.length).toBeGreaterThan(0);
      if (reason.includes("key")) valid.clear();
      else if (reason.includes("role")) roles.clear();
      else clock.nowMs += 600_000;
      await ended;
    },
  );

  test("M183 a host without lasting tokens rejects tokens that never expire", async () => {
    const host = await start({ store: createMemoryObjects(), lastingTokens: false });
    await host.createCluster("strict", { version: "v1.34.1" });
    const look = async (): Promise<unknown> =>
      connect(await host.getKubeconfig("strict", "admin"))
        .makeApiClient(CoreV1Api)
        .listNamespace();
    await expect(look()).rejects.toMatchObject({ code: 401 });
  });

  test("M130 an informer continues after a restart of the host", async () => {
    const first = await start();
    await first.createCluster("watched", { version: "v1.32.4" });
    const config = connect(await first.getKubeconfig("watched", "admin"));
    const core = config.makeApiClient(CoreV1Api);
    const create = (name: string): Promise<V1ConfigMap> =>
      core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name } } });
    const informer = makeInformer(config, "/api/v1/namespaces/default/configmaps", () =>
      core.listNamespacedConfigMap({ namespace: "default" }),
    );
    const seen = new Set<string>();
    informer.on("add", ({ metadata }) => seen.add(metadata?.name ?? ""));
    informer.on("delete", ({ metadata }) => seen.delete(metadata?.name ?? ""));
    // The informer stops after an error and expects its caller to restart it.
    const again = (): void => void informer.start().catch(() => setTimeout(again, 50));
    informer.on("error", () => setTimeout(again, 50));
    await informer.start();
    await create("before");
    await expect.poll(() => seen.has("before")).toBe(true);
    await first.close();
    await start({ listen: { host: "127.0.0.1", port: first.port } });
    await awaitAnswer(core);
    await create("after");
    await core.deleteNamespacedConfigMap({ namespace: "default", name: "before" });
    await expect.poll(() => [seen.has("after"), seen.has("before")]).toEqual([true, false]);
    await informer.stop();
  });

  test("X010 a deletion that waits for the cloud continues after a restart without any request", async () => {
    const store = createMemoryObjects();
    const deleted: string[] = [];
    const first = await start({ store, hooks: { ...namesOnly, deleteLoadBalancer: () => new Promise(() => undefined) } });
    await first.createCluster("waiting", { version: "v1.32.4" });
    const core = connect(await first.getKubeconfig("waiting", "admin")).makeApiClient(CoreV1Api);
    const made = await core.createNamespacedService({
      namespace: "default",
      body: { metadata: { name: "lb" }, spec: { type: "LoadBalancer", ports: [{ port: 80 }] } },
    });
    await first.settled("waiting");
    await core.deleteNamespacedService({ namespace: "default", name: "lb" });
    expect((await core.readNamespacedService({ namespace: "default", name: "lb" })).metadata?.deletionTimestamp).toBeDefined();
    await first.close();
    const hooks = { ...namesOnly, deleteLoadBalancer: async (_: string, uid: string) => void deleted.push(uid) };
    await start({ store, hooks });
    await expect.poll(() => deleted).toEqual([made.metadata?.uid]);
    await expect
      .poll(() => store.load("waiting").then(({ objects }) => objects.some(({ key }) => key.name === "lb")))
      .toBe(false);
  });

  test("M130 clusters share a port and nothing else", async () => {
    const host = await start({ store: createMemoryObjects() });
    await host.createCluster("red", { version: "v1.31.0" });
    await host.createCluster("blue", { version: "1.32.1" });
    const [red, blue] = [connect(await host.getKubeconfig("red", "admin")), connect(await host.getKubeconfig("blue", "admin"))];
    expect((await red.makeApiClient(VersionApi).getCode()).gitVersion).toBe("v1.31.0");
    expect((await blue.makeApiClient(VersionApi).getCode()).gitVersion).toBe("v1.32.1");
    expect(red.clusters[0]?.caData).not.toBe(blue.clusters[0]?.caData);
    const stolen = connect((await host.getKubeconfig("blue", "admin")).replace(/token: .*/, `token: ${red.users[0]?.token}`));
    expect(await stolen.makeApiClient(CoreV1Api).listNode().catch(statusOf)).toBe(401);
    const watching = new Watch(red).watch(
      "/api/v1/nodes",
      {},
      () => undefined,
      () => ended.push("red"),
    );
    const ended: string[] = [];
    await watching;
    await host.setVersion("red", "v1.32.0");
    await expect.poll(() => ended).toEqual(["red"]);
    expect((await red.makeApiClient(VersionApi).getCode()).gitVersion).toBe("v1.32.0");
    expect(await host.deleteCluster("red")).toBe(true);
    expect(await host.deleteCluster("red")).toBe(false);
    await expect(host.getKubeconfig("red", "admin")).rejects.toMatchObject({ code: simulatorFaults.no_such_cluster.code });
    await expect(host.createCluster("blue", { version: "1.32.1" })).rejects.toMatchObject({
      code: simulatorFaults.cluster_exists.code,
    });
    await expect(host.createCluster("Blue!", { version: "1.32.1" })).rejects.toMatchObject({
      code: simulatorFaults.bad_cluster_id.code,
    });
  });

  test("M130 a new cluster with an old id does not accept old credentials", async () => {
    let nowMs = Date.UTC(2026, 5, 1);
    const clock = { now: () => (nowMs += 2_000), sleep: () => new Promise<void>(() => undefined) };
    const host = await start({ store: createMemoryObjects(), clock });
    await host.createCluster("phoenix", { version: "v1.32.4" });
    const old = connect(await host.getKubeconfig("phoenix", "admin")).users[0]?.token;
    await host.deleteCluster("phoenix");
    await host.createCluster("phoenix", { version: "v1.32.4" });
    expect(connect(await host.getKubeconfig("phoenix", "admin")).users[0]?.token).not.toBe(old);
  });

  test("M130 an idle cluster is unloaded, and keeps its objects when it is loaded again", async () => {
    const host = await start({ store: createMemoryObjects(), idleMs: 1 });
    await host.createCluster("sleepy", { version: "v1.32.4" });
    await host.settled("sleepy");
    await expect.poll(() => host.awake()).toBe(0);
    const core = connect(await host.getKubeconfig("sleepy", "viewer")).makeApiClient(CoreV1Api);
    const list = await core.listNamespace();
    expect(list.items.map(({ metadata }) => metadata?.name)).toEqual([
      "default",
      "kube-node-lease",
      "kube-public",
      "kube-system",
    ]);
  });

  test("M130 when two hosts serve the same clusters, the one with stale objects reloads before it writes", async () => {
    const store = createMemoryObjects();
    const one = await start({ store });
    await one.createCluster("shared", { version: "v1.32.4" });
    await one.settled("shared");
    const late = await start({ store });
    const create = (host: KubernetesHost, name: string): Promise<unknown> =>
      host.getKubeconfig("shared", "admin").then((text) =>
        connect(text)
          .makeApiClient(CoreV1Api)
          .createNamespacedConfigMap({ namespace: "default", body: { metadata: { name } } }),
      );
    await expect.poll(() => late.awake()).toBe(0);
    await create(late, "zero");
    expect(await create(one, "first").catch(statusOf)).toBe(500);
    await create(one, "first");
    expect(await create(late, "second").catch(statusOf)).toBe(500);
    await create(late, "second");
    const { objects } = await store.load("shared");
    expect(
      objects
        .filter(({ key }) => key.resource === "configmaps" && key.namespace === "default")
        .map(({ key }) => key.name)
        .toSorted(),
    ).toEqual(["first", "kube-root-ca.crt", "second", "zero"]);
  });

  test("M130 tokens of cloud identities are accepted if the host knows their user", async () => {
    const host = await start({
      store: createMemoryObjects(),
      authenticate: async (cluster, token) =>
        token === `sts.${cluster}` ? { name: "arn:role", groups: ["system:masters"] } : undefined,
    });
    await host.createCluster("eks", { version: "v1.32.4" });
    const { server, certificateAuthorityPem } = await host.getEndpoint("eks");
    const config = new KubeConfig();
    // Sends no server name, because cloud APIs return only a cluster's address and certificate authority.
    config.loadFromClusterAndUser(
      { name: "c", server, caData: Buffer.from(certificateAuthorityPem).toString("base64"), skipTLSVerify: false },
      { name: "u", token: "sts.eks" },
    );
    expect((await config.makeApiClient(CoreV1Api).listNamespace()).items).toHaveLength(4);
  });
});
