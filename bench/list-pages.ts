import type { Benchmark, Measurement } from "./benchmark.ts";
import { expectStatus, openConnection, type Connection } from "./load/connection.ts";
import { copyClusters } from "./load/copy-clusters.ts";
import { createNetwork } from "./load/network.ts";
import { openBenchPlatform, type BenchPlatform } from "./processes/bench-platform.ts";
import { compareRounds, interleave, median } from "./statistics.ts";

const pageSize = 100;
const many = 10_000;
const rounds = 9;
const requestsPerRound = 15;
const goal = 3;

/** Benchmark LIST checks that the cost of a page depends on its size and not on the number of stored entities. */
export const listPages: Benchmark = {
  id: "LIST",
  name: "list-pages",
  async run(run) {
    await using platform = await openBenchPlatform(run);
    await fillProjects(platform);
    const client = openConnection(platform.server.url, platform.adminKey);
    const deepToken = await findDeepToken(client);
    const questions = [
      { id: "LIST", what: `list ${pageSize} of ${many} compared with ${pageSize} of ${pageSize}`, query: "" },
      {
        id: "LIST-label",
        what: `list the ${pageSize} of ${many} that match a label compared with ${pageSize} of ${pageSize}`,
        query: "&labelSelector=tier%3Dprod",
      },
      {
        id: "LIST-deep",
        what: `list ${pageSize} of ${many} at offset ${many - 2 * pageSize} compared with ${pageSize} of ${pageSize}`,
        query: `&pageToken=${deepToken}`,
      },
      {
        id: "LIST-recent",
        what: `list the latest ${pageSize} of ${many} compared with the latest ${pageSize} of ${pageSize}`,
        query: "&orderBy=-createdAt",
      },
    ];
    const measurements: Measurement[] = [];
    for (const { id, what, query } of questions) {
      const small = query.includes("pageToken") ? "" : query;
      const measured = await interleave(
        { rounds, warmUp: 2 },
        () => timeList(client, "many", query),
        () => timeList(client, "few", small),
      );
      const { ratio, lowest, highest, ...medians } = compareRounds(measured);
      run.note(`LIST ${id} ${medians.ours.toFixed(2)} / ${medians.anchor.toFixed(2)} ms`);
      const how = `response time on one connection, including PostgreSQL; medians of ${requestsPerRound} requests per round, ${rounds} alternating rounds (ratios ${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
      measurements.push({ id, what, unit: "ms", ...medians, ratio, goal, held: ratio <= goal, how });
    }
    client.close();
    return measurements;
  },
};

function pathOf(project: string): string {
  return `/v1/projects/${project}/clusters?pageSize=${pageSize}`;
}

/** Returns the median response time in milliseconds. Throws if a response is not a full page. */
async function timeList(client: Connection, project: string, query: string): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < requestsPerRound; index += 1) {
    const started = performance.now();
    const { body } = expectStatus(await client.send("GET", `${pathOf(project)}${query}`), 200);
    times.push(performance.now() - started);
    const { items } = JSON.parse(body) as { items: unknown[] };
    if (items.length !== pageSize)
      throw new Error(`the list of ${project} returned ${items.length} clusters instead of ${pageSize}`);
  }
  return median(times);
}

/** Returns the page token of the second-to-last page. */
async function findDeepToken(client: Connection): Promise<string> {
  let token = "";
  for (let page = 0; page < many / pageSize - 2; page += 1) {
    const { body } = expectStatus(await client.send("GET", `${pathOf("many")}&pageToken=${token}`), 200);
    token = (JSON.parse(body) as { nextPageToken: string }).nextPageToken;
  }
  return token;
}

/** Creates a large and a small project with identical clusters. In each project, a hundred clusters have the `tier=prod` label. */
async function fillProjects(platform: BenchPlatform): Promise<void> {
  await createNetwork(platform, "main");
  const client = openConnection(platform.server.url, platform.adminKey);
  for (const name of ["many", "few"]) expectStatus(await client.send("POST", "/v1/projects", { metadata: { name } }), 201);
  client.close();
  await copyClusters(
    platform,
    { project: "many", count: many, labelledEvery: many / pageSize },
    { project: "few", count: pageSize, labelledEvery: 1 },
  );
}
