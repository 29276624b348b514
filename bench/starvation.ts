import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createUid, systemClock } from "@cloudwright/platform";
import { createPool } from "@cloudwright/store";
import { enqueueTasks } from "@cloudwright/tasks";
import type { Benchmark, Measurement } from "./benchmark.ts";
import { attackKinds, type Attack, type AttackKind } from "./load/attack.ts";
import { expectStatus, openConnection, type Connection } from "./load/connection.ts";
import { joinPlainAgent } from "./load/plain-agent.ts";
import { openBenchPlatform, type BenchPlatform } from "./processes/bench-platform.ts";
import { percentile } from "./statistics.ts";

const attackProgram = join(import.meta.dirname, "load", "attack.ts");
const path = "/v1/projects/default/environments/calm";
const measureMs = 8000;
const warmUpMs = 1500;
/** Interval between consecutive requests from the measuring client. */
const pauseMs = 5;
const limitMs = 250;

/** Measures the response time of an ordinary client while another client attacks the server. */
export const starvation: Benchmark = {
  id: "starvation",
  name: "get-under-attack",
  async run(run) {
    await using platform = await openBenchPlatform({ profileDirectory: run.profileDirectory, roles: "api,tasks" });
    const admin = openConnection(platform.server.url, platform.adminKey);
    expectStatus(await admin.send("POST", "/v1/projects/default/environments", { metadata: { name: "calm" } }), 201, 200);
    const ordinary = openConnection(platform.server.url, await createUser(admin, "ordinary"));
    const attacker = await createUser(admin, "attacker");
    await createLargeEntities(admin);
    const agent = await joinPlainAgent(platform, "beating");
    const get = async (): Promise<unknown> => expectStatus(await ordinary.send("GET", path), 200);
    await measure(get, warmUpMs);
    const alone = percentile(await measure(get, measureMs), 99);
    run.note(`starvation: GET p99 without an attack ${alone.toFixed(1)} ms`);
    const measured: Measurement[] = [];
    for (const kind of attackKinds) {
      const plan = kind === "128 MiB plans" ? await openPlan(platform, admin) : undefined;
      const attack = { kind, url: platform.server.url, key: attacker, path, ...(plan && { plan }) };
      const { times, beats } = await measureUnder(attack, get, () => agent.beat());
      const [ours, beat] = [percentile(times, 99), percentile(beats, 99)];
      const mebibytes = Math.round((await platform.server.readMemoryBytes()) / 1024 / 1024);
      const also = `${times.length} requests; heartbeat p99 ${beat.toFixed(1)} ms; server memory ${mebibytes} MiB`;
      run.note(`starvation: GET p99 during ${kind} ${ours.toFixed(1)} ms (${also})`);
      measured.push(toMeasurement(kind, ours, alone, also));
    }
    agent.close();
    admin.close();
    ordinary.close();
    return measured;
  },
};

function toMeasurement(kind: AttackKind, ours: number, alone: number, also: string): Measurement {
  return {
    id: `starvation-${attackKinds.indexOf(kind) + 1}`,
    what: `GET p99 of an ordinary client during an attack by another client (${kind}), compared with the limit`,
    unit: "ms",
    ours,
    anchor: limitMs,
    ratio: ours / limitMs,
    goal: 1,
    held: ours <= limitMs,
    how: `${also}; requests are sent one at a time; without an attack the p99 is ${alone.toFixed(1)} ms; the attacker is another user in another process, and no rate limit applies`,
  };
}

async function createUser(admin: Connection, name: string): Promise<string> {
  expectStatus(await admin.send("POST", "/v1/users", { metadata: { name } }), 201);
  const binding = { metadata: { name }, spec: { user: name, role: "viewer" } };
  expectStatus(await admin.send("POST", "/v1/projects/default/rolebindings", binding), 201);
  const created = expectStatus(await admin.send("POST", "/v1/apikeys", { metadata: { name }, spec: { user: name } }), 201);
  return (JSON.parse(created.body) as { status: { key: string } }).status.key;
}

/** Leases a planning task and returns where its plan is stored. */
async function openPlan(platform: BenchPlatform, admin: Connection): Promise<Attack["plan"]> {
  const account = { metadata: { name: "planned" }, spec: { simulated: true, aws: {} } };
  const { body } = expectStatus(await admin.send("POST", "/v1/projects/default/accounts", account), 202, 201);
  const { uid: entityUid = "" } = (JSON.parse(body) as { metadata: { uid?: string } }).metadata;
  const pool = createPool({ url: platform.databaseUrl }, { size: 1 });
  const uid = createUid(systemClock.now());
  const about = { entityUid, entityKind: "Account", entityName: "planned", operationUid: null, accountUid: null };
  const work = {
    type: "network.plan",
    lane: "long",
    placement: {},
    priority: 0,
    payload: {},
    payloadVersion: 1,
    maxAttempts: 1,
  } as const;
  await enqueueTasks(pool, [{ uid, key: uid, project: "default", ...about, ...work }]);
  await pool.close();
  const agent = await joinPlainAgent(platform, "uploader");
  const { address, username, password } = await agent.openState(await agent.takeTask());
  agent.close();
  return { address: new URL(`${address}/plans/${uid}`, platform.server.url).href, username, password };
}

/** Creates enough large entities for their list to take several megabytes. */
async function createLargeEntities(admin: Connection): Promise<void> {
  const annotations = Object.fromEntries(Array.from({ length: 10 }, (_, nth) => [`a${nth}`, "x".repeat(16_000)]));
  for (let nth = 0; nth < 40; nth += 1) {
    const body = { metadata: { name: `large-${nth}`, annotations } };
    expectStatus(await admin.send("POST", "/v1/projects/default/environments", body), 201, 200);
  }
}

async function measureUnder(
  attack: Attack,
  get: () => Promise<unknown>,
  beat: () => Promise<unknown>,
): Promise<{ times: number[]; beats: number[] }> {
  const child = spawn(process.execPath, [attackProgram, JSON.stringify(attack)], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(child.stdout, "data");
    await measure(get, warmUpMs);
    const [times, beats] = await Promise.all([measure(get, measureMs), measure(beat, measureMs)]);
    return { times, beats };
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

/** Sends requests one after another for `forMs` milliseconds. Returns the duration of each request in milliseconds. */
async function measure(send: () => Promise<unknown>, forMs: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    const started = performance.now();
    await send();
    times.push(performance.now() - started);
    await systemClock.sleep(pauseMs);
  }
  return times;
}
