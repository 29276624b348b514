import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { createAccount, startSimulatingRun, type SimulatingRun } from "../testing/simulating-run.ts";
import { joinTestAgent } from "../testing/test-agent.ts";

let api: TestApi;
let agent: string;

beforeAll(async () => {
  api = await startTestApi();
  agent = await (await joinTestAgent(api, "system", "ada")).sign();
});
afterAll(() => api.close());

const start = async (accountUid?: string): Promise<SimulatingRun> =>
  startSimulatingRun(api, agent, accountUid ?? (await createAccount(api)));
const seen = ({ status, body }: TestAnswer): [number, string] => [status, body.code ?? ""];
const newUid = (): string => createUid(systemClock.now());
const thing = (id: string, attributes: object = { size: 1 }) => ({ type: "thing", id, attributes: attributes as never });
const create = (id: string, attributes?: object) => ({ do: "create", ...thing(id, attributes) });
const find = (id: string) => ({ do: "find", type: "thing", id });

async function query(text: string, ...values: unknown[]): Promise<object[]> {
  return (await api.pool.query<object>({ text, values })).rows;
}

describe("M032 a simulated cloud", () => {
  test("stores creations, replacements and deletions, each once, in the requested order", async () => {
    const run = await start();
    const answers = await run.must(
      create("b"),
      create("a", { text: "ünï", list: [1, null, { x: 1.5 }] }),
      create("a"),
      find("a"),
      { do: "put", ...thing("b", { size: 2 }) },
      { do: "list", type: "thing" },
      { do: "list", type: "other" },
      { do: "delete", type: "thing", id: "b" },
      { do: "delete", type: "thing", id: "b" },
      find("b"),
      { do: "list" },
    );
    const a = thing("a", { text: "ünï", list: [1, null, { x: 1.5 }] });
    expect(answers).toEqual([true, true, false, a, true, [a, thing("b", { size: 2 })], [], true, false, null, [a]]);
  });

  test("is shared by all runs of the account, and by no others", async () => {
    const first = await start();
    const second = await start(first.accountUid);
    const other = await start();
    await first.must(create("1"));
    expect(await second.must(find("1"), create("1"))).toEqual([thing("1"), false]);
    expect(await other.must({ do: "list" })).toEqual([[]]);
    const { rows } = await api.pool.query({
      text: "select type, id from simulated_record where account_uid = $1",
      values: [first.accountUid],
    });
    expect(rows).toEqual([{ type: "thing", id: "1" }]);
  });

  test("accepts one of many concurrent creations of the same record, in whatever order they arrive", async () => {
    const account = await createAccount(api);
    const runs = [await start(account), await start(account)] as const;
    const tries = Array.from({ length: 20 }, (_, nth) => {
      const acts = [create(`a${nth >> 1}`), create(`b${nth >> 1}`)];
      return (runs[nth % 2] as SimulatingRun).must(...(nth % 2 === 0 ? acts : acts.toReversed()));
    });
    const did = (await Promise.all(tries)).flat();
    expect(did.filter((answer) => answer === true)).toHaveLength(20);
    expect(did.filter((answer) => answer === false)).toHaveLength(20);
  });

  test("is deleted with its account", async () => {
    const run = await start();
    await run.must(create("1"));
    await query("delete from entity where uid = $1", run.entityUid);
    await query("delete from entity where uid = $1", run.accountUid);
    expect(await query("select from simulated_record where account_uid = $1", run.accountUid)).toEqual([]);
  });
});

describe("X031 a repeated request", () => {
  test("gets the first response and does nothing twice, even if both run at the same time", async () => {
    const run = await start();
    const request = newUid();
    const acts = [create("1"), { do: "delete", type: "thing", id: "1" }, create("1", { size: 3 })];
    const all = await Promise.all(Array.from({ length: 8 }, () => run.batch(acts, { request })));
    for (const { body } of all) expect(body).toMatchObject({ answers: [true, true, true] });
    await run.must({ do: "delete", type: "thing", id: "1" });
    expect((await run.batch(acts, { request })).body).toMatchObject({ answers: [true, true, true] });
    expect(await run.must(find("1"))).toEqual([null]);
  });

  test("is treated as a new request in another account", async () => {
    const request = newUid();
    for (const run of [await start(), await start()])
      expect((await run.batch([create("1")], { request })).body).toMatchObject({ answers: [true] });
  });
});

