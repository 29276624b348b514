import { Fault } from "@cloudwright/platform";
import { createClusterCloud, simulatorFaults } from "@cloudwright/simulator";
import { findSimulatedCluster, waitForSignal, type SimulatedClusterPlace } from "@cloudwright/store";
import type { Listen } from "./addresses.ts";
import { createCloudFollower } from "./follow-clouds.ts";
import { limitLists } from "./limit-lists.ts";
import { openHost } from "./open-host.ts";
import { openWhenFree } from "./open-when-free.ts";
import type { ProcessDeps } from "./run-process.ts";
import { createStoredInventory } from "./stored-inventory.ts";
import { createStoredObjects } from "./stored-objects.ts";
import { createWorkTrace } from "./work-trace.ts";

/** Interval of the periodic sweep, which finds changes whose notification was lost. */
const sweepMs = 5000;

/** Serves all simulated clusters until the signal is aborted. Waits while another replica serves them. Resolves after the host is closed. */
export async function serveClusters(deps: ProcessDeps, listen: Listen | undefined, signal: AbortSignal): Promise<void> {
  const { pool, clock, log, changes, traceFile } = deps;
  const places = new Map<string, SimulatedClusterPlace>();
  const store = createStoredObjects(deps, (id) => places.get(id) ?? unknownCluster(id));
  const inventory = limitLists(deps, createStoredInventory(deps));
  const hooks = createClusterCloud({ inventory }, async (id) => {
    const { accountUid: tenant, name, cloud } = (await findSimulatedCluster(pool, id)) ?? unknownCluster(id);
    return { tenant, name, ...(cloud !== null && { cloud }) };
  });
  const trace = traceFile === undefined ? {} : { trace: createWorkTrace(traceFile) };
  const follower = createCloudFollower({ pool, log, inventory, places, ...trace, now: () => clock.now() });
  const host = await openWhenFree(
    deps,
    "the simulated clusters",
    () => openHost(deps, { listen, store, hooks, ...trace }),
    signal,
  );
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
