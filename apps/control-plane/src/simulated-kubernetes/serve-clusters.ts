import { apiFaults, type ApiDeps, type SimulatedKubernetes } from "@cloudwright/api";
import { Fault, type Shutdown } from "@cloudwright/platform";
import { createClusterCloud, createClusterCredentials, simulatorFaults, type KubernetesHost } from "@cloudwright/simulator";
import { createSignal, findSimulatedCluster, waitForSignal, type SimulatedClusterPlace } from "@cloudwright/store";
import { createCloudFollower } from "./follow-clouds.ts";
import { readInstallation } from "./installation.ts";
import { openHost } from "./open-host.ts";
import { createStoredInventory } from "./stored-inventory.ts";
import { createStoredObjects } from "./stored-objects.ts";

/** Interval of the periodic sweep, which finds changes whose notification was lost. */
const sweepMs = 5000;
const retryMs = 2000;

type Deps = Pick<ApiDeps, "pool" | "keyRing" | "clock" | "log"> & { readonly shutdown: Shutdown };

/**
 * Serves the Kubernetes APIs of simulated clusters. One replica serves all of them at a shared address, and the others take over if it
 * fails. Standby replicas can issue credentials for them too.
 */
export async function startSimulatedKubernetes(
  deps: Deps,
  options: { readonly serve: boolean; readonly listen: { readonly host: string; readonly port: number } | undefined },
): Promise<SimulatedKubernetes> {
  const { pool, log, shutdown } = deps;
  const signal = createSignal({ pool, log }, "cloudwright_simulated");
  shutdown.onClose("simulated cloud signal", () => signal.close());
  await readInstallation(deps);
  if (options.serve) await startServing(deps, options.listen, signal);
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

async function startServing(
  deps: Deps,
  listen: { readonly host: string; readonly port: number } | undefined,
  signal: ReturnType<typeof createSignal>,
): Promise<void> {
  const { pool, clock, log, shutdown } = deps;
  const places = new Map<string, SimulatedClusterPlace>();
  const store = createStoredObjects(deps, (id) => places.get(id) ?? unknownCluster(id));
  const inventory = createStoredInventory(deps);
  const hooks = createClusterCloud({ inventory }, async (id) => {
    const { accountUid: tenant, name } = (await findSimulatedCluster(pool, id)) ?? unknownCluster(id);
    return { tenant, name };
  });
  const follower = createCloudFollower({ pool, log, inventory, places, now: () => clock.now() });
  const stop = new AbortController();
  let told = false;

  const tryToOpen = async (): Promise<KubernetesHost | undefined> => {
    try {
      const opened = await openHost(deps, { listen, store, hooks });
      if (!("refused" in opened)) return opened;
      if (!told) log.warn({ reason: opened.refused }, "another process serves the simulated clusters; standing by");
      told = true;
    } catch (error) {
      log.warn({ err: error }, "could not serve simulated clusters; retrying");
    }
    return undefined;
  };
  const serve = async (host: KubernetesHost): Promise<void> => {
    log.info({ address: host.address }, "serving simulated clusters");
    while (!stop.signal.aborted) {
      const since = signal.version();
      await follower.follow(host).catch((error: unknown) => log.warn({ err: error }, "could not follow simulated clouds"));
      await waitForSignal(signal, since, sweepMs, stop.signal);
    }
    await host.close();
  };
  const run = async (first: KubernetesHost | undefined): Promise<void> => {
    let host = first;
    while (host === undefined && !stop.signal.aborted) {
      await clock.sleep(retryMs, stop.signal).catch(() => undefined);
      host = await tryToOpen();
    }
    if (host !== undefined) await serve(host);
  };
  const running = run(await tryToOpen());
  shutdown.onClose("simulated clusters", () => {
    stop.abort();
    return running;
  });
}

function unknownCluster(id: string): never {
  throw new Fault(simulatorFaults.no_such_cluster, `the simulated cluster ${id} does not exist`);
}