describe("M032 a simulated fault", () => {
  const plan = (run: SimulatingRun, fault: object): Promise<TestAnswer> =>
    api.must("POST", `/v1/projects/default/accounts/${run.accountUid}/simulation/fail`, { body: fault as never });
  const take = (operation = "create", type = "thing") => ({ do: "take", operation, type });

  test("occurs at the given call of the given type, as often as requested", async () => {
    const run = await start();
    expect((await run.batch([take()])).body).toEqual({ answers: [null], faults: false });
    await plan(run, { kind: "error", message: "NoRoom: full", operation: "create", type: "thing", nth: 2, times: 2 });
    const taken = await run.must(take(), take("update"), take("create", "other"), take(), take(), take());
    const due = { kind: "error", message: "NoRoom: full", operation: "create", type: "thing", nth: 2, times: 2 };
    expect(taken).toEqual([null, null, null, due, due, null]);
    await plan(run, { kind: "crash", operation: "create" });
    expect((await run.batch([])).body).toEqual({ answers: [], faults: true });
  });

  test("is counted once across all replicas, and once per request", async () => {
    const account = await createAccount(api);
    const runs = [await start(account), await start(account)] as const;
    await plan(runs[0], { kind: "crash", operation: "create", nth: 5, times: 3 });
    const request = newUid();
    const again = () => runs[0].batch([take()], { request });
    await Promise.all([again(), again(), again()]);
    const tries = Array.from({ length: 19 }, (_, nth) => (runs[nth % 2] as SimulatingRun).must(take()));
    const taken = (await Promise.all(tries)).flat().filter((answer) => answer !== null);
    expect(taken).toHaveLength(3);
    const { faults } = (await api.must("GET", `/v1/projects/default/accounts/${account}/simulation`)).body as never as {
      faults: number;
    };
    expect(faults).toBe(0);
  });

  test("is the first of several at the same call, and each of them counts the call", async () => {
    const run = await start();
    await plan(run, { kind: "hang", operation: "read" });
    await plan(run, { kind: "slow", delayMs: 5, operation: "read", times: 2 });
    const kinds = (await run.must(take("read"), take("read"), take("read"))).map((due) => (due as { kind: string } | null)?.kind);
    expect(kinds).toEqual(["hang", "slow", undefined]);
  });
});

describe("M009 access to a simulated cloud", () => {
  test("is limited to runs of tasks of its account, with their own credential", async () => {
    const [run, other] = [await start(), await start()];
    const refused = [401, "api.run_ended"];
    expect(seen(await run.batch([], { accountUid: other.accountUid }))).toEqual(refused);
    expect(seen(await run.batch([], { accountUid: newUid() }))).toEqual(refused);
    expect(seen(await run.batch([], { accountUid: "nobody" }))).toEqual(refused);
    const path = `/v1/simulator/${run.accountUid}/batch`;
    const body = { acts: [] };
    const basic = (user: string, password: string) => ({
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
    });
    const wrong = [
      {},
      { authorization: `Bearer ${api.adminKey}` },
      { authorization: `Bearer ${agent}` },
      basic(run.username, "cws_x"),
      basic(other.username, run.password),
    ];
    for (const headers of wrong) {
      const answer = await api.send({ method: "POST", path, body, headers });
      expect([seen(answer), answer.headers["www-authenticate"]]).toEqual([refused, 'Basic realm="simulated cloud"']);
    }
    expect((await run.batch([])).status).toBe(200);
    expect((await api.call("GET", path)).status).toBe(405);
  });

  test("ends with the task; a run whose lease has lapsed waits until it is renewed", async () => {
    const run = await start();
    const setLease = (until: string) =>
      query(`update task_line set leased_until = now() + interval '${until}' where entity_uid = $1`, run.entityUid);
    await setLease("-1 second");
    expect(seen(await run.batch([create("1")]))).toEqual([503, "api.lease_lapsed"]);
    await setLease("1 minute");
    expect(await run.must(find("1"))).toEqual([null]);
    await run.finish();
    expect(seen(await run.batch([create("1")]))).toEqual([401, "api.run_ended"]);
    expect(await query("select from simulated_record where account_uid = $1", run.accountUid)).toEqual([]);
  });

  test("is rejected for a real account", async () => {
    const run = await start(await createAccount(api, { aws: { accessKeyId: "A".repeat(16), secretAccessKey: "s" } }));
    expect(seen(await run.batch([create("1")]))).toEqual([409, "api.not_simulated"]);
  });
});

