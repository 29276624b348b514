import { createLogger, systemClock } from "@cloudwright/platform";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startChangeFeed, type ChangeFeed } from "./feed.ts";
import { createPool, type Database, type Pool } from "./pool.ts";
import { readChanges, type Change } from "./statements/read-changes.ts";
import { createTestDatabase, type TestDatabase } from "./testing/index.ts";

let database: TestDatabase;
let pool: Pool;
const feeds: ChangeFeed[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});
afterEach(async () => {
  for (const feed of feeds.splice(0)) await feed.close();
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

test("X002 a listener receives what was committed after it subscribed, and nothing from before", async () => {
  const feed = await start();
  await commitAndSettle(feed, "before");
  const names = await follow(feed);
  await commit(feed, "one");
  await commit(feed, "two");
  await expect.poll(() => names).toEqual(["one", "two"]);
});

test("X002 a new subscriber starts at the current position after all others have left", async () => {
  const feed = await start();
  const first: string[] = [];
  const leave = await feed.subscribe(gatherInto(first));
  await commit(feed, "one");
  await expect.poll(() => first).toEqual(["one"]);
  leave();
  await commitAndSettle(feed, "while nobody listens");
  const second = await follow(feed);
  await commit(feed, "two");
  await expect.poll(() => second).toEqual(["two"]);
  expect(first).toEqual(["one"]);
});

test("X002 a change waits for older transactions and is delivered after their changes", async () => {
  const feed = await start();
  const names = await follow(feed);
  await pool.transaction(async (open) => {
    await insertChange(open, "older");
    await commit(feed, "younger");
    const { rows } = await pool.query<{ count: string }>({
      text: "select count(*) from change where kind = 'younger'",
      values: [],
    });
    expect(rows[0]?.count).toBe("1");
    expect(names).toEqual([]);
  });
  await expect.poll(() => names).toEqual(["older", "younger"]);
});

test("X002 commits by other processes are delivered too", async () => {
  const [here, there] = [await start(), await start()];
  const names = await follow(here);
  await commit(there, "elsewhere");
  await expect.poll(() => names).toEqual(["elsewhere"]);
});

async function start(): Promise<ChangeFeed> {
  const feed = await startChangeFeed({ pool, clock: systemClock, log: createLogger({ level: "silent", name: "feed" }) });
  feeds.push(feed);
  return feed;
}

async function follow(feed: ChangeFeed): Promise<string[]> {
  const names: string[] = [];
  await feed.subscribe(gatherInto(names));
  return names;
}

function gatherInto(names: string[]): (changes: readonly Change[]) => void {
  return (changes) => void names.push(...changes.map(({ kind }) => kind));
}

async function commit(feed: ChangeFeed, name: string): Promise<void> {
  await insertChange(pool, name);
  feed.poke();
}

/** Commits a change and waits until the feed can read it. Open transactions of other suites on this server can delay this. */
async function commitAndSettle(feed: ChangeFeed, name: string): Promise<void> {
  await commit(feed, name);
  const readable = async (): Promise<string[]> => (await readChanges(pool, { xid: 0n, seq: 0n }, 1000)).map(({ kind }) => kind);
  await expect.poll(readable).toContain(name);
}

async function insertChange(target: Database, kind: string): Promise<void> {
  const text = `insert into change (seq, at, type, project, kind, uid, environment, labels, object)
    values (nextval('resource_version'), now(), 'ADDED', 'default', $1, gen_random_uuid(), '', '{}', '{}')`;
  await target.query({ text, values: [kind] });
}
