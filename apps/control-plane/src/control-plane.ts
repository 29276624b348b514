import {
  createApiServer,
  createDocumentParser,
  createTokens,
  foundPlatform,
  issueSignInToken,
  type ApiDeps,
  type ApiServer,
} from "@cloudwright/api";
import {
  describeError,
  Fault,
  systemClock,
  type EngineConfig,
  type Logger,
  type ServerConfig,
  type Shutdown,
} from "@cloudwright/platform";
import {
  createPool,
  createVersions,
  createWakeSignal,
  mendChangeLog,
  migrate,
  openKeyRing,
  rewrapSecrets,
  startChangeFeed,
} from "@cloudwright/store";
import { createTaskSignal } from "@cloudwright/tasks";
import { mkdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describeAdminKey, hasAdminKey, writeAdminKey } from "./admin-key.ts";
import { checkOverrides } from "./check-overrides.ts";
import { createConsoleSite } from "./console/create-site.ts";
import { openDatabase } from "./database.ts";
import { startEmbeddedAgent } from "./embedded-agent.ts";
import { startEngine, startKeyRotations, startTaskWatch } from "./engine.ts";
import { controlPlaneFaults } from "./faults.ts";
import { claimHome, writeServerFile } from "./home.ts";
import { loadPolicies } from "./policies.ts";
import { startPruning } from "./pruning.ts";
import { startSimulatedKubernetes } from "./simulated-kubernetes/simulated-kubernetes.ts";
import { readVersion } from "./version.ts";

/** A heartbeat takes a few milliseconds, so a few connections can serve thousands of agents. */
const heartbeatConnections = 4;

