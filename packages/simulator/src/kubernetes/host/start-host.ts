import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { describeError, Fault, systemClock, type Clock, type Secret } from "@cloudwright/platform";
import { simulatorFaults } from "../../faults.ts";
import { defaultLimits, type ClusterLimits } from "../cluster/cluster-budget.ts";
import type { SimulatedNode } from "../cluster/set-nodes.ts";
import { namesOnly, type CloudHooks } from "../controllers/cloud-hooks.ts";
import type { Pace } from "../controllers/controller.ts";
import type { ClusterRecord, KubernetesObjects } from "../objects/kubernetes-objects.ts";
import { noSuchCluster } from "../objects/memory-objects.ts";
import type { User } from "../rbac/user.ts";
import { StatusError } from "../api/status-error.ts";
import { answerRequest, routeOf, sendError } from "./answer-request.ts";
import {
  clusterOfServerName,
  createClusterAccess,
  type ClusterAccess,
  type ClusterRole,
  type TokenOrigin,
} from "./cluster-access.ts";
import {
  createClusterCredentials,
  createHostAuthority,
  foundedMs,
  type ClusterCredentials,
  type ClusterEndpoint,
} from "./cluster-credentials.ts";
import { createClusterKeeper } from "./cluster-keeper.ts";
import { createServerIdentity } from "./identity.ts";
import type { DeliveryLimits } from "../../http/deliver.ts";
import { defaultConnectionLimits, limitConnections, type ConnectionLimits } from "../../http/limit-connections.ts";
import { findCaller } from "./authenticate.ts";
import { endWhenRevoked } from "./end-revoked.ts";
import { createInFlight } from "./in-flight.ts";
import { createStrangers, type StrangerLimits } from "./strangers.ts";
import { noTrace, type WorkTrace } from "./work-trace.ts";

export interface KubernetesHostOptions {
  /** The address to listen on. Use a fixed port if kubeconfigs must remain valid after a restart. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly store: KubernetesObjects;
  /** The secret from which all keys and tokens are derived. */
  readonly secret: Secret;
  readonly clock?: Clock;
  readonly hooks?: CloudHooks;
  /** Factor applied to the durations of simulated workloads. 1 matches a real cloud. Default: 0.05. */
  readonly timeScale?: number;
  readonly idleMs?: number;
  /**
   * Returns the public URL for a port, such as `https://sim.example.org:6443`. Required if the public URL differs from the listening
   * address.
   */
  readonly advertise?: (port: number) => string;
  /** Authenticates tokens that the host did not issue, such as those of cloud identities. */
  readonly authenticate?: (cluster: string, token: string) => Promise<User | undefined>;
  /**
   * Returns whether the credential that was used to request a kubeconfig is still valid, and whether its holder may still have the
   * kubeconfig's role in the cluster. If not, the token in the kubeconfig is rejected.
   */
  readonly isSourceValid?: (origin: TokenOrigin, cluster: ClusterRecord) => Promise<boolean>;
  /** Whether to accept tokens that never expire. Default: true. */
  readonly lastingTokens?: boolean;
  readonly onTrouble?: (message: string) => void;
  readonly trace?: WorkTrace;
  /** Returns the time until which a cluster must not be loaded, because the host crashed while it was working for this cluster. */
  readonly findPause?: (cluster: string) => Promise<Date | undefined>;
  readonly limits?: Partial<HostLimits>;
}

