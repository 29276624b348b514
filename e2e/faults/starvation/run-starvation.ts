import { systemClock } from "@cloudwright/platform";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { waitUntil } from "../../wait-until.ts";
import { checkJournal } from "../check-journal.ts";
import { readPositions } from "../check-database.ts";
import { createClient, type Client } from "../client.ts";
import { openEmbeddedPlatform } from "../embedded-platform.ts";
import { findFreePort } from "../free-port.ts";
import type { FaultPlatform } from "../platform.ts";
import { createRandom } from "@cloudwright/platform/testing";
import { createEditor, createHostileTenant, hostileProject, must } from "./hostile-tenant.ts";
import type { Attack } from "./attack.ts";
import { hostileKinds } from "./hostile-client.ts";
import { listHalfClosed, readMemoryMiB } from "./socket-table.ts";

export interface StarvationOptions {
  readonly seed: number;
  /** Number of rounds. Each round combines several attacks, and all rounds together cover all attacks. */
  readonly rounds: number;
  readonly keep: boolean;
  readonly note: (line: string) => void;
}

/** Counts for the report, and all violations that were found. */
export interface StarvationReport {
  readonly counts: Record<string, unknown>;
  readonly broken: readonly string[];
}

const hostileProgram = join(import.meta.dirname, "hostile-client.ts");
const benchedProgram = join(import.meta.dirname, "../../../bench/load/attack.ts");
const benchedKinds = ["pipelined requests", "stream resets", "128 MiB plans", "2,000 idle streams"];
const attackKinds: readonly string[] = [...benchedKinds, ...hostileKinds];

const calm = "calm";
const leaseSeconds = 10;
/** Longer than a lease, so that a task loses its lease if the server does not process its heartbeats. */
const applySeconds = 12;
const runningWithinMs = 120_000;
const settleWithinMs = 60_000;
/** Slightly longer than the server keeps an idle HTTP/2 session open. */
const idleSessionMs = 75_000;
const halfClosedMs = 20_000;
/** Far more memory than the server needs when upload limits work. Without limits, the attacks would use several GiB. */
const mostMemoryMiB = 2048;

/**
 * Lets one tenant attack a server in rounds while another tenant creates networks and clusters. Checks that the other tenant is served,
 * that no agent loses a lease, and that the attacks leave nothing behind.
 */
export async function runStarvation({ seed, rounds, keep, note }: StarvationOptions): Promise<StarvationReport> {
  const broken: string[] = [];
  const metricsPort = await findFreePort();
  const platform = await openEmbeddedPlatform({
    smallDisk: false,
    environment: {
      CLOUDWRIGHT_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
      CLOUDWRIGHT_LEASE_SECONDS: String(leaseSeconds),
      CLOUDWRIGHT_DRIFT_CHECK: "off",
    },
  });
  const url = platform.servers[0]?.address ?? "";
  const endMs = systemClock.now() + 10 * 60_000;
  const isOver = (): boolean => systemClock.now() > endMs;
  const admin = createClient(platform, isOver);
  broken.push(...(await checkMetrics(url, `http://127.0.0.1:${metricsPort}`)));
  await must(admin.send("POST", "/v1/projects", { metadata: { name: calm } }));
  await must(admin.send("PATCH", "/v1/projects/system/agents/embedded", { spec: { projects: [calm] } }));
  const account = { metadata: { name: "main" }, spec: { simulated: true, aws: {} } };
  await must(admin.send("POST", `/v1/projects/${calm}/accounts`, account));
  const client = createClient({ ...platform, adminKey: await createEditor(admin, calm) }, isOver);
  const hostile = await createHostileTenant(admin, url);
  const memory = watchMemory(platform);

  let running = 0;
  for (const [round, kinds] of planRounds(seed, rounds).entries()) {
    note(`round ${round + 1}: ${kinds.join(", ")}`);
    const attackers = await Promise.all(kinds.map((kind, nth) => startAttack({ ...hostile.weapons, kind, seed: seed + nth })));
    try {
      running += await createTree(client, round);
    } catch (error) {
      broken.push(`round ${round + 1} (${kinds.join(", ")}): ${String(error)}`);
    }
    broken.push(...(await checkSockets(new URL(url).port, `during ${kinds.join(", ")}`, false)));
    await Promise.all(attackers.map(stopAttack));
  }
  note("all attacks are over");
  await hostile.close();

  const peakMiB = memory.close();
  if (peakMiB > mostMemoryMiB) broken.push(`the server used ${Math.round(peakMiB)} MiB of memory`);
  // Checks the tasks now, because deleting a project also deletes its task records.
  broken.push(...(await checkTasks(platform)));
  await remove(admin, broken);
  broken.push(...(await checkRest(platform, `http://127.0.0.1:${metricsPort}`)));
  broken.push(...(await checkSockets(new URL(url).port, "after the attacks", true)));
  broken.push(...[...admin.surprises, ...client.surprises].map((text) => `surprise: ${text}`));
  await platform.stop();
  for (const line of broken) note(`BROKEN: ${line}`);
  if (broken.length === 0 && !keep) await platform.remove();
  else note(`all files are kept in ${platform.directory}`);
  const counts = { rounds, attacks: attackKinds.length, running, peakMiB: Math.round(peakMiB), broken: broken.length };
  return { counts, broken };
}

