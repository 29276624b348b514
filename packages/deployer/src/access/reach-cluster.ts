import type { KubeClient } from "@cloudwright/kube";
import { Fault, systemClock, type Clock } from "@cloudwright/platform";
import { requireEntity, type DeployedAccount, type DeployerTask, type JsonObject } from "../task.ts";
import type { OpenCloud } from "../cloud.ts";
import { awaitNodes } from "./await-nodes.ts";
import { withCluster } from "./open-cluster.ts";
import { patienceWith, type Patience } from "./patience.ts";

export interface ClusterDeps {
  readonly openCloud: OpenCloud;
  readonly patience?: Partial<Patience>;
  readonly clock?: Clock;
  /** Hosts, with or without a port, to which upgrade gates may send requests from the agent. */
  readonly gateHosts?: readonly string[];
}

/** Waits until the API of a new cluster responds and its nodes are ready. Returns the node counts and the server's version. */
export async function reachCluster(deps: ClusterDeps, task: DeployerTask, account: DeployedAccount): Promise<JsonObject> {
  const { reachMs, nodesMs } = patienceWith(account, deps.patience);
  const clock = deps.clock ?? systemClock;
  return withCluster(deps, task, account, async ({ client, address }) => {
    task.progress(5, `connecting to ${new URL(address.endpoint).host}`);
    await awaitApi(client, clock, reachMs, task.signal);
    const serverVersion = await client.getVersion(task.signal);
    const wantedNodes = countWanted(task);
    const tell = (message: string): void => task.progress(50, message);
    const readyNodes = await awaitNodes(client, wantedNodes, tell, { deadlineMs: nodesMs, signal: task.signal, clock });
    return { readyNodes, wantedNodes, serverVersion };
  });
}

const pauseMs = 2000;

/** Polls the API until it is ready or `reachMs` have passed. Throws immediately for an error that a retry cannot fix. */
export async function awaitApi(client: KubeClient, clock: Clock, reachMs: number, signal: AbortSignal): Promise<void> {
  const until = clock.now() + reachMs;
  for (;;) {
    try {
      return await client.requireReady(signal);
    } catch (error) {
      const isPassing = error instanceof Fault && error.retry === "backoff";
      if (!isPassing || signal.aborted || clock.now() + pauseMs > until) throw error;
      await clock.sleep(pauseMs, signal);
    }
  }
}

const defaultWorkers = 2;

/** Returns the total number of nodes expected in all pools. The outputs of the last run take precedence over the spec. */
function countWanted(task: DeployerTask): number {
  const { outputs, nodePools } = task.payload;
  if (typeof outputs["ready_nodes"] === "number") return outputs["ready_nodes"];
  const own = requireEntity(task, "Cluster").spec.workers ?? (nodePools.length > 0 ? 0 : defaultWorkers);
  return nodePools.reduce((sum, { spec }) => sum + spec.desired, own);
}
