import { apiFaults, type ApiDeps, type SimulatedKubernetes } from "@cloudwright/api";
import { Fault, type LogLevel, type Shutdown } from "@cloudwright/platform";
import { createClusterCredentials, issueApiCredentials } from "@cloudwright/simulator";
import { createSignal, strikeSimulatedAccount, strikeSimulatedCluster, type Connection } from "@cloudwright/store";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Listen } from "./addresses.ts";
import { readInstallation } from "./installation.ts";
import type { ProcessSettings } from "./run-process.ts";
import { createStoredInventory } from "./stored-inventory.ts";
import { forkProcess, superviseProcess, type PingedProcess } from "./supervise-process.ts";
import { findCulprit } from "./work-trace.ts";

type Deps = Pick<ApiDeps, "pool" | "keyRing" | "clock" | "log"> & {
  readonly connection: Connection;
  readonly shutdown: Shutdown;
  /** Restarts the embedded database if it has died. */
  readonly revive: () => void;
};

/**
 * Serves the Kubernetes APIs of simulated clusters. One replica serves all of them at a shared address, and another replica takes over if
 * that one fails. All replicas can issue credentials for the clusters.
 */
export async function startSimulatedKubernetes(
  deps: Deps,
  options: { readonly serve: boolean; readonly listen: Listen | undefined; readonly cloudsListen: Listen | undefined },
): Promise<SimulatedKubernetes> {
  const { pool, log, shutdown } = deps;
  const signal = createSignal({ pool, log }, "cloudwright_simulated");
  shutdown.onClose("simulated cloud signal", () => signal.close());
  await readInstallation(deps);
  if (options.serve) {
    const folder = mkdtempSync(join(tmpdir(), "cloudwright-clusters-"));
    shutdown.onClose("trace of simulated clusters", async () => rmSync(folder, { recursive: true, force: true }));
    const traceFile = join(folder, "trace");
    const file = new URL("./clusters-process.ts", import.meta.url);
    startProcess(deps, "simulated clusters", file, { listen: options.listen, traceFile });
    startProcess(deps, "simulated cloud APIs", new URL("./clouds-process.ts", import.meta.url), {
      listen: options.cloudsListen,
      traceFile: undefined,
    });
  }
  return {
    notify: () => signal.notify(),
    async open(cluster) {
      const { secret, address } = await readInstallation(deps);
      if (address === "") throw new Fault(apiFaults.clusters_not_served, "no replica serves simulated clusters yet");
      const { endpoint, tokenFor, kubeconfigFor } = createClusterCredentials({ secret, address }, cluster);
      return { endpoint: endpoint.server, caPem: endpoint.certificateAuthorityPem, tokenFor, kubeconfigFor };
    },
    async issueCredentials({ uid, cloud, cloudAccount }, { rotate, region, source, expiresAtMs = Number.POSITIVE_INFINITY }) {
      const { secret, cloudsAddress } = await readInstallation(deps);
      if (cloudsAddress === "") throw new Fault(apiFaults.apis_not_served, "no replica serves the simulated cloud APIs yet");
      // The issued credentials expire no later than the credential that was used to request them.
      const origin = { source, expiresAtMs: Math.min(expiresAtMs, deps.clock.now() + keysValidMs) };
      const place = { region: region || undefined, cloudAccount, secureAddress: cloudsAddress };
      const request = { tenant: uid, cloud, rotate, origin, ...place };
      return issueApiCredentials({ secret, clock: deps.clock, inventory: createStoredInventory({ pool }) }, request);
    },
  };
}

/** The maximum lifetime of credentials for the simulated cloud APIs. */
const keysValidMs = 12 * 3_600_000;

// Heap limit of a simulation process. If a tenant exhausts it, only that process ends, and it is restarted.
const heapMiB = 1536;

/**
 * Runs one part of the simulation in a separate process. Requests to that part then cannot delay the API or the other part, or exhaust
 * their memory. The process is restarted if it ends or stops responding.
 */
function startProcess(
  deps: Deps,
  name: string,
  file: URL,
  { listen, traceFile }: Pick<ProcessSettings, "listen" | "traceFile">,
): void {
  const { pool, keyRing, connection, clock, log, shutdown, revive } = deps;
  const settings: ProcessSettings = {
    connection,
    primaryKey: keyRing.primary,
    keys: [...keyRing.keys].map(([id, key]) => [id, key.reveal()]),
    listen,
    traceFile,
    logLevel: log.level as LogLevel,
  };
  const stop = new AbortController();
  const onMessage = (message: unknown): void => (message === "database-lost" ? revive() : undefined);
  const start = (): PingedProcess => forkProcess(file, heapMiB, settings);
  const onCrash = async (): Promise<void> => {
    if (traceFile === undefined) return;
    const culprit = findCulprit(traceFile);
    rmSync(traceFile, { force: true });
    if (culprit === undefined) return;
    if ("cluster" in culprit && (await strikeSimulatedCluster(pool, culprit.cluster)))
      log.error(culprit, "the simulation crashed while working for this cluster; the cluster will not be loaded for a while");
    if ("account" in culprit && (await strikeSimulatedAccount(pool, culprit.account)))
      log.error(culprit, "the simulation crashed while reading this account; its clusters will not be loaded for a while");
  };
  const running = superviseProcess({ clock, log: log.child({ process: name }), onMessage, onCrash }, start, stop.signal);
  shutdown.onClose(name, () => {
    stop.abort();
    return running;
  });
}
