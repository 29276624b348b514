import { request as sendRequest } from "node:https";
import { AppsV1Api, CoreV1Api, KubeConfig, Watch, type V1ConfigMap } from "@kubernetes/client-node";
import { Secret, systemClock } from "@cloudwright/platform";
import { afterEach, describe, expect, test } from "vitest";
import { defaultLimits } from "../cluster/cluster-budget.ts";
import { createMemoryObjects } from "../objects/memory-objects.ts";
import { startKubernetesHost, type HostLimits, type KubernetesHost } from "./start-host.ts";

describe("limits of simulated clusters", () => {
  const hosts: KubernetesHost[] = [];
  const start = async (limits: Partial<HostLimits>, store = createMemoryObjects()): Promise<KubernetesHost> => {
    const listen = { host: "127.0.0.1", port: 0 };
    const host = await startKubernetesHost({ listen, store, secret: new Secret("installation"), timeScale: 0, limits });
    hosts.push(host);
    return host;
  };
  const connect = async (host: KubernetesHost, id: string): Promise<CoreV1Api> => {
    const config = new KubeConfig();
    config.loadFromString(await host.getKubeconfig(id, "admin"));
    return config.makeApiClient(CoreV1Api);
  };
  const createMap = (core: CoreV1Api, name: string, bytes = 0): Promise<V1ConfigMap> =>
    core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name }, data: { text: "x".repeat(bytes) } } });
  /** Creates objects until the host refuses one. Returns the number of created objects. */
  const fill = async (core: CoreV1Api, bytes = 0): Promise<number> => {
    for (let count = 0; count < 1000; count++) {
      const outcome = await createMap(core, `map-${count}`, bytes).catch((error: { code: number }) => error.code);
      if (outcome === 403) return count;
    }
    throw new Error("no limit was enforced");
  };
  /** Sends a request that has no credentials and a body that never ends. Resolves with the status of the response. */
  const sendEndlessBody = (host: KubernetesHost, path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": String(2 * 1024 * 1024) };
      const sent = sendRequest(`${host.address}${path}`, { method: "POST", headers, rejectUnauthorized: false }, (response) => {
        resolve(response.statusCode ?? 0);
        sent.destroy();
      });
      sent.on("error", reject);
      sent.write("{");
    });

  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
  });

  test("X063 a full cluster refuses new objects, still deletes them, and then accepts new ones", async () => {
    const host = await start({ cluster: { objects: 120, bytes: defaultLimits.cluster.bytes } });
    await host.createCluster("full", { version: "v1.34.1" });
    const core = await connect(host, "full");
    const created = await fill(core);
    expect(created).toBeGreaterThan(10);
    await core.deleteNamespacedConfigMap({ namespace: "default", name: "map-0" });
    await createMap(core, "again");
  });

  test("X063 the controllers of a full cluster fail without affecting other clusters", async () => {
    const host = await start({ cluster: { objects: 10_000, bytes: 2 * 1024 * 1024 } });
    for (const id of ["full", "other"]) await host.createCluster(id, { version: "v1.34.1" });
    const core = await connect(host, "full");
    const ports = [{ port: 80 }];
    await core.createNamespacedService({ namespace: "default", body: { metadata: { name: "web" }, spec: { ports } } });
    await fill(core, 64 * 1024);
    await fill(core, 256).catch(() => 0);
    const body = { metadata: { name: "web" }, spec: { type: "LoadBalancer", ports } };
    const patched = await core.replaceNamespacedService({ namespace: "default", name: "web", body });
    expect(patched.spec?.type).toBe("LoadBalancer");
    await host.settled("full").catch(() => undefined);
    expect((await (await connect(host, "other")).listNamespace()).items.length).toBeGreaterThan(0);
    expect((await core.readNamespacedService({ namespace: "default", name: "web" })).metadata?.name).toBe("web");
  });

  test("X063 numbers that do not fit into their field are refused", async () => {
    const host = await start({});
    await host.createCluster("numbers", { version: "v1.34.1" });
    const config = new KubeConfig();
    config.loadFromString(await host.getKubeconfig("numbers", "admin"));
    const apps = config.makeApiClient(AppsV1Api);
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } };
    const spec = {
      serviceName: "web",
      selector: { matchLabels: labels },
      template,
      podManagementPolicy: "Parallel",
      replicas: 4,
    };
    const create = (first: number): Promise<unknown> => {
      const body = { metadata: { name: `web-${first}` }, spec: { ...spec, ordinals: { start: first } } };
      return apps.createNamespacedStatefulSet({ namespace: "default", body });
    };
    await expect(create(2 ** 53)).rejects.toMatchObject({ code: 422, body: expect.stringMatching(/32-bit integer/) as string });
    await create(2 ** 31 - 1);
    const settled = await apps.listNamespacedStatefulSet({ namespace: "default" });
    expect(settled.items).toHaveLength(1);
  });

  test("X063 the size of a cluster's objects is limited, even for updates", async () => {
    const host = await start({ cluster: { objects: 10_000, bytes: 2 * 1024 * 1024 } });
    await host.createCluster("large", { version: "v1.34.1" });
    const core = await connect(host, "large");
    expect(await fill(core, 200_000)).toBeLessThan(11);
    const grown = { metadata: { name: "map-0" }, data: { text: "x".repeat(900_000) } };
    await expect(core.replaceNamespacedConfigMap({ namespace: "default", name: "map-0", body: grown })).rejects.toMatchObject({
      code: 403,
      body: expect.stringContaining("exceeded quota"),
    });
    const shrunk = { metadata: { name: "map-0" }, data: {} };
    await core.replaceNamespacedConfigMap({ namespace: "default", name: "map-0", body: shrunk });
  });

  test("X063 clusters of one project share a limit that does not affect other projects", async () => {
    const store = createMemoryObjects();
    for (const [id, project] of [
      ["a1", "a"],
      ["a2", "a"],
      ["b1", "b"],
    ] as const)
      await store.createCluster({ id, version: "v1.34.1", createdAtMs: systemClock.now(), project });
    const host = await start({ project: { objects: 300, bytes: defaultLimits.project.bytes } }, store);
    const [first, second, other] = await Promise.all(["a1", "a2", "b1"].map((id) => connect(host, id)));
    await Promise.all([first, second, other].map((core) => (core as CoreV1Api).listNamespace()));
    await fill(first as CoreV1Api);
    await expect(createMap(second as CoreV1Api, "late")).rejects.toMatchObject({ code: 403 });
    await createMap(other as CoreV1Api, "unaffected");
  });

  test("X063 a deployment with too many replicas cannot exceed the limit", async () => {
    const host = await start({ cluster: { objects: 200, bytes: defaultLimits.cluster.bytes } });
    await host.createCluster("replicas", { version: "v1.34.1" });
    await host.setNodes("replicas", [{ name: "n1" }]);
    const core = await connect(host, "replicas");
    const config = new KubeConfig();
    config.loadFromString(await host.getKubeconfig("replicas", "admin"));
    const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const body = { metadata: { name: "many" }, spec: { replicas: 5000, selector: { matchLabels: { app: "x" } }, template } };
    await config.makeApiClient(AppsV1Api).createNamespacedDeployment({ namespace: "default", body });
    await expect.poll(async () => createMap(core, "probe").catch((error: { code: number }) => error.code)).toBe(403);
    const pods = (await core.listPodForAllNamespaces()).items.length;
    expect(pods).toBeGreaterThan(10);
    expect(pods).toBeLessThan(200);
  });

  test("X063 a request beyond the limit of a cluster is rejected, and other clusters are served", async () => {
    const host = await start({ watches: 2 });
    for (const id of ["busy", "calm"]) await host.createCluster(id, { version: "v1.34.1" });
    const watch = async (id: string): Promise<{ status: number; end(): void }> => {
      const token = /token: (\S+)/.exec(await host.getKubeconfig(id, "admin"))?.[1] ?? "";
      return new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}` };
        const url = `${host.address}/clusters/${id}/api/v1/namespaces?watch=true`;
        const sent = sendRequest(url, { headers, rejectUnauthorized: false }, (response) =>
          resolve({ status: response.statusCode ?? 0, end: () => sent.destroy() }),
        );
        sent.on("error", reject).end();
      });
    };
    const open = [await watch("busy"), await watch("busy")];
    expect(open.map(({ status }) => status)).toEqual([200, 200]);
    expect((await watch("busy")).status).toBe(429);
    const calm = await watch("calm");
    expect(calm.status).toBe(200);
    for (const each of [...open, calm]) each.end();
    await expect
      .poll(async () => {
        const next = await watch("busy");
        next.end();
        return next.status;
      })
      .toBe(200);
  });

  test("X063 a caller without permission is rejected before its body is read", async () => {
    const host = await start({});
    await host.createCluster("guarded", { version: "v1.34.1" });
    expect(await sendEndlessBody(host, "/clusters/guarded/api/v1/namespaces/default/configmaps")).toBe(403);
    expect(await sendEndlessBody(host, "/clusters/missing/api/v1/namespaces/default/configmaps")).toBe(404);
  });

  test("X063 idle clusters make room for others of the same project", async () => {
    const host = await start({ awake: 8 });
    for (let count = 0; count < 12; count++) await host.createCluster(`c${count}`, { version: "v1.34.1" });
    expect(host.awake()).toBe(2);
  });

  test("X063 a project cannot exceed its limit by filling one cluster after the other, and nobody loads a cluster anonymously", async () => {
    const store = createMemoryObjects();
    const project = { objects: 150, bytes: defaultLimits.project.bytes };
    for (const id of ["a1", "a2"])
      await store.createCluster({ id, version: "v1.34.1", createdAtMs: systemClock.now(), project: "a" });
    for (const id of ["a1", "a2"]) {
      const host = await start({ project }, store);
      await fill(await connect(host, id));
      await host.close();
    }
    const host = await start({ project }, store);
    expect(await sendEndlessBody(host, "/clusters/a1/api/v1/namespaces/default/configmaps")).toBe(401);
    expect(host.awake()).toBe(0);
    const watcher = await connect(host, "a1");
    expect((await watcher.listNamespacedConfigMap({ namespace: "default" })).items.length).toBeGreaterThan(10);
    const config = new KubeConfig();
    config.loadFromString(await host.getKubeconfig("a1", "admin"));
    const seen: string[] = [];
    const watch = await new Watch(config).watch(
      "/api/v1/namespaces",
      {},
      (type) => seen.push(type),
      () => undefined,
    );
    await expect.poll(() => seen.length).toBeGreaterThan(0);
    const other = await connect(host, "a2");
    await expect(other.listNamespace()).rejects.toMatchObject({ code: 503 });
    expect(host.awake()).toBe(1);
    watch.abort();
    // An idle cluster is unloaded to make room.
    await expect
      .poll(() =>
        other.listNamespace().then(
          () => 200,
          (error: { code: number }) => error.code,
        ),
      )
      .toBe(200);
  });

  test("X063 every project can load some clusters, however many clusters of other projects are in use", async () => {
    const store = createMemoryObjects();
    for (const project of ["a", "b", "c", "d"])
      for (let nth = 0; nth < 4; nth++)
        await store.createCluster({ id: `${project}${nth}`, version: "v1.34.1", createdAtMs: systemClock.now(), project });
    const host = await start({ awake: 16 }, store);
    const watches: { abort(): void }[] = [];
    const occupy = async (id: string): Promise<void> => {
      const config = new KubeConfig();
      config.loadFromString(await host.getKubeconfig(id, "admin"));
      const seen: string[] = [];
      const failed: { statusCode?: number }[] = [];
      watches.push(
        await new Watch(config).watch(
          "/api/v1/namespaces",
          {},
          (type) => seen.push(type),
          (error) => failed.push(error as object),
        ),
      );
      await expect.poll(() => seen.length + failed.length).toBeGreaterThan(0);
      expect(failed).toEqual([]);
    };
    for (const project of ["a", "b", "c"]) for (let nth = 0; nth < 4; nth++) await occupy(`${project}${nth}`);
    await occupy("d0");
    await occupy("d1");
    await expect((await connect(host, "d2")).listNamespace()).rejects.toMatchObject({ code: 503 });
    for (const watch of watches) watch.abort();
  });

  test("X063 clusters are loaded when they are used, and get the nodes that were set beforehand", async () => {
    const store = createMemoryObjects();
    const first = await start({}, store);
    for (const id of ["one", "two"]) await first.createCluster(id, { version: "v1.34.1" });
    await first.close();
    const second = await start({ awake: 1 }, store);
    for (const id of ["one", "two"]) await second.setNodes(id, [{ name: `${id}-node` }]);
    expect(second.awake()).toBe(0);
    for (const id of ["one", "two", "one"]) {
      const { items } = await (await connect(second, id)).listNode();
      expect(items.map(({ metadata }) => metadata?.name)).toEqual([`${id}-node`]);
      expect(second.awake()).toBe(1);
    }
  });
});
