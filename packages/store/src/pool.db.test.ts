import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createPool, isViolation, type Database, type Pool } from "./pool.ts";
import { createTestDatabase, type TestDatabase } from "./testing/index.ts";

const unavailable = expect.objectContaining({ code: "store.database_unavailable", retry: "backoff" });

let database: TestDatabase;
let pool: Pool;
let other: Pool;
let losses: number;

beforeAll(async () => {
  database = await createTestDatabase();
  other = createPool(database.connection, { size: 1 });
  await other.query({ text: "create table note (text text primary key)", values: [] });
});
afterAll(async () => {
  await other.close();
  await database.drop();
});
beforeEach(() => {
  losses = 0;
  pool = createPool(database.connection, { onLost: () => (losses += 1) });
});
afterEach(() => pool.close());

/** Terminates a connection as a database shutdown would, and waits until it is closed. */
async function kill(pid: number | undefined): Promise<void> {
  await other.query({ text: "select pg_terminate_backend($1, 10000)", values: [pid] });
}

async function pidOf(client: Database): Promise<number | undefined> {
  return (await client.query<{ pid: number }>({ text: "select pg_backend_pid() as pid", values: [] })).rows[0]?.pid;
}

async function countNotes(): Promise<number> {
  return (await other.query({ text: "select 1 from note", values: [] })).rows.length;
}

describe("M099 an unreachable database", () => {
  test("causes a retryable fault, not a driver error", async () => {
    for (const connection of [
      { ...database.connection, host: "/nowhere" },
      { ...database.connection, host: "127.0.0.1", port: 1 },
      { url: "postgresql://cloudwright@127.0.0.1:1/none" },
    ]) {
      const unreachable = createPool(connection);
      await expect(unreachable.query({ text: "select 1", values: [] })).rejects.toEqual(unavailable);
      await expect(unreachable.transaction(async () => undefined)).rejects.toEqual(unavailable);
      await expect(unreachable.connect()).rejects.toEqual(unavailable);
      await unreachable.close();
    }
  });

  test("that does not answer causes the same fault, even in a transaction, and does not block closing the pool", async () => {
    const impatient = createPool(database.connection, { size: 2, silentMs: 200 });
    const sleep = { text: "select pg_sleep(30)", values: [] };
    await expect(impatient.query(sleep)).rejects.toEqual(unavailable);
    await expect(impatient.transaction((client) => client.query(sleep))).rejects.toEqual(unavailable);
    expect((await impatient.query({ text: "select 1", values: [] })).rowCount).toBe(1);
    await impatient.close();
  });

  test("during a query causes the same fault, and the next query reconnects", async () => {
    const pid = await pidOf(pool);
    const sleeping = pool.query({ text: "select pg_sleep(30)", values: [] });
    await expect
      .poll(
        async () =>
          (await other.query({ text: "select 1 from pg_stat_activity where pid = $1 and state = 'active'", values: [pid] })).rows,
      )
      .toHaveLength(1);
    await Promise.all([kill(pid), expect(sleeping).rejects.toEqual(unavailable)]);
    expect(losses).toBeGreaterThan(0);
    expect(await pidOf(pool)).not.toBe(pid);
  });

  test("while the pool is idle is noticed, and the next query reconnects", async () => {
    const pid = await pidOf(pool);
    await kill(pid);
    await expect.poll(() => losses).toBeGreaterThan(0);
    expect(await pidOf(pool)).not.toBe(pid);
  });

  test("between two statements of a transaction causes the same fault and affects nothing else", async () => {
    const work = pool.transaction(async (client) => {
      await client.query({ text: "insert into note values ('lost')", values: [] });
      const pid = await pidOf(client);
      await kill(pid);
      await expect.poll(() => losses).toBeGreaterThan(0);
      await client.query({ text: "select 1", values: [] });
    });
    await expect(work).rejects.toEqual(unavailable);
    expect(await countNotes()).toBe(0);
    expect(await pidOf(pool)).toBeGreaterThan(0);
  });

  test("is noticed by the owner of a listening client", async () => {
    const client = await pool.connect();
    const ended = new Promise<void>((resolve) => void client.on("end", resolve));
    await kill(await pidOf(client));
    await ended;
    expect(losses).toBeGreaterThan(0);
    await client.end();
  });
});

describe("M099 a transaction", () => {
  test("commits everything, or nothing if its work fails", async () => {
    const failure = new Error("changed my mind");
    const work = pool.transaction(async (client) => {
      await client.query({ text: "insert into note values ('a')", values: [] });
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(await countNotes()).toBe(0);
    const answer = await pool.transaction(async (client) => {
      await client.query({ text: "insert into note values ('a')", values: [] });
      return "done";
    });
    expect([answer, await countNotes()]).toEqual(["done", 1]);
  });

  test("that fails in the database leaves its connection usable", async () => {
    const single = createPool(database.connection, { size: 1 });
    await expect(single.transaction((client) => client.query({ text: "select 1/0", values: [] }))).rejects.toMatchObject({
      code: "22012",
    });
    expect(await pidOf(single)).toBeGreaterThan(0);
    await single.close();
  });
});

test("M099 statement errors pass through unchanged, and violations are identified by their constraint", async () => {
  const error = await pool.query({ text: "insert into note values ('a'), ('a')", values: [] }).catch((cause: unknown) => cause);
  expect(isViolation(error, "23505")).toBe(true);
  expect(isViolation(error, "23505", "note_pkey")).toBe(true);
  expect(isViolation(error, "23505", "entity_name")).toBe(false);
  expect(isViolation(error, "23503")).toBe(false);
  expect(isViolation(new Error("23505"), "23505")).toBe(false);
  expect(losses).toBe(0);
});