/** Distributes all attacks at random over the rounds. */
function planRounds(seed: number, rounds: number): string[][] {
  const kinds = createRandom(seed).shuffle(attackKinds);
  return Array.from({ length: rounds }, (_, round) => kinds.filter((_kind, nth) => nth % rounds === round));
}

async function startAttack(attack: Attack): Promise<ChildProcess> {
  const program = benchedKinds.includes(attack.kind) ? benchedProgram : hostileProgram;
  const child = spawn(process.execPath, [program, JSON.stringify(attack)], { stdio: ["ignore", "pipe", "inherit"] });
  // A low priority keeps the attacker from succeeding merely by using up the test machine's CPU.
  if (child.pid !== undefined) setPriority(child.pid, 10);
  await once(child.stdout, "data");
  return child;
}

async function stopAttack(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGKILL");
    await ended;
  }
}

/** Creates a network with a cluster and waits until both are RUNNING. Returns the number of entities. */
async function createTree(client: Client, round: number): Promise<number> {
  const base = `/v1/projects/${calm}`;
  const annotations = { "demo.cloudwright.dev/apply": `sleep=${applySeconds}s` };
  const [network, cluster] = [`n${round}`, `c${round}`];
  await must(
    client.send("POST", `${base}/networks`, {
      metadata: { name: network, annotations },
      spec: { account: "main", region: "eu-west-1" },
    }),
  );
  await must(client.send("POST", `${base}/clusters`, { metadata: { name: cluster }, spec: { network } }));
  const phaseOf = async (path: string): Promise<string> =>
    ((await client.send("GET", path)).body as { status?: { phase?: string } }).status?.phase ?? "";
  const paths = [`${base}/networks/${network}`, `${base}/clusters/${cluster}`];
  await waitUntil(
    `${paths.join(" and ")} are RUNNING`,
    async () => (await Promise.all(paths.map(phaseOf))).every((phase) => phase === "RUNNING"),
    runningWithinMs,
  );
  return paths.length;
}

async function checkMetrics(url: string, metricsUrl: string): Promise<string[]> {
  const [open, own] = [await fetch(`${url}/metrics`), await fetch(`${metricsUrl}/metrics`)];
  await Promise.all([open.text(), own.text()]);
  if (open.status === 401 && own.status === 200) return [];
  return [`/metrics returned ${open.status} on the API port without a credential, and ${own.status} on its own listener`];
}

/**
 * Checks that sockets that are half-closed now do not stay half-closed. During an attack, new half-closed sockets may appear. Sockets of
 * queued uploads may also be in CLOSE-WAIT, because the server does not read from them yet.
 */