/** Limits that keep one tenant's clusters from slowing down or displacing others. */
export interface HostLimits extends ClusterLimits, ConnectionLimits {
  /** Maximum number of concurrent requests to one cluster, excluding watches. */
  readonly requests: number;
  /** Maximum number of concurrent watches on one cluster. */
  readonly watches: number;
  /** Maximum total size of the lists of one cluster that clients have requested but not yet read. */
  readonly listBytes: number;
  /** Maximum total size of the request bodies of one cluster that are being received or handled. */
  readonly bodyBytes: number;
  /**
   * Limits on requests, watches, list bytes and body bytes for all clusters of a project together, as a multiple of the limits for one
   * cluster.
   */
  readonly clustersPerProject: number;
  readonly delivery: DeliveryLimits;
  /** Time within which a client must send its whole request. */
  readonly requestMs: number;
  /** Maximum number of clusters in memory. */
  readonly awake: number;
  /** How many requests without a valid credential one remote address may send. */
  readonly strangers: StrangerLimits;
}

const defaultHostLimits: HostLimits = {
  ...defaultLimits,
  ...defaultConnectionLimits,
  requests: 100,
  watches: 500,
  listBytes: 128 * 1024 * 1024,
  bodyBytes: 32 * 1024 * 1024,
  clustersPerProject: 3,
  delivery: { idleMs: 60_000, bytesPerSecond: 64 * 1024 },
  requestMs: 30_000,
  awake: 500,
  strangers: { perSecond: 50, burst: 500 },
};

export interface ClusterOptions {
  /** The Kubernetes version, such as `v1.31.4`. */
  readonly version: string;
  /** The cloud whose managed Kubernetes service runs the cluster. */
  readonly cloud?: string;
}

/** The simulated clusters of one installation, served on one port. */
export interface KubernetesHost {
  readonly address: string;
  readonly port: number;
  createCluster(id: string, options: ClusterOptions): Promise<void>;
  /** Changes the version of the control plane. Nodes keep their version until they are replaced. */
  setVersion(id: string, version: string): Promise<void>;
  /** Deletes a cluster with all its objects. Its cloud resources remain, as with real clusters. Returns false if it does not exist. */
  deleteCluster(id: string): Promise<boolean>;
  listClusters(): Promise<readonly ClusterRecord[]>;
  /** Reloads the list of clusters after another process has written to the store. A request for an unknown cluster also reloads it. */
  reload(): Promise<void>;
  setNodes(id: string, nodes: readonly SimulatedNode[]): Promise<void>;
  /** Runs work that reads much data while no cluster is being loaded. The work must not use a cluster of this host. */
  loadInTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  getEndpoint(id: string): Promise<ClusterEndpoint>;
  getKubeconfig(id: string, role: ClusterRole): Promise<string>;
  /** Resolves when the cluster has no pending work. */
  settled(id: string): Promise<void>;
  /** Returns the number of clusters in memory. */
  awake(): number;
  close(): Promise<void>;
}

