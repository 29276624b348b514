import { request as sendRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import { Secret, systemClock } from "@cloudwright/platform";
import { afterEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../kubernetes/cluster/kube-object.ts";
import { createMemoryObjects } from "../kubernetes/objects/memory-objects.ts";
import { startKubernetesHost, type HostLimits, type KubernetesHost } from "../kubernetes/host/start-host.ts";

const count = 20;
const objectLength = 1024 * 1024;
/** Consists of surrogate pairs, so that chunks of the response may end within one. */
const text = "😀".repeat(objectLength / 2);
const maps = "/api/v1/namespaces/default/configmaps";
const names = Array.from({ length: count }, (_, index) => `map-${String(index).padStart(2, "0")}`);

interface MapList {
  readonly metadata: { readonly continue?: string; readonly remainingItemCount?: number };
  readonly items: readonly KubeObject[];
}

describe("responses that clients do not read", () => {
  let host: KubernetesHost;
  const open: IncomingMessage[] = [];
  /** Starts a host with three clusters. The first one contains more data than the operating system buffers for a connection. */
  const start = async (limits: Partial<HostLimits>): Promise<void> => {
    const store = createMemoryObjects();
    for (const [id, project] of [
      ["large", "a"],
      ["second", "a"],
      ["small", "b"],
    ] as const)
      await store.createCluster({ id, version: "v1.34.1", createdAtMs: systemClock.now(), project });
    const changes = names.map((name, index) => {
      const metadata = { name, namespace: "default", uid: `uid-${index}`, resourceVersion: String(index + 1) };
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { text } } as unknown as KubeObject;
      return { version: index + 1, key: { resource: "configmaps", namespace: "default", name }, object };
    });
    await store.commit("large", 0, changes);
    const listen = { host: "127.0.0.1", port: 0 };
    host = await startKubernetesHost({ listen, store, secret: new Secret("installation"), timeScale: 0, limits });
  };
  /** Sends a request and does not read the response. */
  const ask = async (id: string, path: string): Promise<IncomingMessage> => {
    const token = /token: (\S+)/.exec(await host.getKubeconfig(id, "admin"))?.[1] ?? "";
    const headers = { authorization: `Bearer ${token}` };
    const url = `${host.address}/clusters/${id}${path}`;
    return new Promise((resolve, reject) => {
      const sent = sendRequest(url, { headers, rejectUnauthorized: false, agent: false }, (response) => {
        response.on("error", () => undefined);
        open.push(response);
        resolve(response);
      });
      sent.on("error", reject).end();
    });
  };
  const statusOf = async (id: string, path: string): Promise<number> => {
    const response = await ask(id, path);
    response.resume();
    return response.statusCode ?? 0;
  };
  const read = async (response: IncomingMessage): Promise<MapList> => {
    const parts: Buffer[] = [];
    for await (const part of response as AsyncIterable<Buffer>) parts.push(part);
    return JSON.parse(Buffer.concat(parts).toString()) as MapList;
  };

  afterEach(async () => {
    for (const response of open.splice(0)) response.destroy();
    await host.close();
  });

  test("X063 an unread list counts as a request in progress until its client disconnects", async () => {
    await start({ requests: 2 });
    const lists = [await ask("large", maps), await ask("large", maps)];
    expect(lists.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect(await statusOf("large", "/version")).toBe(429);
    expect(await statusOf("small", "/version")).toBe(200);
    const watch = await ask("large", "/api/v1/namespaces?watch=true");
    expect(watch.statusCode).toBe(200);
    for (const list of lists) list.destroy();
    await expect.poll(() => statusOf("large", "/version")).toBe(200);
  });

  test("X063 unread lists of a cluster are limited by size, and smaller responses are still sent", async () => {
    await start({ listBytes: 1.5 * count * objectLength });
    expect((await ask("large", maps)).statusCode).toBe(200);
    expect(await statusOf("large", maps)).toBe(429);
    expect(await statusOf("large", `${maps}?limit=2`)).toBe(200);
    expect(await statusOf("large", `${maps}/${names[0]}`)).toBe(200);
  });

  test("X063 clusters of one project share a limit on requests in progress", async () => {
    await start({ requests: 2, clustersPerProject: 1 });
    const lists = [await ask("large", maps), await ask("large", maps)];
    expect(lists.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect(await statusOf("second", "/version")).toBe(429);
    expect(await statusOf("small", "/version")).toBe(200);
  });

  test.each([
    ["list", maps, "/version"],
    ["watch", `${maps}?watch=true`, "/api/v1/namespaces?watch=true"],
  ])("X063 a client that does not read its %s is disconnected and makes room for others", async (_, path, next) => {
    await start({ requests: 1, watches: 1, delivery: { idleMs: 100, bytesPerSecond: 64 * 1024 } });
    const response = await ask("large", path);
    expect(response.statusCode).toBe(200);
    await expect.poll(() => statusOf("large", next)).toBe(200);
    const closed = new Promise((resolve) => response.once("close", resolve));
    response.resume();
    await closed;
    expect(response.complete).toBe(false);
  });

  test("X063 an idle watch stays open", async () => {
    await start({ delivery: { idleMs: 1, bytesPerSecond: 64 * 1024 } });
    const watch = await ask("small", "/api/v1/namespaces?watch=true&resourceVersion=0");
    for (let calls = 0; calls < 20; calls++) await statusOf("small", "/version");
    expect(watch.socket.destroyed).toBe(false);
  });

  test("X063 a page ends before it exceeds its size, and the next pages contain the rest", async () => {
    await start({});
    const found: string[] = [];
    const sizes: number[] = [];
    for (let next: string | undefined = ""; next !== undefined;) {
      const page: MapList = await read(await ask("large", `${maps}?limit=500&continue=${next}`));
      found.push(...page.items.map(({ metadata }) => metadata.name));
      sizes.push(page.items.length);
      expect(page.metadata.remainingItemCount ?? 0).toBe(count - found.length);
      next = page.metadata.continue;
    }
    expect(found).toEqual(expect.arrayContaining(names));
    expect(new Set(found).size).toBe(found.length);
    expect(Math.max(...sizes)).toBeLessThan(9);
    expect(sizes.length).toBeGreaterThan(2);
  });

  test("X063 a list without a limit is complete and shows the objects as they were when it was requested", async () => {
    await start({});
    const list = await ask("large", maps);
    const token = /token: (\S+)/.exec(await host.getKubeconfig("large", "admin"))?.[1] ?? "";
    const url = `${host.address}/clusters/large${maps}/${names.at(-1)}`;
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/merge-patch+json" };
      const sent = sendRequest(url, { method: "PATCH", headers, rejectUnauthorized: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject).end(JSON.stringify({ data: { text: "changed" } }));
    });
    expect(status).toBe(200);
    const { items } = await read(list);
    const own = items.filter(({ metadata }) => metadata.name.startsWith("map-"));
    expect(own.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(own.every((map) => (map["data"] as { text: string }).text === text)).toBe(true);
  });
});
