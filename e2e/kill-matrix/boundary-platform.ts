import { findCloud, type EntityJson, type JsonObject } from "@cloudwright/contract";
import { systemClock } from "@cloudwright/platform";
import { chooseSeed, createRandom, type Random } from "@cloudwright/platform/testing";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { listChildren } from "../child-processes.ts";
import { createHome, removeHome } from "../home-directory.ts";
import { startServer, type RunningServer } from "../server.ts";
import { openSimulatedCloud, type SimulatedCloud } from "../simulated-cloud.ts";
import { waitUntil } from "../wait-until.ts";
import type { Victim } from "./kill-cases.ts";
import { accountOf, targetClouds, type TargetCloud } from "./targets.ts";

const project = "/v1/projects/default";
/** Returns quotas that are high enough to create all entities of a test in one region. */
function raiseQuotas(cloud: TargetCloud): JsonObject {
  return Object.fromEntries(Object.keys(findCloud(cloud)?.quotas ?? {}).map((name) => [name, 100_000]));
}

/** A control plane with an embedded agent and a simulated account in each cloud. Its processes can be killed. */
export interface BoundaryPlatform {
  /** The cloud of the simulated AWS account. */
  readonly cloud: SimulatedCloud;
  openCloud(cloud: TargetCloud): SimulatedCloud;
  /** Directory with the platform's database and the agent's files. */
  readonly home: string;
  create(collection: string, name: string, spec: JsonObject): Promise<EntityJson>;
  /** Sets how many simulated seconds pass per real second. In a slower cloud, more calls are in progress when a process is killed. */
  setSpeed(speed: number): Promise<void>;
  /** Requests a change to some fields of a spec. Allows the plan to replace and delete resources, so that no plan waits for approval. */
  update(collection: string, name: string, spec: JsonObject): Promise<void>;
  /** Requests a deletion. Repeats the request while the server does not respond. */
  delete(collection: string, name: string): Promise<void>;
  /** Waits until an entity is running and matches its latest spec. */
  waitUntilRunning(collection: string, name: string): Promise<void>;
  waitUntilGone(collection: string, name: string): Promise<void>;
  /** Returns the phase and message of an entity, or undefined if it does not exist. */
  find(collection: string, name: string): Promise<EntityJson | undefined>;
  /** Kills a process with SIGKILL. Returns false if no such process is running. A killed control plane stays down until `restart`. */
  kill(victim: Victim): Promise<boolean>;
  /** Starts a killed control plane again. Does nothing if it is running. */
  restart(): Promise<void>;
  /** Stops all processes. Removes their files unless `keep` is set. */
  stop(options?: { readonly keep?: boolean }): Promise<void>;
}

export interface BoundaryOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Chooses which of several Terraform processes to kill. */
  readonly random?: Random;
  /** Maximum time to wait for an entity or for a response from the server. */
  readonly patienceMs?: number;
}

