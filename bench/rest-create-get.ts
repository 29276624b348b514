import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { StaleAnchorError, type Benchmark, type BenchmarkRun } from "./benchmark.ts";
import { clusterInput } from "./load/cluster-inputs.ts";
import { expectStatus, openConnection, type Connection } from "./load/connection.ts";
import { copyClusters } from "./load/copy-clusters.ts";
import { createNetwork } from "./load/network.ts";
import { openBenchPlatform } from "./processes/bench-platform.ts";
import type { ServerProcess } from "./processes/server-process.ts";
import { compareRounds, interleave, type Round } from "./statistics.ts";

const anchor = join(import.meta.dirname, "anchors", "fastify-zod.ts");
const path = "/v1/projects/default/clusters";
const connections = 16;
const pairsPerRound = 150;
/** JIT compilation yields different code after each start, so the benchmark combines rounds from several starts. */
const starts = 2;
const rounds = 31;
/**
 * Number of unmeasured rounds. The JIT compiler needs thousands of requests to optimise all code, and a production server runs optimised
 * code for months.
 */
const warmUp = 20;
/** Number of clusters that exist before the measurement starts. */
const stored = 5_000;
const goal = 1.15;

/** Benchmark P4 compares the CPU cost of a request with the cost on a minimal server built on Fastify and Zod. */
export const restCreateGet: Benchmark = {
  id: "P4",
  name: "rest-create-get",
  async run(run) {
    const measured: Round[] = [];
    for (let start = 0; start < starts; start += 1) measured.push(...(await measureStart(run)));
    const { ratio, lowest, highest, ...medians } = compareRounds(measured);
    const how =
      `CPU time of the server process; ${connections} connections, ${pairsPerRound} pairs of create and get per round, ${rounds} alternating rounds after each of ` +
      `${starts} starts (ratios ${lowest.toFixed(2)} to ${highest.toFixed(2)}); both use one PostgreSQL with durability off`;
    const what = "REST create + get, server CPU per request, compared with Fastify + Zod";
    return [{ id: "P4", what, unit: "µs", ...medians, ratio, goal, held: ratio <= goal, how }];
  },
};

/** Starts both servers once and compares them. */
async function measureStart({ profileDirectory, note }: BenchmarkRun): Promise<Round[]> {
  await using platform = await openBenchPlatform({ profileDirectory });
  const beside = await platform.startBeside("fastify-zod", anchor);
  await createNetwork(platform, "main");
  await copyClusters(platform, { project: "default", count: stored, labelledEvery: 1 });
  await requireSameAnswer(platform.server.url, beside.url, platform.adminKey, note);
  const ours = createLoad(platform.server, platform.adminKey, "ours");
  const theirs = createLoad(beside, platform.adminKey, "anchor");
  const measured = await interleave({ rounds, warmUp }, ours.runRound, theirs.runRound);
  ours.close();
  theirs.close();
  const { ours: oursMicros, anchor: anchorMicros, ratio } = compareRounds(measured);
  note(`P4 ${oursMicros.toFixed(0)} / ${anchorMicros.toFixed(0)} µs, ratio ${ratio.toFixed(2)}`);
  return measured;
}

interface Load {
  /** Runs one round. Returns the server's CPU time per request, in microseconds. */
  runRound(): Promise<number>;
  close(): void;
}

function createLoad(server: ServerProcess, key: string, prefix: string): Load {
  const clients = Array.from({ length: connections }, () => openConnection(server.url, key));
  let created = 0;
  const work = async (client: Connection, last: number): Promise<void> => {
    while (created < last) {
      const name = `${prefix}-${(created += 1)}`;
      expectStatus(await client.send("POST", path, clusterInput(name, "main")), 202);
      expectStatus(await client.send("GET", `${path}/${name}`), 200);
    }
  };
  return {
    async runRound() {
      const last = created + pairsPerRound;
      const before = await server.readCpuMicros();
      await Promise.all(clients.map((client) => work(client, last)));
      const after = await server.readCpuMicros();
      return (after - before) / (2 * pairsPerRound);
    },
    close: () => clients.forEach((client) => client.close()),
  };
}

/**
 * Throws if the responses of the two servers differ. Servers that respond differently do different work, which makes the ratio meaningless.
 */
async function requireSameAnswer(oursUrl: string, anchorUrl: string, key: string, note: (line: string) => void): Promise<void> {
  const ask = async (url: string, name: string): Promise<unknown[]> => {
    const client = openConnection(url, key);
    const created = expectStatus(await client.send("POST", path, clusterInput(name, "main")), 202);
    const got = expectStatus(await client.send("GET", `${path}/${name}`), 200);
    client.close();
    return [created, got].map(({ headers, body }) => [
      Object.keys(headers).toSorted(),
      JSON.parse(hideOwn(body, name)) as unknown,
    ]);
  };
  const [ours, theirs] = [await ask(oursUrl, "same-ours"), await ask(anchorUrl, "same-anchor")];
  if (isDeepStrictEqual(ours, theirs)) return;
  note(`ours:   ${JSON.stringify(ours)}\nanchor: ${JSON.stringify(theirs)}`);
  throw new StaleAnchorError("the P4 anchor responds differently from the product; update bench/anchors");
}

function hideOwn(body: string, name: string): string {
  return body.replaceAll(name, "name").replaceAll(/"(uid|resourceVersion|createdAt|updatedAt|operation)":"[^"]*"/g, '"$1":""');
}
