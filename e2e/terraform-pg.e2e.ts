import { Secret } from "@cloudwright/platform";
import { startTestPostgres, type TestPostgres } from "@cloudwright/store/testing";
import { createBackend, getValue } from "@cloudwright/terraform";
import { readAllFiles } from "@cloudwright/terraform/testing";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCloud, findEngines } from "./terraform-stack.ts";

const engines = findEngines();
const main = 'resource "sim_network" "main" {\n  name = "main"\n  cidr = "10.0.0.0/16"\n}\n';

describe.skipIf(engines.length === 0)("states in PostgreSQL", () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres.stop());

  test.each(engines)(
    "M065 X030 $name stores its state in a database with a lock, and no file contains the password",
    async ({ name, binary }) => {
      const cloud = await createTestCloud("resident");
      const { host, port, user } = postgres;
      const schema = `state_of_${name}`;
      const backend = createBackend({
        type: "pg",
        host,
        port,
        user,
        database: user,
        schema,
        sslMode: "disable",
        password: new Secret("canary-4711-canary"),
      });
      const terraform = cloud.open(binary, main, { backend, lockTimeoutSeconds: 0 });
      getValue(await terraform.init());
      const { id } = getValue(await terraform.plan());
      const parcel = await terraform.packPlan(id);
      getValue(await terraform.apply(id));
      expect(await cloud.inventory.list("a")).toHaveLength(1);

      const client = new Client({ host, port, user, database: user });
      await client.connect();
      try {
        const { rows } = await client.query<{ id: string; data: string }>(`SELECT id, data FROM ${schema}.states`);
        expect(JSON.parse(rows[0]?.data ?? "{}")).toMatchObject({ resources: [{ type: "sim_network" }] });
        // Terraform and OpenTofu use the row id of the state as the lock key.
        await client.query(`SELECT pg_advisory_lock(id) FROM ${schema}.states`);
        expect(await terraform.plan()).toMatchObject({ outcome: "failed", fault: { code: "terraform.state_locked" } });
        await client.query("SELECT pg_advisory_unlock_all()");
      } finally {
        await client.end();
      }
      expect(getValue(await terraform.plan())).toMatchObject({ hasChanges: false });

      const other = cloud.open(binary, main, { backend });
      getValue(await other.init());
      await other.unpackPlan(id, parcel);
      expect(await other.apply(id)).toMatchObject({ outcome: "failed", fault: { code: "terraform.plan_stale" } });
      getValue(await terraform.plan({ mode: "destroy" }));
      const files = readAllFiles(terraform.directory);
      expect([...files.keys()].some((path) => path.endsWith(".tfplan!tfplan"))).toBe(true);
      expect([...files].filter(([, bytes]) => bytes.includes("4711"))).toEqual([]);
    },
  );
});