describe("M130 the Kubernetes API of a cluster", () => {
  const dev = { region: "eu-west-1", name: "dev-1" };
  const ask = (run: SimulatingRun, body: object, door = "clusters", accountUid = run.accountUid): Promise<TestAnswer> => {
    const authorization = `Basic ${Buffer.from(`${run.username}:${run.password}`).toString("base64")}`;
    return api.send({
      method: "POST",
      path: `/v1/simulator/${accountUid}/${door}`,
      body: body as never,
      headers: { authorization },
    });
  };
  const record = { do: "create", type: "aws_eks_cluster", id: dev.name, attributes: {} };

  test("is known before the cluster exists, and is the same however often it is requested", async () => {
    const run = await start();
    const first = await ask(run, dev);
    expect(first).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
    const { endpoint } = first.body as unknown as { endpoint: string };
    expect(endpoint).toMatch(/^https:\/\/clusters\/dev-1-[0-9a-f]{12}$/);
    await run.must(record);
    expect((await ask(run, dev)).body).toEqual(first.body);
    const id = endpoint.split("/").at(-1) ?? "";
    expect((await ask(run, dev, "clusters/tokens")).body).toEqual({ token: expect.stringContaining(`admin of ${id} until `) });
  });

  test("M183 gives runs a token that expires after fifteen minutes", async () => {
    const run = await start();
    const { token } = (await ask(run, dev, "clusters/tokens")).body as unknown as { token: string };
    const leftMs = Date.parse(token.split(" until ")[1] ?? "") - systemClock.now();
    expect([leftMs > 0, leftMs <= 15 * 60_000]).toEqual([true, true]);
  });

  test("of a cluster that was deleted and created again is a different one", async () => {
    const run = await start();
    const first = await ask(run, dev);
    await run.must(record);
    await query("update simulated_cluster set seen = true, object_version = 7 where account_uid = $1", run.accountUid);
    expect((await ask(run, dev)).body).toEqual(first.body);
    await run.must({ do: "delete", type: record.type, id: record.id });
    const { endpoint, caPem } = (await ask(run, dev)).body as unknown as { endpoint: string; caPem: string };
    const before = first.body as unknown as { endpoint: string; caPem: string };
    expect([endpoint === before.endpoint, caPem === before.caPem]).toEqual([true, false]);
    const text = "select seen, object_version::int as version from simulated_cluster where account_uid = $1";
    expect(await query(text, run.accountUid)).toEqual([{ seen: false, version: 0 }]);
  });

  test("M009 is revealed to the account's own runs only, and nothing is created for others", async () => {
    const [run, other] = [await start(), await start()];
    expect(seen(await ask(run, dev, "clusters", other.accountUid))).toEqual([401, "api.run_ended"]);
    expect(seen(await ask(run, dev, "clusters/tokens", other.accountUid))).toEqual([401, "api.run_ended"]);
    expect(seen(await ask(run, { region: "", name: "x" }))).toEqual([400, "api.simulation_malformed"]);
    const text = "select from simulated_cluster where account_uid = any ($1)";
    expect(await query(text, [run.accountUid, other.accountUid])).toEqual([]);
  });
});

test("M032 a malformed request is rejected, and no part of it is carried out", async () => {
  const run = await start();
  const bad: never[][] = [
    [{ do: "empty" }],
    [{ do: "find", type: "thing" }],
    [{ do: "create", type: "thing", id: "2" }],
    [{ do: "put", type: "thing", id: "2", attributes: [] }],
    [{ do: "delete", type: "thing", id: "ü".repeat(513) }],
    [{ do: "take" }],
    ["create"],
  ] as never[][];
  for (const acts of bad)
    expect([acts, seen(await run.batch([create("1"), ...acts]))]).toEqual([acts, [400, "api.simulation_malformed"]]);
  expect(seen(await run.batch([create("1"), create("2", { text: "\u0000" })]))).toEqual([400, "api.invalid"]);
  expect(seen(await run.batch([create("1")], { request: "first" }))).toEqual([400, "api.simulation_malformed"]);
  expect(await run.must({ do: "list" })).toEqual([[]]);
});
