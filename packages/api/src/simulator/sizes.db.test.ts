import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Json } from "@cloudwright/contract";
import { createUid, systemClock } from "@cloudwright/platform";
import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { askSimulatedCloud } from "@cloudwright/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestAnswer } from "../testing/http-call.ts";
import { createAccount, startSimulatingRun, type SimulatingRun } from "../testing/simulating-run.ts";
import { joinTestAgent } from "../testing/test-agent.ts";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

interface Page {
  readonly items: readonly { readonly type: string; readonly id: string; readonly attributes: { readonly blob: string } }[];
  readonly more: boolean;
}

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const tooLarge = [413, "api.simulation_too_large"];
let api: TestApi;
let agent: string;

beforeAll(async () => {
  api = await startTestApi();
  agent = await (await joinTestAgent(api, "system", "sizes")).sign();
});
afterAll(() => api.close());

const start = async (accountUid?: string): Promise<SimulatingRun> =>
  startSimulatingRun(api, agent, accountUid ?? (await createAccount(api)));
const seen = ({ status, body }: TestAnswer): [number, string] => [status, body.code ?? ""];
const blob = (bytes: number): string => "b".repeat(bytes);
const put = (id: string, bytes: number): Json => ({ do: "put", type: "blob", id, attributes: { blob: blob(bytes) } });
const drift = (account: string, id: string, attributes: Json): Promise<TestAnswer> =>
  api.call("POST", `/v1/projects/default/accounts/${account}/simulation/drift`, { body: { type: "blob", id, attributes } });
/** Inserts records without a run. */
const fill = (accountUid: string, count: number, bytes: number): Promise<unknown> =>
  api.pool.query({
    text: `insert into simulated_record (account_uid, type, id, attributes)
select $1, 'blob', 'b' || to_char(n, 'FM0000'), jsonb_build_object('blob', repeat('b', $3)) from generate_series(1, $2::int) n`,
    values: [accountUid, count, bytes],
  });
const total = async (accountUid: string): Promise<number> => {
  const text =
    "select coalesce(sum(octet_length(attributes::text)), 0)::float8 as bytes from simulated_record where account_uid = $1";
  return (await api.pool.query<{ bytes: number }>({ text, values: [accountUid] })).rows[0]?.bytes ?? 0;
};

test("X063 changes by users cannot make a simulated resource larger than 256 KiB", async () => {
  const account = await createAccount(api);
  const run = await start(account);
  await run.must(put("1", 10));
  expect((await drift(account, "1", { first: blob(200 * kibibyte) })).status).toBe(200);
  expect(seen(await drift(account, "1", { second: blob(60 * kibibyte) }))).toEqual(tooLarge);
  expect(await total(account)).toBeLessThan(256 * kibibyte);
  expect((await drift(account, "1", { first: null, second: blob(60 * kibibyte) })).status).toBe(200);
});

test("X063 runs cannot write a simulated resource larger than 256 KiB, and no part of such a batch is carried out", async () => {
  const run = await start();
  for (const verb of ["put", "create"]) {
    const large = { do: verb, type: "blob", id: "2", attributes: { blob: blob(256 * kibibyte) } };
    expect(seen(await run.batch([put("1", 10), large]))).toEqual(tooLarge);
  }
  await expect(
    askSimulatedCloud(api.pool, run.accountUid, { do: "put", type: "blob", id: "2", attributes: { blob: blob(256 * kibibyte) } }),
  ).rejects.toThrow("256 KiB");
  expect(await run.must({ do: "list" })).toEqual([[]]);
  await run.must(put("1", 255 * kibibyte));
});

test("X063 the resources of one simulated account are limited to 64 MiB, no matter who writes them; others are unaffected", async () => {
  const [run, other] = [await start(), await start()];
  await expect(fill(run.accountUid, 260, 255 * kibibyte)).rejects.toThrow("64 MiB");
  await fill(run.accountUid, 255, 255 * kibibyte);
  expect(seen(await run.batch([put("x", 250 * kibibyte), put("y", 250 * kibibyte)]))).toEqual(tooLarge);
  await run.must(put("b0001", 10));
  const statuses: number[] = [];
  for (let count = 0; count < 8; count++) statuses.push((await run.batch([put(`z${count}`, 200 * kibibyte)])).status);
  expect(statuses).toContain(413);
  expect(await total(run.accountUid)).toBeLessThan(64 * mebibyte);
  expect(seen(await drift(run.accountUid, "b0001", { more: blob(250 * kibibyte) }))).toEqual(tooLarge);
  await run.must({ do: "delete", type: "blob", id: "b0002" }, { do: "delete", type: "blob", id: "b0003" });
  await run.must(put("b0002", 200 * kibibyte));
  await other.must(put("1", 200 * kibibyte));
});

const seed = chooseSeed();

test(`X063 a list in pages returns every resource once, in pages of at most 1 MiB (seed ${seed})`, async () => {
  const run = await start();
  const { below: draw } = createRandom(seed);
  const ids = Array.from({ length: 60 }, (_, index) => `${draw(10 ** 6)}-${index}`);
  for (const id of ids) await run.must(put(id, draw(10) === 0 ? draw(250 * kibibyte) : draw(60 * kibibyte)));
  await run.must({ do: "create", type: "other", id: "1", attributes: {} });
  const found: string[] = [];
  for (let after = { type: "", id: "" }, more = true; more;) {
    const [page] = (await run.must({ do: "list", type: "blob", after })) as unknown as [Page];
    expect(page.items.reduce((sum, { attributes }) => sum + attributes.blob.length, 0)).toBeLessThanOrEqual(mebibyte);
    found.push(...page.items.map(({ id }) => id));
    const last = page.items.at(-1);
    after = { type: last?.type ?? "", id: last?.id ?? "" };
    more = page.more;
  }
  expect(found).toEqual(ids.toSorted());
  const pages = (await run.must({ do: "list", after: { type: "blob", id: "~" } })) as unknown as [Page];
  expect(pages[0]).toMatchObject({ items: [{ type: "other" }], more: false });
  expect(seen(await run.batch([{ do: "list", after: { type: "blob" } }]))).toEqual([400, "api.simulation_malformed"]);
});