/** Starts the platform with short leases, so that a killed run is resumed soon. */
export async function openBoundaryPlatform({
  environment = {},
  random = createRandom(chooseSeed()),
  patienceMs = 300_000,
}: BoundaryOptions = {}): Promise<BoundaryPlatform> {
  const home = await createHome();
  const start = (): Promise<RunningServer> =>
    startServer({
      home,
      environment: {
        CLOUDWRIGHT_LEASE_SECONDS: "6",
        CLOUDWRIGHT_LEASE_GRACE_SECONDS: "3",
        CLOUDWRIGHT_DRIFT_CHECK: "Network=0s,Cluster=0s,Storage=0s",
        CLOUDWRIGHT_AGENT_STOP_SECONDS: "1",
        CLOUDWRIGHT_REQUESTS_PER_SECOND: "100000",
        ...environment,
      },
    });
  let server = await start();
  let isDown = false;
  let calls: AdminCalls = createAdminCalls(server);
  for (const cloud of targetClouds) {
    const name = accountOf(cloud);
    await calls.create(`${project}/accounts`, { metadata: { name }, spec: { simulated: true, [cloud]: {} } });
    const adjusted = await calls.send("POST", `${project}/accounts/${name}/simulation/adjust`, { quotas: raiseQuotas(cloud) });
    if (!adjusted.ok) throw new Error(`the quotas could not be raised: ${await adjusted.text()}`);
  }

  /** Sends a request until the server responds. The test itself must not fail because the server or database was killed. */
  const persist = async (method: string, path: string, body?: JsonObject): Promise<Response> => {
    const deadline = systemClock.now() + patienceMs;
    for (;;) {
      const response = await calls.send(method, path, body).catch(() => undefined);
      if (response !== undefined && response.status < 500 && response.status !== 429) return response;
      if (systemClock.now() > deadline) throw new Error(`${method} ${path}: the server did not respond`);
      await systemClock.sleep(100);
    }
  };
  const find: BoundaryPlatform["find"] = async (collection, name) => {
    const response = await persist("GET", `${project}/${collection}/${name}`);
    return response.status === 404 ? undefined : ((await response.json()) as EntityJson);
  };
  const describe = (entity: EntityJson | undefined): string => JSON.stringify(entity?.status ?? {}).slice(0, 1500);
  const waitFor = async (
    what: string,
    [collection, name]: readonly [string, string],
    holds: (entity: EntityJson | undefined) => boolean,
  ): Promise<void> => {
    let last: EntityJson | undefined;
    try {
      await waitUntil(what, async () => holds((last = await find(collection, name))), patienceMs);
    } catch (error) {
      throw new Error(`${String(error)}; its status is ${describe(last)}`, { cause: error });
    }
  };
  const findAgent = async (): Promise<number | undefined> => (await listChildren(server.pid, "apps/agent/src/main.ts"))[0];
  const findVictim = async (victim: Exclude<Victim, "control plane">): Promise<number | undefined> => {
    const agent = await findAgent();
    if (agent === undefined || victim === "agent") return agent;
    const running = await listChildren(agent, "terraform");
    return running.length === 0 ? undefined : random.pick(running);
  };
  const openCloud = (cloud: TargetCloud): SimulatedCloud =>
    openSimulatedCloud(() => calls, `${project}/accounts/${accountOf(cloud)}`);
  return {
    cloud: openCloud("aws"),
    openCloud,
    home,
    find,
    async create(collection, name, spec) {
      const response = await persist("POST", `${project}/${collection}`, { metadata: { name }, spec });
      const text = await response.text();
      if (!response.ok && response.status !== 409) throw new Error(`create ${collection}/${name}: ${response.status} ${text}`);
      return (await find(collection, name)) as EntityJson;
    },
    async setSpeed(speed) {
      const response = await persist("POST", `${project}/accounts/sim/simulation/adjust`, { speed });
      if (!response.ok) throw new Error(`the speed could not be set: ${await response.text()}`);
    },
    async update(collection, name, spec) {
      const response = await persist("PATCH", `${project}/${collection}/${name}?allow=replace,delete`, { spec });
      if (!response.ok) throw new Error(`update ${collection}/${name}: ${response.status} ${await response.text()}`);
    },
    async delete(collection, name) {
      const response = await persist("DELETE", `${project}/${collection}/${name}?cascade=true`);
      if (!response.ok && response.status !== 404)
        throw new Error(`delete ${collection}/${name}: ${response.status} ${await response.text()}`);
    },
    waitUntilRunning: (collection, name) => waitFor(`${collection}/${name} is RUNNING`, [collection, name], isSettled),
    waitUntilGone: (collection, name) =>
      waitFor(`${collection}/${name} is gone`, [collection, name], (entity) => entity === undefined),
    async kill(victim) {
      if (victim === "control plane") {
        isDown = true;
        await server.kill9();
        return true;
      }
      const pid = await findVictim(victim);
      if (pid === undefined) return false;
      try {
        return process.kill(pid, "SIGKILL");
      } catch {
        return false;
      }
    },
    async restart() {
      if (!isDown) return;
      server = await start();
      calls = createAdminCalls(server);
      isDown = false;
    },
    async stop({ keep = false } = {}) {
      await server.stop();
      if (!keep) await removeHome(home);
    },
  };
}

function isSettled(entity: EntityJson | undefined): boolean {
  if (entity?.status["phase"] !== "RUNNING") return false;
  return entity.status["observedGeneration"] === entity.metadata.generation;
}
