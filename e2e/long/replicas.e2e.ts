import { startTestPostgres, type TestPostgres } from "@cloudwright/store/testing";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { readEvents } from "../event-stream.ts";
import { createHome, removeHome } from "../home-directory.ts";
import { listCommandLines } from "../process-table.ts";
import { spawnServer } from "../server-process.ts";
import { startServer, type RunningServer } from "../server.ts";

describe("two replicas on one PostgreSQL given by DATABASE_URL", () => {
  let postgres: TestPostgres;
  // This PostgreSQL server accepts any password, so the test can use one that is easy to search for.
  const password = `canary${randomBytes(9).toString("hex")}`;
  let environment: { DATABASE_URL: string; CLOUDWRIGHT_ENCRYPTION_KEYS: string };
  let first: RunningServer;
  let second: RunningServer;
  let calls: { first: AdminCalls; second: AdminCalls };

  beforeAll(async () => {
    postgres = await startTestPostgres();
    environment = {
      DATABASE_URL: `postgresql://${postgres.user}:${password}@localhost/cloudwright?host=${encodeURIComponent(postgres.host)}&port=${postgres.port}`,
      CLOUDWRIGHT_ENCRYPTION_KEYS: `shared:${randomBytes(32).toString("base64")}`,
    };
    // Both replicas start at the same time on an empty database.
    [first, second] = await Promise.all([startServer({ environment }), startServer({ environment })]);
    const adminKey = first.adminKey || second.adminKey;
    calls = { first: createAdminCalls({ ...first, adminKey }), second: createAdminCalls({ ...second, adminKey }) };
  });
  afterAll(async () => {
    await first?.stop();
    await second?.stop();
    await postgres?.stop();
  });

  test("M097 the database password is neither logged, nor stored, nor visible on a command line", async () => {
    for (const { process, home } of [first, second]) {
      expect(process.stderr() + process.stdout()).not.toContain(password);
      expect(await readFile(join(home, "server.json"), "utf8")).not.toContain(password);
    }
    expect(await listCommandLines(password)).toEqual([]);
  });

  test("M098 they initialise the database together, and one of them creates the first key", () => {
    const keys = [first, second].map(({ adminKey }) => adminKey).filter((key) => key !== "");
    expect(keys).toHaveLength(1);
  });

  test("X002 a watch on one replica sees the writes of the other, in order", async () => {
    const { adminKey } = first.adminKey === "" ? second : first;
    const headers = { authorization: `Bearer ${adminKey}` };
    const response = await fetch(`${second.address}/v1/projects/default/environments?watch=true`, { headers });
    const names = ["one", "two", "three", "four", "five"];
    const seen: string[] = [];
    for await (const { data } of readEvents(response)) {
      if (data.type === "SYNCED") {
        for (const name of names) await calls.first.create("/v1/projects/default/environments", { metadata: { name } });
      }
      if (data.type === "ADDED") seen.push((data.object as { metadata: { name: string } }).metadata.name);
      if (seen.length === names.length) break;
    }
    expect(seen).toEqual(names);
  });

  test("M006 a key created on one replica works on the other, and is rejected there after it was revoked", async () => {
    const { key } = await calls.first.createUser("ada", "viewer", "default");
    expect(await calls.second.whoIs(key)).toBe("ada");
    const revoked = await calls.first.send("DELETE", "/v1/apikeys/ada");
    expect(revoked.status).toBe(200);
    expect(await calls.second.whoIs(key)).toBeUndefined();
  });

  test("M020 a secret given to one replica is available to the other", async () => {
    const aws = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "kept" };
    await calls.first.create("/v1/projects/default/accounts", { metadata: { name: "sandbox" }, spec: { aws } });
    const patched = await calls.second.send("PATCH", "/v1/projects/default/accounts/sandbox", {
      metadata: { labels: { a: "b" } },
    });
    expect(await patched.json()).toMatchObject({ status: { secretsSet: ["spec.aws.secretAccessKey"] } });
  });

  test("M097 a third replica with other encryption keys does not start", async () => {
    const home = await createHome();
    onTestFinished(() => removeHome(home));
    const third = spawnServer({ home, environment: { DATABASE_URL: environment.DATABASE_URL } });
    expect(await third.ended).toEqual({ code: 1, signal: null });
    expect(third.stderr()).toContain("(store.key_missing)");
    expect(existsSync(join(home, "encryption.keys"))).toBe(false);
  });

  test("M011 of two identical create requests, one to each replica, exactly one succeeds", async () => {
    const attempts = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? calls.first : calls.second));
    const answers = await Promise.all(attempts.map((on) => on.send("POST", "/v1/projects", { metadata: { name: "race" } })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  test("M098 one replica continues when the other stops", async () => {
    expect(await first.stop()).toBe(0);
    expect(await calls.second.get("/v1/projects/default")).toMatchObject({ metadata: { name: "default" } });
  });
});
