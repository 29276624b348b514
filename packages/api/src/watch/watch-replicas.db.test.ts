import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import type { StreamEvent } from "../testing/event-stream.ts";

const agents = "/v1/projects/default/agents";
const writers = 8;
const rounds = 12;

let api: TestApi;
let replica: Awaited<ReturnType<TestApi["startReplica"]>>;

beforeAll(async () => {
  api = await startTestApi();
  replica = await api.startReplica();
});
afterAll(() => api.close());

function isLast({ data }: StreamEvent): boolean {
  return data.object.metadata.name === "last";
}

/** Returns the changes to each entity in stream order. */
function livesIn(events: readonly StreamEvent[]): Map<string, string[]> {
  const lives = new Map<string, string[]>();
  for (const { type, data } of events) {
    const { uid = "", resourceVersion = "" } = data.object.metadata;
    lives.set(uid, [...(lives.get(uid) ?? []), `${type} ${resourceVersion}`]);
  }
  return lives;
}

/**
 * Creates, updates and sometimes deletes entities. Some concurrent transactions stay open for a while and are then rolled back. Returns
 * the changes that watchers must see for each entity, oldest first.
 */
async function write(writer: number): Promise<[uid: string, life: string[]][]> {
  const lives: [string, string[]][] = [];
  const send = writer % 2 === 0 ? api.send : replica.send;
  for (let round = 0; round < rounds; round += 1) {
    const name = `w-${writer}-${round}`;
    const open = round % 4 === 0 ? holdTransaction(round % 8 === 0) : undefined;
    const created = await send({ method: "POST", path: agents, key: api.adminKey, body: { metadata: { name } } });
    const { uid = "", resourceVersion: first = "" } = created.body.metadata;
    const life = [`ADDED ${first}`];
    for (const description of ["one", "two"]) {
      const changed = await send({
        method: "PATCH",
        path: `${agents}/${name}`,
        key: api.adminKey,
        body: { spec: { description } },
      });
      life.push(`MODIFIED ${changed.body.metadata.resourceVersion}`);
    }
    if (round % 3 === 0) {
      await send({ method: "DELETE", path: `${agents}/${name}`, key: api.adminKey });
      life.push(`DELETED ${life.at(-1)?.split(" ")[1]}`);
    }
    await open;
    lives.push([uid, life]);
  }
  return lives;
}

/** Keeps a transaction open while others commit, then rolls it back. If `writes` is true, the transaction also writes a change. */
async function holdTransaction(writes: boolean): Promise<void> {
  const undo = new Error("taken back");
  const work = api.pool.transaction(async (database) => {
    const version = await api.deps.versions.next();
    if (writes) {
      await database.query({
        text: `insert into change (seq, at, type, project, kind, uid, environment, labels, object)
          values ($1, now(), 'ADDED', 'default', 'Agent', gen_random_uuid(), '', '{}', '{"metadata":{"uid":"ghost"}}')`,
        values: [version],
      });
    } else await database.query({ text: "select pg_current_xact_id()", values: [] });
    await database.query({ text: "select pg_sleep(0.03)", values: [] });
    throw undo;
  });
  await work.catch((error: unknown) => {
    if (error !== undo) throw error;
  });
}

test("X002 with many writers and rollbacks, watchers of every replica see each change once and in order", async () => {
  const position = (await api.must("GET", agents)).body.resourceVersion;
  const live = [await api.watch(`${agents}?watch=true`), await replica.watch(`${agents}?watch=true`)];
  for (const stream of live) await stream.until(({ type }) => type === "SYNCED");

  const written = await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  await api.must("POST", agents, { body: { metadata: { name: "last" } } });
  const resumed = [
    await api.watch(`${agents}?watch=true&resourceVersion=${position}`),
    await replica.watch(`${agents}?watch=true&resourceVersion=${position}`),
  ];
  const expected = new Map(written.flat());
  expect(expected.size).toBe(writers * rounds);
  for (const stream of [...live, ...resumed]) {
    const seen = (await stream.until(isLast)).filter((event) => !isLast(event));
    stream.close();
    expect(livesIn(seen)).toEqual(expected);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  }
});

test("X002 a watch that is opened during writes misses nothing and repeats nothing", async () => {
  const busy = Promise.all(Array.from({ length: 4 }, (_, writer) => write(100 + writer)));
  const streams = [];
  for (let index = 0; index < 6; index += 1) {
    streams.push(await (index % 2 === 0 ? api : replica).watch(`${agents}?watch=true`));
    await api.must("POST", agents, { body: { metadata: { name: `between-${index}` } } });
  }
  await busy;
  await api.must("POST", agents, { body: { metadata: { name: "end" } } });
  const { items } = (await api.must("GET", `${agents}?pageSize=1000`)).body;
  const expected = new Map(items.map(({ metadata }) => [metadata.uid, metadata.resourceVersion]));
  for (const stream of streams) {
    const seen = await stream.until(({ data }) => data.object.metadata.name === "end");
    stream.close();
    const state = new Map<string | undefined, string | undefined>();
    for (const { type, data } of seen) {
      const { uid, resourceVersion } = data.object.metadata;
      if (type === "SYNCED") continue;
      expect([type, state.has(uid)]).toEqual([type, type !== "ADDED"]);
      if (type === "DELETED") state.delete(uid);
      else state.set(uid, resourceVersion);
    }
    expect(state).toEqual(expected);
  }
});
