import { createLogger, createManualClock, Fault } from "@cloudwright/platform";
import { createPool, storeFaults, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createFailureAudit } from "./audit-failures.ts";

const log = createLogger({ level: "silent", name: "test" });
const failure = { source: "192.0.2.1", requestId: "r-1", code: "api.unauthenticated" };

let database: TestDatabase;
let pool: Pool;
let clock: ReturnType<typeof createManualClock>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});
beforeEach(async () => {
  await pool.query({ text: "truncate audit", values: [] });
  clock = createManualClock();
});

async function countRecords(): Promise<number> {
  return (
    (await pool.query<{ count: number }>({ text: "select count(*)::int as count from audit", values: [] })).rows[0]?.count ?? -1
  );
}

test("M014 a rejected credential leaves one audit record with action, time, source and reason", async () => {
  await createFailureAudit({ pool, clock, log }).record(failure);
  const { rows } = await pool.query({ text: "select * from audit", values: [] });
  expect(rows).toEqual([
    {
      uid: expect.any(String),
      at: new Date(clock.now()),
      actor: "",
      credential: "",
      verb: "authenticate",
      kind: "Identity",
      project: "system",
      name: "",
      entity_uid: null,
      outcome: "denied",
      code: "api.unauthenticated",
      source: "192.0.2.1",
      request_id: "r-1",
    },
  ]);
});

test("M014 one source leaves at most ten records in any minute, however it spreads them", async () => {
  const audit = createFailureAudit({ pool, clock, log });
  await Promise.all(Array.from({ length: 50 }, () => audit.record(failure)));
  expect(await countRecords()).toBe(10);
  await audit.record({ ...failure, source: "192.0.2.2" });
  expect(await countRecords()).toBe(11);
  clock.advance(59_999);
  await audit.record(failure);
  expect(await countRecords()).toBe(11);
  clock.advance(1);
  await Promise.all(Array.from({ length: 50 }, () => audit.record(failure)));
  expect(await countRecords()).toBe(21);
});

test("M014 the number of remembered sources is limited; the one that wrote longest ago is forgotten first", async () => {
  const audit = createFailureAudit({ pool, clock, log }, { maxSources: 2 });
  const fill = (source: string) => Promise.all(Array.from({ length: 10 }, () => audit.record({ ...failure, source })));
  await fill("192.0.2.1");
  await fill("192.0.2.2");
  await fill("192.0.2.3");
  expect(await countRecords()).toBe(30);
  await audit.record({ ...failure, source: "192.0.2.3" });
  await audit.record({ ...failure, source: "192.0.2.2" });
  expect(await countRecords()).toBe(30);
  await audit.record({ ...failure, source: "192.0.2.1" });
  expect(await countRecords()).toBe(31);
});

test("M014 an unavailable database does not turn a rejection into an error", async () => {
  const away = new Fault(storeFaults.database_unavailable, "away");
  const broken: Pool = { ...pool, query: () => Promise.reject(away) };
  const lines: string[] = [];
  const noisy = createLogger({ level: "warn", name: "test", stream: { write: (line) => lines.push(line) } });
  await expect(createFailureAudit({ pool: broken, clock, log: noisy }).record(failure)).resolves.toBeUndefined();
  expect(lines).toHaveLength(1);
});
