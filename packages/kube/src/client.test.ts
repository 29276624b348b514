import { Secret } from "@cloudwright/platform";
import { createMemoryObjects, startKubernetesHost } from "@cloudwright/simulator";
import { findRealServer, startRealServer } from "@cloudwright/simulator/testing";
import { describeClient } from "./testing/client-suite.ts";
import { openSimulatedCluster, readKubeconfig } from "./testing/test-cluster.ts";
import { createKubeClient } from "./create-client.ts";
import { expect, test } from "vitest";

describeClient("simulated", undefined, openSimulatedCluster);

const real = findRealServer();
describeClient("real kube-apiserver", real.found ? undefined : real.reason, async () => {
  const server = await startRealServer(real);
  const access = readKubeconfig(server.kubeconfig);
  return { access, client: createKubeClient(access), close: () => server.close() };
});

test("M130 an address where nobody answers, and one with another's certificate, are unreachable and can be tried again", async () => {
  const nobody = createKubeClient({ server: "https://127.0.0.1:1", caPem: "", token: async () => new Secret("t0ken") });
  await expect(nobody.getVersion()).rejects.toMatchObject({ code: "kube.unreachable", kind: "unavailable", retry: "backoff" });
  const cluster = await openSimulatedCluster();
  // Without that of the host, whose certificate one meets who names no cluster in the handshake.
  const [own = ""] = cluster.access.caPem.split(/(?<=-----END CERTIFICATE-----\n)/);
  const stranger = createKubeClient({ ...cluster.access, caPem: own });
  await expect(stranger.getVersion()).rejects.toMatchObject({ code: "kube.unreachable" });
  await cluster.close();
});

test("M130 a token is kept for a while, and asked for again when it has expired or could not be had", async () => {
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