/** Starts all components in dependency order and registers their shutdown handlers. */
export async function startControlPlane(
  deps: { log: Logger; shutdown: Shutdown; print(line: string): void; isTerminal: boolean },
  config: ServerConfig,
  engine: EngineConfig,
): Promise<void> {
  const { log, shutdown, print, isTerminal } = deps;
  const clock = systemClock;
  const version = readVersion();
  const policies = loadPolicies(engine.policies);
  shutdown.onClose("policies", () => policies.close());
  mkdirSync(config.home, { recursive: true, mode: 0o700 });

  const database = await openDatabase({ log, clock, shutdown }, config);
  await claimHome({ clock, log, shutdown }, config.home, database);
  await migrate({ log }, database.connection);
  const pool = createPool(database.connection, { onLost: database.revive });
  shutdown.onClose("pool", () => pool.close());
  const heartbeatPool = createPool(database.connection, { size: heartbeatConnections, onLost: database.revive });
  shutdown.onClose("heartbeat pool", () => heartbeatPool.close());

  if (await mendChangeLog(pool))
    log.warn("the change log was written by another database server and has been cleared; watchers will list again");
  const keys = { file: join(config.home, "encryption.keys"), keys: config.encryptionKeys };
  // The first server stores its signing key here. A replica with different encryption keys fails below, when it tries to rewrap that key.
  const keyRing = await openKeyRing(
    pool,
    keys,
    async (ring) => void (await createTokens({ pool, keyRing: ring, clock, log }).jwks()),
  );
  const tokens = createTokens({ pool, heartbeatPool, keyRing, clock, log });
  const rewrapped = await rewrapSecrets(pool, keyRing);
  if (rewrapped > 0) log.info({ records: rewrapped }, "re-encrypted secrets with the newest key");

  const feed = await startChangeFeed({ pool, clock, log });
  shutdown.onClose("change feed", () => feed.close());
  const wakes = createWakeSignal({ pool, log });
  shutdown.onClose("wakes", () => wakes.close());
  const taskSignal = createTaskSignal({ pool, log });
  shutdown.onClose("task signal", () => taskSignal.close());
  const { leaseSeconds, projectQuota, accountBudget, roles } = engine;
  const work = { leaseSeconds, projectQuota, accountBudget };
  const served = new Set([
    ...(roles.has("api") ? (["users"] as const) : []),
    ...(roles.has("tasks") ? (["agents"] as const) : []),
  ]);
  const serves = roles.has("api") || roles.has("tasks");
  const kubernetes = { serve: roles.has("api"), listen: config.kubernetesListen, cloudsListen: config.simulatedCloudsListen };
  const documents = createDocumentParser();
  shutdown.onClose("documents", () => documents.close());
  const api: ApiDeps = {
    pool,
    heartbeatPool,
    feed,
    versions: createVersions(pool),
    keyRing,
    clock,
    log,
    tokens,
    wakes,
    taskSignal,
    work,
    served,
    documents,
    judge: policies.judge,
    checkOverrides,
    unlistedBackends: config.unlistedBackends,
    catalogue: engine.catalogue,
    ...(serves && {
      simulatedKubernetes: await startSimulatedKubernetes(
        { pool, connection: database.connection, revive: database.revive, keyRing, clock, log, shutdown },
        kubernetes,
      ),
    }),
  };
  const key = await foundPlatform(api, { renew: database.embedded && !hasAdminKey(config.home) });
  if (key !== undefined) writeAdminKey(config.home, key);
  startPruning({ pool, clock, log, shutdown }, config.retention);
  if (roles.has("tasks")) startTaskWatch({ ...api, pool: heartbeatPool, shutdown }, engine, config.retention);
  if (roles.has("tasks")) startKeyRotations({ ...api, shutdown });
  if (roles.has("reconciler")) {
    // Planning a reconciler query takes three times as long as running it, so this pool keeps prepared plans.
    const own = createPool(database.connection, { size: engine.workers + 2, onLost: database.revive, lastingPlans: true });
    shutdown.onClose("reconciler pool", () => own.close());
    startEngine({ ...api, pool: own, shutdown }, engine, policies);
  }

  if (!serves) {
    print(
      `Cloudwright ${version} is running with roles ${[...roles].join(", ")}, without an API endpoint; home directory: ${config.home}`,
    );
    return;
  }
  const { requestsPerSecond, connectionsPerAddress, maxStateMiB, approvalTtlMs } = config;
  const maxStateBytes = maxStateMiB * 1024 * 1024;
  const consoleCache = join(config.home, "cache", "console");
  const site = config.console && roles.has("api") ? createConsoleSite({ log, shutdown, cache: consoleCache }) : undefined;
  const server = await createApiServer(api, {
    version,
    requestsPerSecond,
    connectionsPerAddress,
    maxStateBytes,
    approvalTtlMs,
    site,
  });
  shutdown.onClose("server", () => server.close());
  const url = await listen(server, config.listen);
  const metrics = config.metricsListen && (await listenForMetrics(server, config.metricsListen));
  writeServerFile({ shutdown }, config.home, { address: url, pid: process.pid, version, database: database.where });

  if (roles.has("agent")) startEmbeddedAgent({ ...api, shutdown }, engine, { home: config.home, server: url });

  if (key !== undefined) {
    const hasLink = isTerminal && site !== undefined;
    const link = hasLink ? `${url}/sign-in#token=${await issueSignInToken(api, key)}` : undefined;
    for (const line of describeAdminKey(config.home, key, link, isTerminal)) print(line);
  }
  const pages = site === undefined ? `API reference: ${url}/docs` : `console: ${url}, API reference: ${url}/docs`;
  if (metrics !== undefined) print(`Metrics are served at ${metrics}/metrics without a credential`);
  print(`Cloudwright ${version} is running at ${url} (${pages}); home directory: ${config.home}`);
}

function listen(server: ApiServer, wanted: ServerConfig["listen"]): Promise<string> {
  return openListener("CLOUDWRIGHT_LISTEN", () => server.listen(wanted));
}

function listenForMetrics(server: ApiServer, wanted: ServerConfig["listen"]): Promise<string> {
  return openListener("CLOUDWRIGHT_METRICS_LISTEN", () => server.listenForMetrics(wanted));
}

async function openListener(variable: string, open: () => Promise<AddressInfo>): Promise<string> {
  const { address, port } = await open().catch((cause: unknown) => {
    throw new Fault(controlPlaneFaults.cannot_listen, `${variable}: ${describeError(cause)}`, { cause });
  });
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}
