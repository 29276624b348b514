import { Secret } from "@cloudwright/platform";
import { describeMachinery } from "../testing/kubernetes-machinery.ts";
import { findRealServer, startRealServer } from "../testing/real-api-server.ts";
import { startKubernetesHost } from "./host/start-host.ts";
import { createMemoryObjects } from "./objects/memory-objects.ts";

describeMachinery("simulated", undefined, async () => {
  const host = await startKubernetesHost({
    listen: { host: "127.0.0.1", port: 0 },
    store: createMemoryObjects(),
    secret: new Secret("test"),
    timeScale: 0,
  });
  await host.createCluster("one", { version: "v1.32.4" });
  return { kubeconfig: await host.getKubeconfig("one", "admin"), close: () => host.close() };
});

const real = findRealServer();
describeMachinery("real kube-apiserver", real.found ? undefined : real.reason, () => startRealServer(real));
