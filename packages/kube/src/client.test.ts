import { Secret } from "@cloudwright/platform";
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