/** Serves simulated Kubernetes clusters over TLS, each at `/clusters/<id>` and under its own server name. */
export async function startKubernetesHost(options: KubernetesHostOptions): Promise<KubernetesHost> {
  const { listen, store, clock = systemClock, hooks = namesOnly, timeScale = 0.05, idleMs = 60_000, trace = noTrace } = options;
  const onTrouble = options.onTrouble ?? ((): void => undefined);
  const secret = options.secret.reveal();
  const limits = { ...defaultHostLimits, ...options.limits };
  const keeper = createClusterKeeper({
    store,
    clock,
    hooks,
    pace: paceOf(timeScale),
    idleMs,
    limits,
    mostAwake: limits.awake,
    trace,
    findPause: options.findPause ?? (async (): Promise<undefined> => undefined),
    onTrouble,
  });
  const strangers = createStrangers({ clock }, limits.strangers);
  const inFlight = createInFlight(limits);
  // Clusters are loaded on first use. Only deletions that were in progress when the host stopped continue immediately.
  const records = new Map((await store.listClusters()).map((record) => [record.id, record]));
  const accesses = new Map<string, ClusterAccess>();
  const stopping = new AbortController();

  const authority = createHostAuthority(secret);
  const own = createServerIdentity(
    secret,
    authority,
    // This certificate also covers clusters that do not exist, so that their clients get a 404 instead of a certificate error.
    ["localhost", "kubernetes", "*.clusters.simulated"],
    ["127.0.0.1", ...ipOf(listen.host)],
    foundedMs,
  );
  const contexts = new Map<string, SecureContext>();

  function getRecord(id: string): ClusterRecord {
    const record = records.get(id);
    if (record === undefined) throw noSuchCluster(id);
    return record;
  }

  function accessOf(record: ClusterRecord): ClusterAccess {
    let access = accesses.get(record.id);
    if (access === undefined)
      accesses.set(record.id, (access = createClusterAccess(secret, record, { lasting: options.lastingTokens })));
    return access;
  }

  function drop(id: string): void {
    records.delete(id);
    accesses.delete(id);
    contexts.delete(id);
    keeper.forget(id);
  }

  let reloading: Promise<void> | undefined;
  const reload = (): Promise<void> =>
    (reloading ??= (async () => {
      const stored = new Map((await store.listClusters()).map((record) => [record.id, record]));
      for (const record of records.values()) {
        const { version, createdAtMs } = stored.get(record.id) ?? {};
        if (createdAtMs !== record.createdAtMs) drop(record.id);
        else if (version !== record.version) keeper.forget(record.id);
      }
      for (const record of stored.values()) records.set(record.id, record);
    })().finally(() => (reloading = undefined)));

  async function findRecord(id: string): Promise<ClusterRecord | undefined> {
    // A reload that is already running may have started before this cluster was written.
    if (id !== "" && !records.has(id)) await reloading?.catch(() => undefined);
    if (id !== "" && !records.has(id)) await reload();
    return records.get(id);
  }

  async function findContext(name: string): Promise<SecureContext | undefined> {
    const record = await findRecord(clusterOfServerName(name) ?? "");
    if (record === undefined) return undefined;
    let context = contexts.get(record.id);
    if (context === undefined) {
      const { server } = accessOf(record);
      contexts.set(record.id, (context = createSecureContext({ key: server.keyPem, cert: server.certificatePem })));
    }
    return context;
  }

  async function tellContext(name: string, done: (error: Error | null, context?: SecureContext) => void): Promise<void> {
    try {
      done(null, await findContext(name));
    } catch (error) {
      done(error as Error);
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = routeOf(request);
    const source = request.socket.remoteAddress ?? "";
    // Looking up an unknown cluster reads the store, so the rate of such requests is limited.
    if (route === undefined || !records.has(route.id)) strangers.count(source);
    const record = await findRecord(route?.id ?? "");
    if (route === undefined || record === undefined)
      throw new StatusError(404, "NotFound", "the simulated cluster does not exist");
    const access = accessOf(record);
    const isWatch = route.url.searchParams.has("watch");
    const common = { stopping: stopping.signal, trace, delivery: limits.delivery };
    const findOther = async (token: string): Promise<User | undefined> => options.authenticate?.(record.id, token);
    const caller = await findCaller(access, readBearer(request), clock.now(), findOther);
    const { origin, expiresAtMs = Infinity } = caller?.credential ?? {};
    const isSourceValid = async (): Promise<boolean> =>
      origin === undefined || (await options.isSourceValid?.(origin, record)) !== false;
    if (caller === undefined || !(await isSourceValid())) {
      // Requests without a valid credential do not count as requests in progress. They neither cause the host to load the cluster nor keep
      // it loaded.
      strangers.count(source);
      const cluster = await keeper.peek(record.id);
      if (request.headers.authorization !== undefined || cluster === undefined || isWatch)
        throw new StatusError(401, "Unauthorized", "Unauthorized");
      const hold = (): void => undefined;
      return answerRequest(cluster, route.url, request, response, { ...common, caller: undefined, hold });
    }
    const isValid = async (): Promise<boolean> => clock.now() < expiresAtMs && (await isSourceValid());
    await inFlight.run(record, isWatch, (hold) => {
      const work = (): Promise<void> =>
        keeper.use(record, access, (cluster) =>
          answerRequest(cluster, route.url, request, response, { ...common, caller, hold }),
        );
      return isWatch ? endWhenRevoked({ clock, response }, isValid, work) : work();
    });
  }

  const server = createServer({
    key: own.keyPem,
    cert: own.certificatePem,
    SNICallback: (name, done) => void tellContext(name, done),
    handshakeTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.ceil(limits.requestMs / 10),
  });
  server.on("connection", limitConnections(server, limits));
  server.on("request", (request, response) => {
    answer(request, response).catch((error: unknown) => sendError(response, error));
  });
  // Limits only the time until the request is complete. After that, a watch may stay silent for any length of time.
  server.requestTimeout = limits.requestMs;
  server.headersTimeout = limits.requestMs;
  // Must exceed the client's own idle timeout. If the server closed an idle connection first, the client's next request could fail.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(listen.port, listen.host, () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  const address = options.advertise?.(port) ?? `https://${listen.host}:${port}`;

  const credentialsOf = (id: string): ClusterCredentials =>
    createClusterCredentials({ secret: options.secret, address }, getRecord(id), accessOf(getRecord(id)));

  const host: KubernetesHost = {
    address,
    port,
    async createCluster(id, { version, cloud }) {
      if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(id))
        throw new Fault(simulatorFaults.bad_cluster_id, `"${id}" is not a valid cluster id`);
      const record = {
        id,
        version: version.startsWith("v") ? version : `v${version}`,
        createdAtMs: Math.floor(clock.now() / 1000) * 1000,
        ...(cloud !== undefined && { cloud }),
      };
      if (!(await store.createCluster(record)))
        throw new Fault(simulatorFaults.cluster_exists, `a simulated cluster ${id} already exists`);
      // Reads the record back, because only the store knows the cluster's project.
      await reload();
      await keeper.use(getRecord(id), accessOf(getRecord(id)), ({ state }) => state.kept());
    },
    async setVersion(id, version) {
      const record = { ...getRecord(id), version: version.startsWith("v") ? version : `v${version}` };
      await store.updateCluster(record);
      records.set(id, record);
      keeper.forget(id);
    },
    async deleteCluster(id) {
      drop(id);
      return store.deleteCluster(id);
    },
    listClusters: async () => [...records.values()],
    reload,
    async setNodes(id, nodes) {
      getRecord(id);
      await keeper.setNodes(id, nodes);
    },
    loadInTurn: (work) => keeper.loadInTurn(work),
    getEndpoint: async (id) => credentialsOf(id).endpoint,
    getKubeconfig: async (id, role) => credentialsOf(id).kubeconfigFor(role).reveal(),
    async settled(id) {
      const record = getRecord(id);
      await keeper.use(record, accessOf(record), (_, controllers) => controllers.settled());
    },
    awake: () => keeper.awake(),
    async close() {
      stopping.abort();
      server.close();
      server.closeAllConnections();
      await keeper.stop();
    },
  };
  void resumeDeletions().catch((error: unknown) => onTrouble(`could not resume deletions: ${describeError(error)}`));
  return host;

  // Loads one cluster at a time to limit memory usage.
  async function resumeDeletions(): Promise<void> {
    for (const id of await store.listUnfinished()) {
      if (stopping.signal.aborted) return;
      await host.settled(id).catch((error: unknown) => onTrouble(`cluster ${id}: ${describeError(error)}`));
    }
  }
}

function readBearer({ headers }: IncomingMessage): string {
  return /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}

function paceOf(scale: number): Pace {
  return {
    nodeReadyMs: 30_000 * scale,
    podStartMs: 4_000 * scale,
    podStopMs: 2_000 * scale,
    jobMs: 10_000 * scale,
    retryMs: 20_000 * scale,
  };
}

function ipOf(host: string): string[] {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) && host !== "127.0.0.1" ? [host] : [];
}
