import { Fault, type Clock, type Logger } from "@cloudwright/platform";
import { createClusterCloud, simulatorFaults, type KubernetesHost } from "@cloudwright/simulator";
import {
  createSignal,
  findSimulatedCluster,
  waitForSignal,
  type KeyRing,
  type Pool,
  type SimulatedClusterPlace,
} from "@cloudwright/store";
import { createCloudFollower } from "./follow-clouds.ts";
import { openHost } from "./open-host.ts";
import { createStoredInventory } from "./stored-inventory.ts";
import { createStoredObjects } from "./stored-objects.ts";

/** Interval of the periodic sweep, which finds changes whose notification was lost. */
const sweepMs = 5000;
const retryMs = 2000;

/**
 * Serves all simulated clusters until the signal is aborted. Waits while another replica serves them. Resolves after the host is closed.
 */
export async function serveClusters(
  deps: {
    readonly pool: Pool;
    readonly keyRing: KeyRing;
    readonly clock: Clock;
    readonly log: Logger;
    readonly changes: ReturnType<typeof createSignal>;
  },
  listen: { readonly host: string; readonly port: number } | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { pool, clock, log, changes } = deps;
  const places = new Map<string, SimulatedClusterPlace>();
  const store = createStoredObjects(deps, (id) => places.get(id) ?? unknownCluster(id));
  const inventory = createStoredInventory(deps);
  const hooks = createClusterCloud({ inventory }, async (id) => {
    const { accountUid: tenant, name, cloud } = (await findSimulatedCluster(pool, id)) ?? unknownCluster(id);
    return { tenant, name, ...(cloud !== null && { cloud }) };
  });
  const follower = createCloudFollower({ pool, log, inventory, places, now: () => clock.now() });
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
  let host = await tryToOpen();
  while (host === undefined && !signal.aborted) {
    await clock.sleep(retryMs, signal).catch(() => undefined);
    host = await tryToOpen();
  }
  if (host === undefined) return;
  log.info({ address: host.address }, "serving simulated clusters");
  while (!signal.aborted) {
    const since = changes.version();
    await follower.follow(host).catch((error: unknown) => log.warn({ err: error }, "could not follow simulated clouds"));
    await waitForSignal(changes, since, sweepMs, signal);
  }
  await host.close();
}

function unknownCluster(id: string): never {
  throw new Fault(simulatorFaults.no_such_cluster, `the simulated cluster ${id} does not exist`);
}
