import { apiFaults, type ApiDeps, type SimulatedKubernetes } from "@cloudwright/api";
import { backOffMs, Fault, type LogLevel, type Shutdown } from "@cloudwright/platform";
import { createClusterCredentials } from "@cloudwright/simulator";
import { createSignal, type Connection } from "@cloudwright/store";
import { Worker } from "node:worker_threads";
import type { WorkerSettings } from "./clusters-worker.ts";
import { readInstallation } from "./installation.ts";

type Deps = Pick<ApiDeps, "pool" | "keyRing" | "clock" | "log"> & {
  readonly connection: Connection;
  readonly shutdown: Shutdown;
  /** Restarts the embedded database if it has died. */
  readonly revive: () => void;
};

/**
 * Serves the Kubernetes APIs of simulated clusters. One replica serves all of them at a shared address, and another one takes over if it
 * fails. All replicas can issue credentials for the clusters.
 */
export async function startSimulatedKubernetes(
  deps: Deps,
  options: { readonly serve: boolean; readonly listen: { readonly host: string; readonly port: number } | undefined },
): Promise<SimulatedKubernetes> {
  const { pool, log, shutdown } = deps;
  const signal = createSignal({ pool, log }, "cloudwright_simulated");
  shutdown.onClose("simulated cloud signal", () => signal.close());
  await readInstallation(deps);
  if (options.serve) startWorker(deps, options.listen);
  return {
    notify: () => signal.notify(),
    async open(cluster) {
      const { secret, address } = await readInstallation(deps);
      if (address === "") throw new Fault(apiFaults.clusters_not_served, "no replica serves simulated clusters yet");
      const { endpoint, tokenFor, kubeconfigFor } = createClusterCredentials({ secret, address }, cluster);
      return { endpoint: endpoint.server, caPem: endpoint.certificateAuthorityPem, tokenFor, kubeconfigFor };
    },
  };
}

// If a tenant exhausts this memory, only the worker dies, and it is restarted.
const resourceLimits = { maxOldGenerationSizeMb: 1536 };
const restartBackOff = { firstMs: 500, longestMs: 30_000 };

/**
 * Serves simulated clusters in a separate thread, so that no request to a simulated cluster can delay the API. A thread that dies is
 * restarted.
 */
function startWorker(deps: Deps, listen: WorkerSettings["listen"]): void {
  const { keyRing, connection, clock, log, shutdown, revive } = deps;
  const settings: WorkerSettings = {
    connection,
    primaryKey: keyRing.primary,
    keys: [...keyRing.keys].map(([id, key]) => [id, key.reveal()]),
    listen,
    logLevel: log.level as LogLevel,
  };
  const stop = new AbortController();
  const runOnce = (): Promise<void> =>
    new Promise((resolve) => {
      const worker = new Worker(new URL("./clusters-worker.ts", import.meta.url), { workerData: settings, resourceLimits });
      const askToStop = (): void => worker.postMessage("stop");
      stop.signal.addEventListener("abort", askToStop);
      worker.on("message", revive);
      worker.on("error", (error) => log.error({ err: error }, "the server of simulated clusters failed; restarting it"));
      worker.on("exit", () => {
        stop.signal.removeEventListener("abort", askToStop);
        resolve();
      });
    });
  const run = async (): Promise<void> => {
    for (let failures = 0; !stop.signal.aborted; failures++) {
      const startedAtMs = clock.now();
      await runOnce();
      if (clock.now() - startedAtMs > restartBackOff.longestMs) failures = 0;
      await clock.sleep(backOffMs(restartBackOff, failures), stop.signal).catch(() => undefined);
    }
  };
  const running = run();
  shutdown.onClose("simulated clusters", () => {
    stop.abort();
    return running;
  });
}
