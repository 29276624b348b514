import type { Clock } from "@cloudwright/platform";
import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import { getServiceRange } from "../cluster/service-range.ts";
import { bootstrapCluster } from "../cluster/bootstrap-cluster.ts";
import { createBudgets, type ClusterLimits } from "../cluster/cluster-budget.ts";
import { makeGateways } from "../cluster/make-gateways.ts";
import { getContents } from "../../managed-kubernetes.ts";
import { createClusterState, type ClusterState } from "../cluster/cluster-state.ts";
import { setNodes, type SimulatedNode } from "../cluster/set-nodes.ts";
import { StatusError } from "../api/status-error.ts";
import { createKindIndex } from "../kinds/kind-index.ts";
import type { ClusterRecord, KubernetesObjects } from "../objects/kubernetes-objects.ts";
import type { CloudHooks } from "../controllers/cloud-hooks.ts";
import type { Pace } from "../controllers/controller.ts";
import { runControllers, type RunningControllers } from "../controllers/run-controllers.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { runTraced, type WorkTrace } from "./work-trace.ts";

export interface KeeperOptions {
  readonly store: KubernetesObjects;
  readonly clock: Clock;
  readonly hooks: CloudHooks;
  readonly pace: Pace;
  /** How long a cluster stays in memory without requests or pending work. */
  readonly idleMs: number;
  readonly limits: ClusterLimits;
  /** Maximum number of loaded clusters. Idle clusters are unloaded to make room for others. */
  readonly mostAwake: number;
  readonly trace: WorkTrace;
  /** Returns the time until which a cluster must not be loaded, or undefined. */
  readonly findPause: (id: string) => Promise<Date | undefined>;
  readonly onTrouble: (message: string) => void;
}

/** Loads clusters on demand and unloads idle ones. */
export interface ClusterKeeper {
  /** Runs an action on a cluster. The cluster is loaded if necessary and stays loaded until the action ends. */
  use<Result>(
    record: ClusterRecord,
    access: ClusterAccess,
    work: (cluster: AwakeCluster, controllers: RunningControllers) => Promise<Result>,
  ): Promise<Result>;
  /** Unloads a cluster: stops its controllers and ends its watches. */
  forget(id: string): void;
  /** Runs work that reads much data while no cluster is being loaded. The work must not use a cluster that is not loaded. */
  loadInTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Sets the nodes of a cluster. A cluster that is not loaded gets them the next time it is loaded. */
  setNodes(id: string, nodes: readonly SimulatedNode[]): Promise<void>;
  /** Returns a cluster if it is loaded. It may be unloaded at any time. */
  peek(id: string): Promise<AwakeCluster | undefined>;
  awake(): number;
  stop(): Promise<void>;
}

/** The number of clusters that each project can have in memory, regardless of how many other projects have. */
const guaranteedClusters = 2;

interface Awake {
  readonly cluster: AwakeCluster;
  readonly controllers: RunningControllers;
  users: number;
  sleep: AbortController | undefined;
}

/** The objects of a cluster, with facts about it from its cloud. */
interface Loaded {
  readonly state: ClusterState;
  readonly serviceRange: string | undefined;
  readonly isWithGateways: boolean;
}

