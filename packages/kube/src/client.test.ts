import { Secret } from "@cloudwright/platform";
import { createMemoryObjects, startKubernetesHost } from "@cloudwright/simulator";
import { findRealServer, startRealServer } from "@cloudwright/simulator/testing";
import { describeClient } from "./testing/client-suite.ts";
import { openSimulatedCluster, readKubeconfig } from "./testing/test-cluster.ts";
import { createKubeClient } from "./create-client.ts";
import { waitForObject } from "./wait-for.ts";
import { readWatch } from "./watch-events.ts";
import { connect, createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";

describeClient("simulated", undefined, openSimulatedCluster);

const real = findRealServer();
describeClient("real kube-apiserver", real.found ? undefined : real.reason, async () => {
  const server = await startRealServer(real);
  const access = readKubeconfig(server.kubeconfig);
  return { access, client: createKubeClient(access), close: () => server.close() };
});

test("M130 a request to an address without a server, or with an untrusted certificate, causes a retryable fault", async () => {
  const nobody = createKubeClient({ server: "https://127.0.0.1:1", caPem: "", token: async () => new Secret("t0ken") });
  await expect(nobody.getVersion()).rejects.toMatchObject({ code: "kube.unreachable", kind: "unavailable", retry: "backoff" });
  const cluster = await openSimulatedCluster();
  // Omits the host's certificate authority, which signs the certificate for clients that send no server name.
  const [own = ""] = cluster.access.caPem.split(/(?<=-----END CERTIFICATE-----\n)/);
  const stranger = createKubeClient({ ...cluster.access, caPem: own });
  await expect(stranger.getVersion()).rejects.toMatchObject({ code: "kube.unreachable" });
  await cluster.close();
});

test("M130 a token is cached for a while, and requested again after it has expired or could not be fetched", async () => {
  const valid = new Set(["one"]);
  const admin = { name: "admin", groups: ["system:masters"] };
  const host = await startKubernetesHost({
    listen: { host: "127.0.0.1", port: 0 },
    store: createMemoryObjects(),
    secret: new Secret("test"),
    authenticate: async (_cluster, token) => (valid.has(token) ? admin : undefined),
  });
  await host.createCluster("one", { version: "v1.34.1" });
  const { server, certificateAuthorityPem: caPem } = await host.getEndpoint("one");
  const tokens = ["one", "two", "three"];
  let asked = 0;
  const token = async (): Promise<Secret> => {
    asked += 1;
    if (asked === 1) throw new Error("the clock is wrong");
    return new Secret(tokens[asked - 2] ?? "");
  };
  const client = createKubeClient({ server, caPem, token });
  const namespaces = { apiVersion: "v1", kind: "Namespace" };
  await expect(client.list(namespaces)).rejects.toMatchObject({ code: "kube.unreachable" });
  await client.list(namespaces);
  await client.list(namespaces);
  expect(asked).toBe(2);
  valid.clear();
  valid.add("two");
  await client.list(namespaces);
  expect(asked).toBe(3);
  valid.clear();
  await expect(client.list(namespaces)).rejects.toMatchObject({ code: "kube.denied" });
  client.close();
  await host.close();
});

test("M130 a watch ends if its connection dies silently, and the waiting caller lists again", async () => {
  const cluster = await openSimulatedCluster();
  const target = new URL(cluster.access.server);
  const port = Number(target.port);
  let isDead = false;
  // Once `isDead` is set, the proxy drops everything the server sends but keeps the connection open.
  const between = createServer((socket) => {
    const upstream = connect(port, "127.0.0.1");
    socket.pipe(upstream);
    upstream.on("data", (chunk) => void (isDead || socket.write(chunk)));
    for (const one of [socket, upstream]) one.on("error", () => undefined);
    socket.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
  target.port = String((between.address() as AddressInfo).port);
  const client = createKubeClient({ ...cluster.access, server: target.href }, 500, { silentMs: 100 });
  const kind = { apiVersion: "v1", kind: "ConfigMap" };
  const { resourceVersion } = await client.list(kind);
  await cluster.client.apply({ ...kind, metadata: { name: "one", namespace: "default" } });
  const events = client.watch(kind, { namespace: "default" }, resourceVersion);
  await expect(events.next()).resolves.toMatchObject({ value: { type: "ADDED" } });
  isDead = true;
  await expect(events.next()).rejects.toThrow("was cut off");
  isDead = false;
  await waitForObject(client, { ...kind, namespace: "default", name: "one" }, (found) => found !== undefined || "gone", {
    deadlineMs: 10_000,
  });
  client.close();
  between.close();
  await cluster.close();
});

test("X063 a cluster whose API returns more than an agent reads causes a fault", async () => {
  const cluster = await openSimulatedCluster();
  const kind = { apiVersion: "v1", kind: "ConfigMap" };
  for (const name of ["one", "two", "three"])
    await cluster.client.apply({ ...kind, metadata: { name, namespace: "default" }, data: { text: "x".repeat(30_000) } });
  const attempt = async (pageSize: number, limits: { answerBytes?: number; listBytes?: number }): Promise<number> => {
    const client = createKubeClient(cluster.access, pageSize, limits);
    return client
      .list(kind, { namespace: "default" })
      .then(({ items }) => items.length)
      .finally(() => client.close());
  };
  await expect(attempt(500, { answerBytes: 60_000 })).rejects.toMatchObject({ code: "kube.too_large", kind: "exhausted" });
  await expect(attempt(1, { listBytes: 60_000 })).rejects.toMatchObject({ code: "kube.too_large" });
  expect(await attempt(1, { answerBytes: 60_000 })).toBeGreaterThanOrEqual(3);
  await cluster.close();
});

test("X063 a watch with an endless event causes a fault", async () => {
  async function* send(): AsyncGenerator<string> {
    for (;;) yield "x".repeat(1_000_000);
  }
  await expect(readWatch("watch Pod", send()).next()).rejects.toMatchObject({ code: "kube.too_large" });
});
