import { createLogger, createManualClock } from "@cloudwright/platform";
import { createPool, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authenticate } from "./authenticate.ts";
import { createPeople, createTestKeyRing } from "./testing.ts";
import { createTokens } from "./tokens.ts";

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

test("X002 the check of a stream's caller fails when a role is taken away, not when one is added", async () => {
  const clock = createManualClock();
  const tokens = createTokens({
    pool,
    keyRing: createTestKeyRing(),
    clock,
    log: createLogger({ level: "silent", name: "test" }),
  });
  const people = createPeople({ pool, clock });
  const ada = await people.createUser("ada");
  await people.bindRole(ada, "shop", "editor");
  const { key } = await people.createKey(ada);
  const request = {
    cookie: undefined,
    method: "GET",
    csrfHeader: undefined,
    origin: undefined,
    host: "",
    secFetchSite: undefined,
  };
  const caller = await authenticate({ pool, tokens, clock }, { ...request, authorization: `Bearer ${key}` });

  await people.bindRole(ada, "archive", "viewer");
  expect(await caller?.isCurrent?.()).toBe(true);
  await pool.query({ text: "delete from entity where kind = 'RoleBinding' and project = 'shop'", values: [] });
  expect(await caller?.isCurrent?.()).toBe(false);
});
