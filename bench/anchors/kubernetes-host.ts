/**
 * Runs simulated Kubernetes in a separate process, so that its CPU time and memory can be measured. Requests to create clusters arrive over
 * the IPC channel. The process replies with its heap size once the clusters have settled.
 */
import { Secret } from "@cloudwright/platform";
import { createMemoryObjects, startKubernetesHost } from "@cloudwright/simulator";

/** A request to this process to create the named clusters, each with the given number of nodes. */
export interface HostOrder {
  readonly clusters: readonly string[];
  readonly nodes: number;
}

/** The reply: access to the first cluster, and the heap size once all clusters have settled. */
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
  // The benchmark keeps more clusters of one project loaded than the default limits allow.
  limits: { awake: 10_000, project: { objects: 1_000_000, bytes: 2 ** 40 }, host: { objects: 1_000_000, bytes: 2 ** 40 } },
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
  // With a short idle timeout, the benchmark measures the host after it has unloaded all idle clusters.
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
