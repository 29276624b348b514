import { request as sendRequest } from "node:https";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { Secret } from "@cloudwright/platform";
import { afterEach, describe, expect, test } from "vitest";
import { createMemoryObjects } from "../objects/memory-objects.ts";
import { startKubernetesHost, type HostLimits, type KubernetesHost } from "./start-host.ts";

interface Sent {
  readonly status: number;
  end(): void;
}

describe("callers without a valid credential", () => {
  const hosts: KubernetesHost[] = [];
  const sent: Sent[] = [];
  afterEach(async () => {
    for (const request of sent.splice(0)) request.end();
    for (const host of hosts.splice(0)) await host.close();
  });
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
  /** Sends a request whose body never ends. Resolves when the response arrives. */
  const send = (host: KubernetesHost, method: string, path: string, token?: string): Promise<Sent> =>
    new Promise((resolve, reject) => {
      const headers = { "content-length": "1000", ...(token !== undefined && { authorization: `Bearer ${token}` }) };
      const request = sendRequest(`${host.address}${path}`, { method, headers, rejectUnauthorized: false }, (response) => {
        const answer = { status: response.statusCode ?? 0, end: () => void request.destroy() };
        sent.push(answer);
        resolve(answer);
      });
      request.on("error", reject);
      request.write("{");
    });

  test("X063 unfinished requests without a valid credential do not count against a cluster's limit", async () => {
    const host = await start({ requests: 1, watches: 1 });
    await host.createCluster("one", { version: "v1.34.1" });
    const core = await connect(host, "one");
    for (let count = 0; count < 5; count++) {
      expect((await send(host, "GET", "/clusters/one/version")).status).toBe(200);
      expect((await send(host, "GET", "/clusters/one/version", "admin.9999999999.invalid")).status).toBe(401);
      expect((await send(host, "GET", "/clusters/one/api/v1/pods?watch=1")).status).toBe(401);
      expect((await send(host, "POST", "/clusters/one/api/v1/namespaces")).status).toBe(403);
      await core.listNamespace();
    }
  });

  test("X063 the body of a read request is not awaited", async () => {
    const host = await start({ requests: 1 });
    await host.createCluster("one", { version: "v1.34.1" });
    const token = /token: (\S+)/.exec(await host.getKubeconfig("one", "admin"))?.[1] ?? "";
    for (let count = 0; count < 3; count++)
      expect((await send(host, "GET", "/clusters/one/api/v1/namespaces", token)).status).toBe(200);
  });

  test("X063 strangers are limited per address, and callers with a credential from the same address are not", async () => {
    const host = await start({ strangers: { perSecond: 0.001, burst: 4 } });
    await host.createCluster("one", { version: "v1.34.1" });
    const core = await connect(host, "one");
    const paths = ["/clusters/one/version", "/clusters/one/api/v1/pods", "/clusters/unknown/version", "/nothing"];
    const statuses: number[] = [];
    for (const path of paths) statuses.push((await send(host, "GET", path)).status);
    expect(statuses).toEqual([200, 403, 404, 404]);
    for (const path of paths) expect((await send(host, "GET", path)).status).toBe(429);
    expect((await send(host, "GET", "/clusters/one/version", "wrong")).status).toBe(429);
    for (let count = 0; count < 10; count++) await core.listNamespace();
  });

  test("X063 strangers neither load a cluster nor keep it loaded", async () => {
    const store = createMemoryObjects();
    await (await start({}, store)).createCluster("one", { version: "v1.34.1" });
    await hosts.pop()?.close();
    const host = await start({}, store);
    for (const token of [undefined, "wrong", "a.b.c", "admin.9999999999.source.c"])
      expect((await send(host, "GET", "/clusters/one/version", token)).status).toBe(401);
    expect(host.awake()).toBe(0);
  });

  test("X063 the bodies of a cluster's requests are limited together, and other clusters are served", async () => {
    const host = await start({ bodyBytes: 64 * 1024 });
    for (const id of ["busy", "calm"]) await host.createCluster(id, { version: "v1.34.1" });
    const create = async (id: string, name: string): Promise<unknown> =>
      (await connect(host, id)).createNamespacedConfigMap({
        namespace: "default",
        body: { metadata: { name }, data: { text: "x".repeat(60 * 1024) } },
      });
    const token = /token: (\S+)/.exec(await host.getKubeconfig("busy", "admin"))?.[1] ?? "";
    const headers = { authorization: `Bearer ${token}`, "content-length": "100000", "content-type": "application/json" };
    const url = `${host.address}/clusters/busy/api/v1/namespaces/default/configmaps`;
    const slow = sendRequest(url, { method: "POST", headers, rejectUnauthorized: false }).on("error", () => undefined);
    sent.push({ status: 0, end: () => void slow.destroy() });
    slow.write("x".repeat(50 * 1024));
    let count = 0;
    await expect
      .poll(() =>
        create("busy", `map-${count++}`).then(
          () => 201,
          (error: { code: number }) => error.code,
        ),
      )
      .toBe(429);
    await create("calm", "map");
    slow.destroy();
    await expect
      .poll(() =>
        create("busy", `map-${count++}`).then(
          () => 201,
          (error: { code: number }) => error.code,
        ),
      )
      .toBe(201);
  });
});