test("X063 the response to one batch is limited, however many pages, resources or lists it requests", async () => {
  const run = await start();
  await fill(run.accountUid, 160, 250 * kibibyte);
  const first = { type: "", id: "" };
  const { status, text, body } = await run.batch(Array.from({ length: 100 }, () => ({ do: "list", after: first })));
  expect(status).toBe(200);
  expect(text.length).toBeLessThan(10 * mebibyte);
  const pages = (body as unknown as { answers: Page[] }).answers;
  expect(pages.every(({ more }) => more)).toBe(true);
  expect(pages.at(-1)?.items).toEqual([]);
  const finds = Array.from({ length: 100 }, () => ({ do: "find", type: "blob", id: "b0001" }));
  expect(seen(await run.batch(finds))).toEqual(tooLarge);
  expect(seen(await run.batch([{ do: "list" }]))).toEqual(tooLarge);
  await run.must(
    ...Array.from({ length: 60 }, (_, n) => ({ do: "delete", type: "blob", id: `b${String(n + 1).padStart(4, "0")}` })),
  );
  expect((await run.must({ do: "list", type: "blob" }))[0]).toHaveLength(100);
});

test("X063 responses that are stored for repeated requests are small", async () => {
  const run = await start();
  await fill(run.accountUid, 4, 100 * kibibyte);
  expect(seen(await run.batch([put("1", 10), { do: "list" }]))).toEqual(tooLarge);
  expect(await run.must({ do: "find", type: "blob", id: "1" })).toEqual([null]);
  await run.must(put("1", 10), { do: "find", type: "blob", id: "1" });
});

test("X063 a page of large simulated resources ends early, and the next page continues", async () => {
  const account = await createAccount(api);
  await fill(account, 60, 250 * kibibyte);
  const path = `/v1/projects/default/accounts/${account}/simulation/records?pageSize=1000`;
  const found: string[] = [];
  let pages = 0;
  for (let token: string | undefined = ""; token !== undefined; pages++) {
    const { text } = await api.must("GET", `${path}&pageToken=${token}`);
    expect(text.length).toBeLessThan(9 * mebibyte);
    const { items, nextPageToken } = JSON.parse(text) as { items: { id: string }[]; nextPageToken: string };
    found.push(...items.map(({ id }) => id));
    token = nextPageToken === "" ? undefined : nextPageToken;
  }
  expect(pages).toBe(2);
  expect(new Set(found).size).toBe(60);
  expect(found).toHaveLength(60);
});

test.each([
  [8, 1],
  [2, 150],
])("X063 at most %i calls of a project with %i actions are in progress, and the others wait", async (most, actions) => {
  const run = await start();
  const requests = Array.from({ length: 12 }, () => createUid(systemClock.now()));
  const lock = "select pg_advisory_lock(hashtextextended(r, 8)) from unnest($1::text[]) r";
  const waiting = `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted
and database = (select oid from pg_database where datname = current_database())`;
  const count = async (): Promise<number> =>
    (await api.pool.query<{ count: number }>({ text: waiting, values: [] })).rows[0]?.count ?? 0;
  const finished: number[] = [];
  let calls: Promise<unknown>[] = [];
  await api.pool.transaction(async (transaction) => {
    await transaction.query({ text: lock.replace("pg_advisory_lock", "pg_advisory_xact_lock"), values: [requests] });
    calls = requests.map(async (request, index) => {
      const acts = Array.from({ length: actions }, (_, nth) => put(`${index}-${nth}`, 10));
      const { status } = await run.batch(acts, { request });
      finished.push(status);
    });
    await expect.poll(count).toBe(most);
    for (let round = 0; round < 5; round++) await api.must("GET", "/v1/whoami");
    expect(await count()).toBe(most);
    expect(finished).toEqual([]);
  });
  await Promise.all(calls);
  expect(finished).toEqual(requests.map(() => 200));
});

test("X063 one large list of a project is in progress at a time, until its client has read it or disconnected", async () => {
  const run = await start();
  await fill(run.accountUid, 100, 250 * kibibyte);
  const order: string[] = [];
  const unread = await sendUnread(run, { acts: [{ do: "list" }] });
  const list = run.batch([{ do: "list" }]).then(({ status }) => order.push(`list ${status}`));
  for (let round = 0; round < 20; round++) {
    expect(await run.must({ do: "find", type: "blob", id: "none" })).toEqual([null]);
    await api.must("GET", "/v1/whoami");
  }
  order.push("finds");
  unread.destroy();
  await list;
  expect(order).toEqual(["finds", "list 200"]);
});

/** Sends a batch and does not read the response. Resolves when the response has started. */
async function sendUnread(run: SimulatingRun, batch: object): Promise<Socket> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const body = JSON.stringify(batch);
  const authorization = `Basic ${Buffer.from(`${run.username}:${run.password}`).toString("base64")}`;
  socket.write(
    `POST /v1/simulator/${run.accountUid}/batch HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, "readable");
  return socket;
}
