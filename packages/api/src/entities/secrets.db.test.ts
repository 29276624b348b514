import { secretPaths, type Json, type JsonObject } from "@cloudwright/contract";
import { createLogger } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { setAt } from "./json-tree.ts";
import { unsealSecrets } from "./secrets.ts";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

const accounts = "/v1/projects/default/accounts";
const canary = "canary-5f1d0b7c";
const lines: string[] = [];
const answers: string[] = [];

let api: TestApi;
let made = 0;
let path: string;

beforeAll(async () => {
  const log = createLogger({ level: "trace", name: "test", stream: { write: (line) => void lines.push(line) } });
  api = await startTestApi({ log });
});
afterAll(() => api.close());

beforeEach(async () => {
  made += 1;
  path = `${accounts}/a-${made}`;
  const spec = { aws: { accessKeyId: "A".repeat(16), secretAccessKey: `${canary}-key`, externalId: `${canary}-id` } };
  await change("POST", accounts, { metadata: { name: `a-${made}` }, spec });
});

async function change(method: string, at: string, body: Json): Promise<JsonObject> {
  const answer = await api.must(method, at, { body });
  answers.push(answer.text);
  return answer.body.status;
}

/** Returns the stored secrets, decrypted with the key ring. */
async function openSecrets(): Promise<Readonly<Record<string, string>>> {
  const { rows } = await api.pool.query<{ uid: string; sealed: Buffer | null }>({
    text: "select uid, sealed from entity where kind = 'Account' and name = $1",
    values: [`a-${made}`],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("the account is gone");
  return unsealSecrets(api.deps.keyRing, row.uid, row.sealed);
}

const both = { "spec.aws.secretAccessKey": `${canary}-key`, "spec.aws.externalId": `${canary}-id` };

describe("M020 a secret", () => {
  test("is accepted, stored encrypted and shown only as set", async () => {
    const { body } = await api.must("GET", path);
    expect(body.spec["aws"]).toEqual({
      accountId: "",
      accessKeyId: "A".repeat(16),
      roleArn: "",
      agentCredentials: false,
      passableRoles: [],
      webIdentity: false,
      sessionPolicy: "",
    });
    expect(body.status["secretsSet"]).toEqual(["spec.aws.secretAccessKey", "spec.aws.externalId"]);
    expect(await openSecrets()).toEqual(both);
  });

  test.each(["PUT", "PATCH"])("that a %s leaves out is kept", async (method) => {
    const status = await change(method, path, { spec: { aws: { accessKeyId: "B".repeat(16) } } });
    expect(status["secretsSet"]).toEqual(["spec.aws.secretAccessKey", "spec.aws.externalId"]);
    expect(await openSecrets()).toEqual(both);
  });

  test("that is omitted is kept, and sending back a response changes nothing", async () => {
    const before = await api.countStored();
    const { body } = await api.must("GET", path);
    await change("PUT", path, body as unknown as JsonObject);
    expect(await api.countStored()).toEqual(before);
    await change("PATCH", path, { metadata: { labels: { a: "b" } } });
    expect(await openSecrets()).toEqual(both);
  });

  test.each(["PUT", "PATCH"])("that a %s sets to null is cleared, and the other is kept", async (method) => {
    const status = await change(method, path, { spec: { aws: { accessKeyId: "A".repeat(16), secretAccessKey: null } } });
    expect(status["secretsSet"]).toEqual(["spec.aws.externalId"]);
    expect(await openSecrets()).toEqual({ "spec.aws.externalId": `${canary}-id` });
  });

  test("that is sent again is replaced and increases the generation; the same value changes nothing", async () => {
    const before = await api.countStored();
    await change("PATCH", path, { spec: { aws: { secretAccessKey: `${canary}-key` } } });
    expect(await api.countStored()).toEqual(before);
    await change("PATCH", path, { spec: { aws: { secretAccessKey: `${canary}-new` } } });
    expect((await api.must("GET", path)).body.metadata.generation).toBe(2);
    expect(await openSecrets()).toEqual({ ...both, "spec.aws.secretAccessKey": `${canary}-new` });
  });

  test("that a mask names is set, or cleared if it is not sent", async () => {
    const masked = `${path}?updateMask=spec.aws.secretAccessKey`;
    await change("PATCH", masked, { spec: { aws: { secretAccessKey: `${canary}-mask`, accessKeyId: "C".repeat(16) } } });
    expect(await openSecrets()).toEqual({ ...both, "spec.aws.secretAccessKey": `${canary}-mask` });
    expect((await api.must("GET", path)).body.spec["aws"]).toMatchObject({ accessKeyId: "A".repeat(16) });
    await change("PATCH", masked, {});
    expect(await openSecrets()).toEqual({ "spec.aws.externalId": `${canary}-id` });
  });

  test("is not revealed by a dry run, a filter or a sort order", async () => {
    await change("PATCH", `${path}?dryRun=true`, { spec: { aws: { secretAccessKey: `${canary}-dry` } } });
    expect(await openSecrets()).toEqual(both);
    const { items } = (await api.must("GET", `${accounts}?filter=spec.aws.secretAccessKey=${canary}-key`)).body;
    expect(items).toEqual([]);
  });

  test.each(secretPaths["Account"] ?? [])("of every cloud is encrypted: %s %s %s", async (...field) => {
    const name = `every-${field[2]?.toLowerCase()}`;
    const id = "11111111-1111-4111-8111-111111111111";
    const names: Record<string, JsonObject> = { aws: { accessKeyId: "A".repeat(16) }, azure: { tenantId: id, clientId: id } };
    const beside = { spec: { [field[1] ?? ""]: names[field[1] ?? ""] ?? {} } };
    const status = await change("POST", accounts, setAt({ metadata: { name }, ...beside }, field, `${canary}-${name}`));
    expect(status["secretsSet"]).toEqual([field.join(".")]);
  });
});

test("M097 no secret appears in the database, the log, a stream or a response", async () => {
  const stream = await api.watch("/v1/projects/default/watch");
  const refused = [
    await api.call("PATCH", path, { body: { spec: { aws: { secretAccessKey: { nested: canary } } } } }),
    await api.call("PATCH", path, { body: { spec: { aws: { secretAccessKey: canary.repeat(40) } } } }),
    await api.call("PATCH", path, { body: { spec: { gcp: { serviceAccountKey: canary } } } }),
    await api.call("POST", accounts, { body: { metadata: { name: "BAD" }, spec: { aws: { secretAccessKey: canary } } } }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  await change("PATCH", path, { spec: { aws: { secretAccessKey: `${canary}-last` } }, metadata: { labels: { last: "yes" } } });
  const events = await stream.until(({ data }) => data.object.metadata.labels?.["last"] === "yes");
  stream.close();
  const lists = await Promise.all(
    [accounts, "/v1/projects/default/events", "/v1/projects/default/auditrecords"].map((at) => api.must("GET", at)),
  );
  const texts = [
    ...lines,
    ...answers,
    ...refused.map(({ text }) => text),
    ...lists.map(({ text }) => text),
    JSON.stringify(events),
    await dump(),
  ];
  expect(texts.join("\n")).toContain("secretsSet");
  for (const form of [canary, Buffer.from(canary).toString("hex"), Buffer.from(canary).toString("base64").slice(0, -4)]) {
    expect(texts.filter((text) => text.includes(form))).toEqual([]);
  }
});

/** Returns every row of every table as text. */
async function dump(): Promise<string> {
  const tables = await api.pool.query<{ name: string }>({
    text: "select tablename as name from pg_tables where schemaname = 'public'",
    values: [],
  });
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await api.pool.query<{ text: string }>({ text: `select t::text as text from ${name} t`, values: [] });
    texts.push(...rows.map(({ text }) => text));
  }
  expect(texts.length).toBeGreaterThan(50);
  return texts.join("\n");
}
