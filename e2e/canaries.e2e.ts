import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAdminCalls } from "./admin-calls.ts";
import { dumpTables } from "./canaries/dump.ts";
import { createCanary, plant } from "./canaries/plant.ts";
import { findCanaries, findInFiles } from "./canaries/search.ts";
import { listAll } from "./durability/read-back.ts";
import { readEvents } from "./event-stream.ts";
import { findPostmaster, killAndWait } from "./home-directory.ts";
import { listCommandLines } from "./process-table.ts";
import { startServer, type RunningServer } from "./server.ts";
import { waitUntil } from "./wait-until.ts";

describe("secrets that were sent to a server", () => {
  let server: RunningServer;
  /** Planted secrets, keyed by description. */
  const canaries = new Map<string, string>();
  /** A known value that the searches must find. Without it, a broken search would look like a success. */
  const seen = new Map([["a name", "planted-0-0"]]);
  const answers: string[] = [];

  beforeAll(async () => {
    server = await startServer({ environment: { CLOUDWRIGHT_LOG_LEVEL: "trace" } });
    answers.push(...(await plant(server, canaries)));
    // Kills the database, so that the log contains database errors with their causes.
    await killAndWait((await findPostmaster(server.database)) ?? 0, "SIGKILL");
    const secretAccessKey = createCanary();
    canaries.set("a secret sent without a database", secretAccessKey);
    const account = { metadata: { name: "while-down" }, spec: { aws: { accessKeyId: "A".repeat(16), secretAccessKey } } };
    await waitUntil("the database is back", async () => {
      const response = await createAdminCalls(server).send("POST", "/v1/projects/default/accounts", account);
      answers.push(await response.text());
      return response.status !== 503;
    });
  });
  afterAll(async () => void (await server?.stop()));

  test("M097 there are many secrets, and they were sent through every endpoint", () => {
    expect(canaries.size).toBeGreaterThan(40);
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.join("\n")).toContain("planted-4-2");
  });

  test("M097 M020 no response contains a secret, neither to valid nor to invalid requests", () => {
    expect(findCanaries(canaries, "an answer", answers.join("\n"))).toEqual([]);
  });

  test("M097 M236 no log contains a secret, whatever the log level", () => {
    const log = server.process.stderr();
    expect(findCanaries(canaries, "the log", log)).toEqual([]);
    expect(log).toContain("/v1/projects/:project/accounts");
  });

  test("M097 no secret is printed, not even the first key, because standard output is not a terminal", () => {
    expect(findCanaries(canaries, "stdout", server.process.stdout())).toEqual([]);
  });

  test("M097 no metric contains a secret", async () => {
    const metrics = await (
      await fetch(`${server.address}/metrics`, { headers: { authorization: `Bearer ${server.adminKey}` } })
    ).text();
    expect(findCanaries(canaries, "a metric", metrics)).toEqual([]);
    expect(metrics).toContain("cloudwright_request_duration_seconds");
  });

  test("M097 M014 no event and no audit record contains a secret", async () => {
    for (const path of ["default/events", "default/auditrecords", "system/events", "system/auditrecords"]) {
      const records = JSON.stringify(await listAll(server, `/v1/projects/${path}`));
      expect(findCanaries(canaries, path, records)).toEqual([]);
    }
    expect(findCanaries(seen, "events", JSON.stringify(await listAll(server, "/v1/projects/default/events")))).toHaveLength(1);
  });

  test("M097 X002 no watch contains a secret", async () => {
    const headers = { authorization: `Bearer ${server.adminKey}` };
    const response = await fetch(`${server.address}/v1/projects/default/watch`, { headers });
    const messages: string[] = [];
    for await (const { data } of readEvents(response)) {
      messages.push(JSON.stringify(data));
      if (data.type === "SYNCED") break;
    }
    expect(findCanaries(canaries, "a watch", messages.join("\n"))).toEqual([]);
    expect(findCanaries(seen, "a watch", messages.join("\n"))).toHaveLength(1);
  });

  test("M097 no database table contains a secret", async () => {
    const dump = await dumpTables(server.database);
    expect(findCanaries(canaries, "the tables", dump)).toEqual([]);
    expect(findCanaries(seen, "the tables", dump)).toHaveLength(1);
  });

  test("M097 no file contains a secret: not the database files, the database log or anything in the home directory", async () => {
    // The data directory is outside the home directory if the database user cannot access the home directory.
    const places = server.database.startsWith(server.home) ? [server.home] : [server.home, server.database];
    const search = (what: typeof canaries): Promise<string[][]> =>
      Promise.all(places.map((place) => findInFiles(what, place, ["admin.key"])));
    expect((await search(canaries)).flat()).toEqual([]);
    expect((await search(seen)).flat()).not.toEqual([]);
    expect(await readFile(join(server.home, "admin.key"), "utf8")).toContain(server.adminKey);
  });

  test("M097 no command line contains a secret", async () => {
    const lines = (await listCommandLines("")).join("\n");
    expect(findCanaries(canaries, "a command line", lines)).toEqual([]);
    expect(lines).toContain(server.database);
  });

  test("M236 every log line on standard error is a JSON object with a level and a time", () => {
    const lines = server.process.stderr().trim().split("\n");
    const records = lines.map((line) => JSON.parse(line) as { level: string; time: string; msg: string });
    const levels = new Set(records.map(({ level }) => level));
    expect([...levels].filter((level) => !["trace", "debug", "info", "warn", "error"].includes(level))).toEqual([]);
    expect(levels).toContain("info");
    expect(records.filter(({ time, msg }) => Number.isNaN(Date.parse(time)) || typeof msg !== "string")).toEqual([]);
  });
});
