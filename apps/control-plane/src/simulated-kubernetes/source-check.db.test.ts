import { createManualClock, createUid } from "@cloudwright/platform";
import type { TokenOrigin } from "@cloudwright/simulator";
import { createPool, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createAccountSourceCheck, createSourceCheck } from "./source-check.ts";

const [user, key, binding, cluster, account] = [1, 2, 3, 4, 5].map(createUid) as [string, string, string, string, string];
const clock = createManualClock();
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

async function run(text: string, ...values: unknown[]): Promise<void> {
  await pool.query({ text, values });
}

/** Stores an entity without checks. */
async function insert(uid: string, kind: string, columns: { project?: string; environment?: string; object?: unknown } = {}) {
  const { project = "", environment = "", object = {} } = columns;
  const values = [uid, kind, project, environment, JSON.stringify(object), kind === "RoleBinding" ? user : null];
  await run(
    `insert into entity (uid, kind, project, environment, name, labels, resource_version, created_at, updated_at, object, subject_uid)
      values ($1, $2, $3, $4, $1::uuid::text, '{}', 1, now(), now(), $5, $6)`,
    ...values,
  );
}

beforeEach(async () => {
  await run("truncate entity cascade");
  await insert(user, "User");
  await insert(key, "ApiKey");
  await insert(binding, "RoleBinding", { project: "team", object: { spec: { role: "editor" } } });
  await insert(cluster, "Cluster", { project: "team", environment: "prod" });
  await insert(account, "Account", { project: "team", environment: "prod" });
  const text = "insert into api_key (hash, uid, user_uid, prefix, project, role) values ($1, $2, $3, 'cw_aaaaaaa', '', '')";
  await run(text, randomBytes(32), key, user);
});

const record = { id: "dev-0123456789ab", project: "team" };
const source = `${key}~cw_aaaaaaa~${cluster}`;
const admin: TokenOrigin = { source, role: "admin" };
/** A kubeconfig from an earlier release, which does not name its cluster. */
const oldAdmin: TokenOrigin = { source: `${key}~cw_aaaaaaa`, role: "admin" };

/** A kubeconfig of a cluster that no entity represents. The kubeconfig names the account. */
const viaAccount: TokenOrigin = { source: `${key}~cw_aaaaaaa~${account}`, role: "admin" };

const changes: readonly [what: string, text: string][] = [
  ["is rotated", "update api_key set prefix = 'cw_bbbbbbb'"],
  ["is deleted", "delete from api_key"],
  ["expires", "update api_key set expires_at = to_timestamp(0)"],
  ["belongs to a disabled user", `update entity set object = '{"spec":{"disabled":true}}' where kind = 'User'`],
  ["is limited to the viewer role", "update api_key set role = 'viewer'"],
  ["is limited to another project", "update api_key set project = 'other'"],
  ["belongs to a user without the role binding", "delete from entity where kind = 'RoleBinding'"],
  ["belongs to a user who is now a viewer", `update entity set object = '{"spec":{"role":"viewer"}}' where kind = 'RoleBinding'`],
  ["belongs to a user with a role in another project", "update entity set project = 'other' where kind = 'RoleBinding'"],
];

test.each(changes)("M006 M183 admin kubeconfigs stop working within seconds once their API key %s", async (_what, text) => {
  const isValid = createSourceCheck({ pool, clock });
  const origins = [admin, oldAdmin, viaAccount];
  for (const origin of origins) expect(await isValid(origin, record)).toBe(true);
  await run(text);
  clock.advance(2000);
  for (const origin of origins) expect(await isValid(origin, record)).toBe(false);
});

test("M028 M183 kubeconfigs through an account end with the account, and need the editor role there even for reading", async () => {
  const isValid = createSourceCheck({ pool, clock });
  const reading: TokenOrigin = { ...viaAccount, role: "viewer" };
  expect(await isValid(reading, record)).toBe(true);
  expect(await isValid(reading, { id: "other-0123456789ab", project: "other" })).toBe(false);
  await run(`update entity set object = '{"spec":{"role":"viewer"}}' where kind = 'RoleBinding'`);
  clock.advance(2000);
  expect(await isValid(reading, record)).toBe(false);
  await run(`update entity set object = '{"spec":{"role":"editor"}}' where kind = 'RoleBinding'`);
  await run("delete from entity where uid = $1", account);
  clock.advance(2000);
  expect(await isValid(reading, record)).toBe(false);
});

test.each(changes)("M150 keys for a simulated account stop working within seconds once their API key %s", async (_what, text) => {
  const isValid = createAccountSourceCheck({ pool, clock });
  expect(await isValid(`${key}~cw_aaaaaaa`, account)).toBe(true);
  await run(text);
  clock.advance(2000);
  expect(await isValid(`${key}~cw_aaaaaaa`, account)).toBe(false);
});

test("M150 keys for a simulated account require that the account exists and that their holder has the role in its environment", async () => {
  const isValid = createAccountSourceCheck({ pool, clock });
  const own = `${key}~cw_aaaaaaa`;
  for (const other of [cluster, createUid(9), "x"]) expect(await isValid(own, other)).toBe(false);
  for (const unknown of ["x", `${key}~`, `${user}~cw_aaaaaaa`]) expect(await isValid(unknown, account)).toBe(false);
  await run("update entity set environment = 'test' where kind = 'RoleBinding'");
  expect(await isValid(own, account)).toBe(false);
});

test("M006 a kubeconfig requires the role in its cluster's environment", async () => {
  const isValid = createSourceCheck({ pool, clock });
  await run("update entity set environment = 'prod' where kind = 'RoleBinding'");
  expect(await isValid(admin, record)).toBe(true);
  await run("update entity set environment = 'test' where kind = 'RoleBinding'");
  clock.advance(2000);
  expect(await isValid(admin, record)).toBe(false);
});

test("M006 a viewer kubeconfig stays valid while its holder is a viewer, and an admin kubeconfig does not", async () => {
  const isValid = createSourceCheck({ pool, clock });
  await run(`update entity set object = '{"spec":{"role":"viewer"}}' where kind = 'RoleBinding'`);
  expect(await isValid({ source, role: "viewer" }, record)).toBe(true);
  expect(await isValid(admin, record)).toBe(false);
});

test("M006 a role on the whole platform covers the clusters in every project", async () => {
  await run("update entity set project = 'system' where kind = 'RoleBinding'");
  expect(await createSourceCheck({ pool, clock })(admin, record)).toBe(true);
});

test.each([
  "",
  "x",
  `${key}~`,
  `${key}~cw_other`,
  `${user}~cw_aaaaaaa`,
  "~cw_aaaaaaa",
  `${key}~cw_aaaaaaa~`,
  `${key}~cw_aaaaaaa~${user}`,
])("M006 an unknown source is not valid: %j", async (unknown) => {
  expect(await createSourceCheck({ pool, clock })({ source: unknown, role: "viewer" }, record)).toBe(false);
});
