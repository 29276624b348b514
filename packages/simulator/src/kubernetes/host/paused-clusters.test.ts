import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { Secret, systemClock } from "@cloudwright/platform";
import { afterEach, describe, expect, test } from "vitest";
import { createMemoryObjects } from "../objects/memory-objects.ts";
import { startKubernetesHost, type KubernetesHost, type KubernetesHostOptions } from "./start-host.ts";

describe("clusters that crashed their host", () => {
  const hosts: KubernetesHost[] = [];
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
  });
  const start = async (options: Partial<KubernetesHostOptions>): Promise<KubernetesHost> => {
    const listen = { host: "127.0.0.1", port: 0 };
    const store = createMemoryObjects();
    const host = await startKubernetesHost({ listen, store, secret: new Secret("installation"), timeScale: 0, ...options });
    hosts.push(host);
    return host;
  };
  const connect = async (host: KubernetesHost, id: string): Promise<CoreV1Api> => {
    const config = new KubeConfig();
    config.loadFromString(await host.getKubeconfig(id, "admin"));
    return config.makeApiClient(CoreV1Api);
  };

  test("X063 a paused cluster is not loaded, not even to resume its deletions, its owner is told why, and others are served", async () => {
    const store = createMemoryObjects();
    const first = await start({ store });
    for (const id of ["bad", "good"]) {
      await first.createCluster(id, { version: "v1.34.1" });
      const core = await connect(first, id);
      const metadata = { name: "stuck", finalizers: ["x.io/keep"] };
      await core.createNamespacedConfigMap({ namespace: "default", body: { metadata } });
      await core.deleteNamespacedConfigMap({ namespace: "default", name: "stuck" });
    }
    await first.close();
    const pauses = new Map([["bad", new Date(systemClock.now() + 3_600_000)]]);
    const troubles: string[] = [];
    const host = await start({
      store,
      findPause: async (id) => pauses.get(id),
      onTrouble: (message) => troubles.push(message),
    });
    await expect.poll(() => troubles.some((trouble) => trouble.startsWith("cluster bad:"))).toBe(true);
    const owner = await connect(host, "bad");
    await expect(owner.listNamespace()).rejects.toMatchObject({
      code: 503,
      body: expect.stringContaining("reset its simulated account") as string,
    });
    await (await connect(host, "good")).listNamespace();
    expect(host.awake()).toBe(1);
    pauses.clear();
    await owner.listNamespace();
  });

  test("X063 the trace names the cluster that is being loaded, and the one for which work runs", async () => {
    const store = createMemoryObjects();
    const loading: (string | undefined)[] = [];
    const running = new Set<string>();
    let current: string | undefined;
    let atLoad: string | undefined;
    let seen: string | undefined;
    const trace = {
      setLoading(id: string | undefined): void {
        loading.push(id);
        atLoad = id;
      },
      setRunning(id: string | undefined): void {
        current = id;
        if (id !== undefined) running.add(id);
      },
    };
    const watched = {
      ...store,
      load: (id: string) => ((seen = atLoad), store.load(id)),
    };
    const host = await start({ store: watched, trace });
    await host.createCluster("one", { version: "v1.34.1" });
    await (await connect(host, "one")).listNamespace();
    await host.settled("one");
    expect(loading).toEqual(["one", undefined]);
    expect(seen).toBe("one");
    expect([...running]).toEqual(["one"]);
    expect(current).toBeUndefined();
  });
});
