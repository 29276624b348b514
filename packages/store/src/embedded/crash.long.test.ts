import { expect, test } from "vitest";
import { connect, query, seedHomes, start, waitForLog } from "./fixtures/homes.ts";

const createHome = seedHomes();

test("M098 killing the database during writes does not lose acknowledged rows", async () => {
  const server = await start(await createHome());
  await query(server, "create table written (id integer primary key)");
  const acknowledged: number[] = [];
  let next = 0;
  const killed = server.pid();
  const writers = Array.from({ length: 4 }, async () => {
    const client = await connect(server);
    try {
      for (;;) {
        const id = next++;
        await client.query("insert into written values ($1)", [id]);
        acknowledged.push(id);
        if (acknowledged.length === 500) process.kill(killed, "SIGKILL");
      }
    } catch {
      await client.end();
    }
  });
  await Promise.all(writers);

  await server.ensureRunning();
  expect(server.pid()).not.toBe(killed);
  const found = new Set((await query(server, "select id from written")).map(({ id }) => id));
  expect(acknowledged.length).toBeGreaterThanOrEqual(500);
  expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
});

test("M098 concurrent calls to ensureRunning share one attempt", async () => {
  const server = await start(await createHome());
  process.kill(server.pid(), "SIGKILL");
  const calls = Array.from({ length: 5 }, () => server.ensureRunning());
  expect(new Set(calls).size).toBe(1);
  await Promise.all(calls);
  expect(await query(server, "select 1 as alive")).toEqual([{ alive: 1 }]);
});

test("M098 ensureRunning does not touch a healthy server", async () => {
  const server = await start(await createHome());
  const before = server.pid();
  const client = await connect(server);
  await server.ensureRunning();
  expect(server.pid()).toBe(before);
  await client.query("select 1");
  await client.end();
});

test("M098 a new server waits until the last process of the killed one has exited", async () => {
  const home = await createHome();
  const server = await start(home);
  const client = await connect(server);
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  // A backend that is busy computing does not notice that its parent has died.
  const busy = client.query("select count(*) from generate_series(1, 1000000000)").catch(() => undefined);
  await isActive(server, rows[0]?.pid as number);
  process.kill(server.pid(), "SIGKILL");

  const revived = server.ensureRunning();
  await waitForLog(home, "pre-existing shared memory block");
  process.kill(rows[0]?.pid as number, "SIGKILL");
  await revived;
  await busy;
  await client.end();
  expect(await query(server, "select 1 as alive")).toEqual([{ alive: 1 }]);
});

async function isActive(server: Parameters<typeof query>[0], pid: number): Promise<void> {
  for (;;) {
    const [row] = await query(server, `select state from pg_stat_activity where pid = ${pid} and query like '%generate_series%'`);
    if (row?.["state"] === "active") return;
  }
}
