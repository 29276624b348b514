import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark, BenchmarkRun, Measurement } from "./benchmark.ts";
import { expectStatus, openConnection } from "./load/connection.ts";
import { joinPlainAgent } from "./load/plain-agent.ts";
import { createStateClient, type StateClient } from "./load/state-client.ts";
import { startServerProcess, type ServerProcess } from "./processes/server-process.ts";
import { median } from "./statistics.ts";

const clients = 4;
const stateBytes = 100_000;
const cyclesPerRound = 200;
const rounds = 7;
const limit = 200;
const controlPlane = join(import.meta.dirname, "..", "apps", "control-plane", "src", "main.ts");

/** Measures cycles of lock, get, post and unlock at the state endpoint. The embedded PostgreSQL server runs with durability on. */
export const stateEndpoint: Benchmark = {
  // Result ids must not change, so that results can be compared with older ones.
  id: "state-door",
  name: "state-endpoint",
  async run(run) {
    await using platform = await openEmbeddedPlatform(run);
    const takers = await openStates(platform);
    const rates: number[] = [];
    let micros = 0;
    for (let round = -1; round < rounds; round += 1) {
      const before = await platform.server.readCpuMicros();
      const started = performance.now();
      await drain(takers);
      const seconds = (performance.now() - started) / 1000;
      if (round < 0) continue;
      rates.push(cyclesPerRound / seconds);
      micros += (await platform.server.readCpuMicros()) - before;
    }
    for (const taker of takers) taker.close();
    return toMeasurements(run, rates, micros / (rounds * cyclesPerRound));
  },
};

function toMeasurements(run: BenchmarkRun, rates: readonly number[], micros: number): Measurement[] {
  const ours = median(rates);
  const spread = `${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)}`;
  run.note(`state endpoint: ${ours.toFixed(0)} cycles/s (${spread}), ${micros.toFixed(0)} µs of server CPU per cycle`);
  const setup = `${clients} clients, each with its own task lease and state, on the embedded PostgreSQL with fsync on; every cycle adds a state version`;
  const rate = {
    id: "state-door",
    what: `lock/get/post/unlock cycles per second of ${clients} clients with durable states of ${stateBytes / 1000} kB, compared with the limit`,
    unit: "cycles/s",
    ours,
    anchor: limit,
    ratio: ours / limit,
    goal: 1,
    held: ours >= limit,
    how: `${setup}; median of ${rounds} rounds of ${cyclesPerRound} cycles (${spread})`,
  };
  // The measured rate is too pessimistic, because the clients, the database and other processes share the machine. The CPU time covers
  // only the endpoint, so the rate that one core can sustain is derived from it.
  const core = 1_000_000 / limit;
  const cpu = {
    id: "state-door-cpu",
    what: "CPU of the control plane per state cycle, compared with one core at the limit",
    unit: "µs",
    ours: micros,
    anchor: core,
    ratio: micros / core,
    goal: 1,
    held: micros <= core,
    how: `${setup}; user and system time of the process over all rounds`,
  };
  return [rate, cpu];
}

/** Runs the cycles of one round. Each client starts its next cycle as soon as its previous one has finished. */
async function drain(takers: readonly StateClient[]): Promise<void> {
  let left = cyclesPerRound;
  await Promise.all(
    takers.map(async (taker) => {
      while (left > 0) {
        left -= 1;
        await taker.runCycle();
      }
    }),
  );
}

interface EmbeddedPlatform {
  readonly server: ServerProcess;
  readonly adminKey: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts the product as `npm start` does, but without an agent. Nothing renews the leases, so they last longer than the benchmark. */
async function openEmbeddedPlatform({ profileDirectory }: BenchmarkRun): Promise<EmbeddedPlatform> {
  const directory = mkdtempSync(join(tmpdir(), "cloudwright-bench-"));
  const home = join(directory, "home");
  mkdirSync(home, { mode: 0o700 });
  const environment = {
    CLOUDWRIGHT_HOME: home,
    CLOUDWRIGHT_LISTEN: "127.0.0.1:0",
    CLOUDWRIGHT_CONSOLE: "off",
    CLOUDWRIGHT_LEASE_SECONDS: "3600",
    CLOUDWRIGHT_ROLES: "api,tasks,reconciler",
    DATABASE_URL: "",
  };
  const server = await startServerProcess({ name: "cloudwright", main: controlPlane, environment, directory, profileDirectory });
  return {
    server,
    adminKey: readFileSync(join(home, "admin.key"), "utf8").trim(),
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Creates one entity per client, leases its task and opens its state. */
async function openStates(platform: EmbeddedPlatform): Promise<StateClient[]> {
  const agent = await joinPlainAgent(platform, "states");
  const admin = openConnection(platform.server.url, platform.adminKey);
  const takers: StateClient[] = [];
  for (let nth = 0; nth < clients; nth += 1) {
    const body = { metadata: { name: `a${nth}` }, spec: { simulated: true, aws: {} } };
    expectStatus(await admin.send("POST", "/v1/projects/default/accounts", body), 202);
    const opened = await agent.openState(await agent.takeTask());
    takers.push(createStateClient(platform.server.url, opened, stateBytes));
  }
  admin.close();
  agent.close();
  return takers;
}