export function createClusterKeeper(options: KeeperOptions): ClusterKeeper {
  const { store, clock, hooks, pace, idleMs, mostAwake, trace, onTrouble } = options;
  const clusters = new Map<string, Promise<Awake>>();
  const pendingNodes = new Map<string, readonly SimulatedNode[]>();
  const budgets = createBudgets(options.limits);

  async function wake(record: ClusterRecord, access: ClusterAccess): Promise<Awake> {
    const { state, serviceRange, isWithGateways } = await loadInTurn(() => load(record));
    const kinds = createKindIndex(state);
    const certificateAuthorityPem = access.authority.certificatePem;
    const services = getServiceRange(record.cloud, serviceRange);
    const cluster = { record, state, kinds, clock, services, tokenKey: access.tokenKey, certificateAuthorityPem };
    const run = <Result>(work: () => Result): Result => runTraced(trace, record.id, work);
    const nodes = pendingNodes.get(record.id);
    pendingNodes.delete(record.id);
    run(() => {
      // The initial objects are saved in one write, so a cluster has all of them or none.
      if (state.version() === 0) bootstrapCluster(cluster);
      // Users can enable the Gateway API later, so this is checked whenever the cluster is loaded.
      if (isWithGateways) makeGateways(cluster, getContents(record.cloud).gatewayClasses ?? []);
      if (nodes !== undefined) setNodes(cluster, nodes);
    });
    const trouble = (message: string): void => onTrouble(`cluster ${record.id}: ${message}`);
    const controllers = run(() => runControllers(cluster, hooks, pace, trouble, run));
    return { cluster, controllers, users: 0, sleep: undefined };
  }

  // Loads one cluster at a time, to limit memory usage and because the trace can name only one cluster.
  let lastLoad: Promise<unknown> = Promise.resolve();
  function loadInTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const loaded = lastLoad.then(work);
    lastLoad = loaded.catch(() => undefined);
    return loaded;
  }

  async function load({ id, project = "" }: ClusterRecord): Promise<Loaded> {
    const pausedUntil = await options.findPause(id);
    if (pausedUntil !== undefined) throw paused(pausedUntil);
    trace.setLoading(id);
    try {
      const state = createClusterState(store, id, await store.load(id), budgets.open(project));
      return { state, serviceRange: await findServiceRange(id), isWithGateways: await hasGateways(id) };
    } finally {
      trace.setLoading(undefined);
    }
  }

  // If the cloud does not respond, the cluster gets the default range, so that it can still be used.
  const findServiceRange = async (id: string): Promise<string | undefined> =>
    hooks.findServiceRange?.(id).catch((error: unknown) => {
      onTrouble(`cluster ${id}: failed to read its Service address range: ${String(error)}`);
      return undefined;
    });

  // If the cloud does not respond, the cluster is served without gateway classes until it is loaded again.
  const hasGateways = async (id: string): Promise<boolean> =>
    (await hooks.hasGateways?.(id).catch((error: unknown) => {
      onTrouble(`cluster ${id}: failed to read whether it has the Gateway API: ${String(error)}`);
      return false;
    })) ?? false;

  async function get(record: ClusterRecord, access: ClusterAccess): Promise<Awake> {
    const known = clusters.get(record.id);
    if (known !== undefined) {
      const awake = await known;
      if (!awake.cluster.state.ended.aborted) return awake;
      forget(record.id);
    }
    if (!clusters.has(record.id)) await makeRoom(record.project);
    const waking = clusters.get(record.id) ?? wake(record, access);
    clusters.set(record.id, waking);
    waking.catch(() => clusters.delete(record.id));
    return waking;
  }

  /**
   * Unloads idle clusters if too many are loaded, starting with those that were loaded first. Throws if too many clusters are in use, in
   * total or in the project.
   */
  async function makeRoom(project: string | undefined): Promise<void> {
    const mostOfProject = Math.max(1, mostAwake / 4);
    const loaded = await Promise.all(
      [...clusters].map(async ([id, waking]) => ({ id, awake: await waking.catch(() => undefined) })),
    );
    const isOwn = (awake: Awake | undefined): boolean => awake?.cluster.record.project === project;
    let ofProject = loaded.filter(({ awake }) => isOwn(awake)).length;
    for (const { id, awake } of loaded) {
      const isProjectFull = ofProject >= mostOfProject || budgets.isProjectNearlyFull(project ?? "");
      const isTooMany = clusters.size >= mostAwakeFor(ofProject) || budgets.isNearlyFull() || (isOwn(awake) && isProjectFull);
      if (awake?.users !== 0 || !isTooMany) continue;
      forget(id);
      if (isOwn(awake)) ofProject -= 1;
    }
    if (clusters.size < mostAwakeFor(ofProject) && ofProject < mostOfProject) return;
    throw new StatusError(503, "ServiceUnavailable", "too many simulated clusters are in use; try again later", {
      retryAfterSeconds: 5,
    });
  }

  // Reserves a quarter of the capacity for projects that have few clusters in memory.
  const mostAwakeFor = (ofProject: number): number => (ofProject < guaranteedClusters ? mostAwake : mostAwake * 0.75);

  function forget(id: string): void {
    const known = clusters.get(id);
    clusters.delete(id);
    void known?.then(
      ({ cluster, controllers, sleep }) => {
        controllers.stop();
        void cluster.state
          .kept()
          .catch(() => undefined)
          .then(() => cluster.state.end());
        sleep?.abort();
      },
      () => undefined,
    );
  }

  function considerSleep(id: string, awake: Awake): void {
    if (awake.users > 0) return;
    const sleep = new AbortController();
    awake.sleep?.abort();
    awake.sleep = sleep;
    const isIdle = (): boolean => awake.users === 0 && awake.sleep === sleep;
    clock
      .sleep(idleMs, sleep.signal)
      .then(() => awake.controllers.settled())
      .then(() => (isIdle() ? forget(id) : undefined))
      .catch(() => undefined);
  }

  return {
    async use(record, access, work) {
      const awake = await get(record, access);
      awake.users++;
      awake.sleep?.abort();
      awake.sleep = undefined;
      try {
        return await work(awake.cluster, awake.controllers);
      } finally {
        awake.users--;
        considerSleep(record.id, awake);
      }
    },
    forget,
    loadInTurn,
    async setNodes(id, nodes) {
      const awake = await clusters.get(id)?.catch(() => undefined);
      if (awake === undefined || awake.cluster.state.ended.aborted) {
        pendingNodes.set(id, nodes);
        return;
      }
      runTraced(trace, id, () => setNodes(awake.cluster, nodes));
      await awake.cluster.state.kept();
    },
    peek: async (id) => (await clusters.get(id)?.catch(() => undefined))?.cluster,
    awake: () => clusters.size,
    async stop() {
      const known = [...clusters.values()];
      for (const id of clusters.keys()) forget(id);
      for (const waking of known) await waking.then(({ cluster }) => cluster.state.kept()).catch(() => undefined);
    },
  };
}

// The error contains no retry time, because clients would silently wait for that long.
function paused(until: Date): StatusError {
  const message = `the server for simulated clusters crashed while it was working for this cluster or its account, so the cluster will not be loaded before ${until.toISOString()}; to use it earlier, delete it or reset its simulated account, and create it again`;
  return new StatusError(503, "ServiceUnavailable", message, {});
}
