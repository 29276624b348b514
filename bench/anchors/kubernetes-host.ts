/**
 * Runs simulated Kubernetes in a separate process, so that its CPU time and memory can be measured. Orders to create clusters arrive over the IPC
 * channel. It responds with the heap size once the clusters have settled.
 */
import { Secret } from "@cloudwright/platform";
import { createMemoryObjects, startKubernetesHost } from "@cloudwright/simulator";

/** An order to this process: the clusters to create. */
export interface HostOrder {
  readonly clusters: readonly string[];
  readonly nodes: number;
}

/** Access to the first cluster, and the heap size once all clusters have settled. */
export interface HostAnswer {
  readonly server: string;
  readonly caPem: string;
  readonly kubeconfig: string;
  readonly awake: number;
  readonly heapBytes: number;
}

const [idleMs = "60000"] = process.argv.slice(2);
const host = await startKubernetesHost({
  listen: { host: "127.0.0.1", port: 0 },
  store: createMemoryObjects(),
  secret: new Secret("bench"),
  timeScale: 0,
  idleMs: Number(idleMs),
});
process.on("message", (order: HostOrder) => void work(order));
process.on("disconnect", () => process.exit(0));
process.send?.({ ready: true });

async function work({ clusters, nodes }: HostOrder): Promise<void> {
  for (const id of clusters) {
    await host.createCluster(id, { version: "v1.34.1" });
    await host.setNodes(
      id,
      Array.from({ length: nodes }, (_, index) => ({ name: `node-${index}` })),
    );
    await host.settled(id);
  }
  // Waits until idle clusters are unloaded.
  while (Number(idleMs) < 1000 && host.awake() > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  globalThis.gc?.();
  const [first = ""] = clusters;
  const { server, certificateAuthorityPem } = await host.getEndpoint(first);
  const answer: HostAnswer = {
    server,
    caPem: certificateAuthorityPem,
    kubeconfig: await host.getKubeconfig(first, "admin"),
    awake: host.awake(),
    heapBytes: process.memoryUsage().heapUsed + process.memoryUsage().external,
  };
  process.send?.(answer);
}
