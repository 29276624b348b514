import { createLogger } from "@cloudwright/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPool, type Pool } from "./pool.ts";
import { createSignal } from "./signal.ts";
import { createTestDatabase, type TestDatabase } from "./testing/index.ts";

const log = createLogger({ level: "silent", name: "test" });
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

test("M043 a signal that is closed while it connects does not wait forever", async () => {
  const gate = Promise.withResolvers<void>();
  const connecting = Promise.withResolvers<void>();
  const slow: Pool = {
    ...pool,
    async connect() {
      connecting.resolve();
      await gate.promise;
      return pool.connect();
    },
  };
  const signal = createSignal({ pool: slow, log }, "test");
  await connecting.promise;
  const closed = signal.close();
  gate.resolve();
  await expect(closed).resolves.toBeUndefined();
});
