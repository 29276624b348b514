import { systemClock } from "@cloudwright/platform";
import { createPool } from "@cloudwright/store";
import type { Benchmark } from "./benchmark.ts";
import { openAudience, type Audience } from "./load/audience.ts";
import { createNetwork } from "./load/network.ts";
import { causeTurmoil } from "./load/turmoil.ts";
import { openBenchPlatform, type BenchPlatform } from "./processes/bench-platform.ts";

const path = "/v1/projects/default/clusters";
const watchers = 200;
const counts = { creates: 40, transactions: 40 };

/** Benchmark P9 checks that every watcher receives each committed change exactly once and in order, despite concurrent writers. */
export const watchExactness: Benchmark = {
  id: "P9-exact",
  name: "watch-exactness",
  async run(run) {
    await using platform = await openBenchPlatform(run);
    await createNetwork(platform, "main");
    const audience = await openAudience(platform, path, watchers);
    const calm = new AbortController();
    const resumed = resumeSome(audience, calm.signal);
    const undone = await causeTurmoil(platform, "t", counts);
    calm.abort();
    const resumes = await resumed;
    const committed = await listCommitted(platform, audience.from);
    await audience.waitFor(committed.length * watchers);
    const { lost, duplicated, misplaced } = countMistakes(audience, committed);
    audience.close();
    const expected = committed.length * watchers;
    const wrong = lost + duplicated + misplaced;
    run.note(
      `P9 ${expected} deliveries, ${undone} writes undone, ${resumes} resumes: ${lost} lost, ${duplicated} duplicated, ${misplaced} out of order`,
    );
    const how =
      `${committed.length} changes committed by 8 API writers, half of whose names collide, and by 4 slow SQL writers, half of whose transactions roll back ` +
      `(${undone} writes undone); every tenth of ${watchers} watchers repeatedly breaks its connection and resumes (${resumes} times); deliveries are compared with the change log`;
    return [
      {
        id: "P9-exact",
        what: "deliveries lost, duplicated or out of order under concurrent writers with rollbacks",
        unit: "",
        ours: wrong,
        anchor: expected,
        ratio: wrong / expected,
        goal: 0,
        held: wrong === 0,
        how,
      },
    ];
  },
};

/** Disconnects and resumes every tenth watcher in turn until `stop` is aborted. Returns the number of resumed watches. */
async function resumeSome({ watchers: all }: Audience, stop: AbortSignal): Promise<number> {
  const some = all.filter((_, index) => index % 10 === 0);
  let resumes = 0;
  for (; !stop.aborted; resumes += 1) {
    await some[resumes % some.length]?.resume();
    await systemClock.sleep(5);
  }
  return resumes;
}

/** Lists the positions of all changes that watchers must receive, in commit order. */
async function listCommitted(platform: BenchPlatform, from: string): Promise<string[]> {
  const [xid, seq] = from.split(".");
  const text = `select xid::text || '.' || seq as position from change
    where kind = 'Cluster' and project = 'default' and (xid, seq) > ($1::text::xid8, $2::bigint) order by xid, seq`;
  const pool = createPool({ url: platform.databaseUrl });
  const { rows } = await pool.query<{ position: string }>({ text, values: [xid, seq] });
  await pool.close();
  return rows.map(({ position }) => position);
}

function countMistakes(
  audience: Audience,
  committed: readonly string[],
): { lost: number; duplicated: number; misplaced: number } {
  const places = new Map(committed.map((position, index) => [position, index]));
  const mistakes = { lost: 0, duplicated: 0, misplaced: 0 };
  for (const { deliveries } of audience.watchers) {
    const got = new Set(deliveries.map(({ position }) => position));
    mistakes.lost += committed.filter((position) => !got.has(position)).length;
    mistakes.duplicated += deliveries.length - got.size;
    const order = deliveries.map(({ position }) => places.get(position) ?? -1);
    mistakes.misplaced += order.filter((place, index) => place === -1 || place < (order[index - 1] ?? 0)).length;
  }
  return mistakes;
}