async function checkSockets(port: string, when: string, isOver: boolean): Promise<string[]> {
  const list = (): [peer: string, state: string][] =>
    [...listHalfClosed(Number(port))].filter(([, state]) => isOver || state !== "CLOSE-WAIT");
  const first = new Set(list().map(([peer]) => peer));
  const left = (): string[] => list().flatMap(([peer, state]) => (first.has(peer) ? [state] : []));
  const withinMs = isOver ? idleSessionMs : halfClosedMs;
  return waitUntil("no socket is half closed", () => left().length === 0, withinMs).then(
    () => [],
    () => [`${left().length} sockets stay half closed ${when}: ${[...new Set(left())].join(", ")}`],
  );
}

function watchMemory({ directory }: FaultPlatform): { close(): number } {
  const { pid } = JSON.parse(readFileSync(join(directory, "home", "server.json"), "utf8")) as { pid: number };
  let peakMiB = 0;
  const timer = setInterval(() => (peakMiB = Math.max(peakMiB, readMemoryMiB(pid))), 200);
  return {
    close() {
      clearInterval(timer);
      return peakMiB;
    },
  };
}

/** Deletes both projects with everything they contain and waits until both have been deleted. */
async function remove(admin: Client, broken: string[]): Promise<void> {
  // The shared agent also deletes the resources that the hostile agent left behind.
  await must(admin.send("PATCH", "/v1/projects/system/agents/embedded", { spec: { projects: [] } }));
  const removeAt = async (path: string): Promise<void> => {
    await must(admin.send("DELETE", `${path}?cascade=true`));
    const isGone = async (): Promise<boolean> => (await admin.send("GET", path)).status === 404;
    await waitUntil(`${path} is deleted`, isGone, settleWithinMs);
  };
  const accounts = { [calm]: "main", [hostileProject]: "own" };
  for (const [project, account] of Object.entries(accounts)) {
    await removeAt(`/v1/projects/${project}/accounts/${account}`)
      .then(() => removeAt(`/v1/projects/${project}`))
      .catch((error: unknown) => broken.push(String(error)));
  }
}

/** Checks that the server no longer keeps any of the attackers' connections or watches open. */
async function checkRest({ query }: FaultPlatform, metricsUrl: string): Promise<string[]> {
  const read = async (): Promise<[connections: number, watchers: number]> => {
    const text = await (await fetch(`${metricsUrl}/metrics`)).text();
    const find = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
    return [find("cloudwright_connections"), find("cloudwright_watchers")];
  };
  const isQuiet = async (): Promise<boolean> => {
    const [connections, watchers] = await read();
    return connections < 20 && watchers === 0;
  };
  const left = await waitUntil("the connections of the attackers are closed", isQuiet, settleWithinMs).then(
    () => [],
    async () => [`connections and watches remain: ${(await read()).join(", ")}`],
  );
  const rows = await query<{ name: string }>(
    "select kind || ' ' || name as name from entity where project in ('calm', 'hostile')",
  );
  return [...left, ...rows.map(({ name }) => `${name} was not deleted`)];
}

/** Checks that each task of the well-behaved tenant was attempted exactly once, and that no two programs ran at the same time. */
async function checkTasks(platform: FaultPlatform): Promise<string[]> {
  const repeated = await platform.query<{ name: string }>(
    `select t.type || ' ' || t.uid as name from (select d.type, t.uid, t.attempt, t.project from task t join task_demand d on d.id = t.demand) t
      where t.project = $1 and (t.attempt > 1 or exists (select from task_attempt a where a.task_uid = t.uid))`,
    [calm],
  );
  const journal = checkJournal(platform.journal, await readPositions(platform));
  return [
    ...repeated.map(({ name }) => `${name} was attempted more than once`),
    ...journal.overlaps.map((text) => `ran twice at once: ${text}`),
  ];
}
