import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAdminCalls } from "../admin-calls.ts";
import { readCreations, readEnvironments } from "../durability/read-back.ts";
import { startWatcher } from "../durability/watcher.ts";
import { writeMany } from "../durability/writers.ts";
import { createHome, findPostmaster, killAndWait, removeHome } from "../home-directory.ts";
import { startServer, type RunningServer } from "../server.ts";

let home: string;
let server: RunningServer;

beforeEach(async () => {
  home = await createHome();
  server = await start();
});
afterEach(async () => {
  await server.stop();
  await removeHome(home);
});

function start(): Promise<RunningServer> {
  // The tests cover only writes by callers, so the reconciler is off.
  const environment = { CLOUDWRIGHT_REQUESTS_PER_SECOND: "100000", CLOUDWRIGHT_LOG_LEVEL: "warn", CLOUDWRIGHT_ROLES: "api" };
  return startServer({ home, environment });
}

async function requirePostmaster(): Promise<number> {
  const pid = await findPostmaster(server.database);
  if (pid === undefined) throw new Error("the database is not running");
  return pid;
}

/** Runs `act` each time progress reaches one of the marks. `done` resolves after all runs started so far have finished. */
function atProgress(
  marks: readonly number[],
  act: () => Promise<void>,
): { onProgress(done: number): void; done(): Promise<void> } {
  let waiting = [...marks];
  let acting = Promise.resolve();
  return {
    onProgress(done) {
      const due = waiting.filter((mark) => done >= mark);
      waiting = waiting.filter((mark) => done < mark);
      for (const _ of due) acting = acting.then(act);
    },
    done: () => acting,
  };
}

function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `write-${String(index).padStart(4, "0")}`);
}

describe("1,000 writes", () => {
  const count = 1000;
  const names = namesOf(count);

  test("survive kill -9 of the server: none is lost or repeated, and a watch sees each of them", async () => {
    const postmaster = await requirePostmaster();
    const watcher = startWatcher(() => server);
    const kills = atProgress([200, 500, 800], async () => {
      await server.kill9();
      server = await start();
    });
    const { acknowledged, troubles, surprises } = await writeMany(() => server, count, kills.onProgress);
    await kills.done();

    expect(surprises).toEqual([]);
    expect([...troubles.keys()]).toContain("connection");
    expect(await readEnvironments(server)).toEqual(acknowledged);
    expect(await readCreations(server)).toEqual(names);
    // The new server must adopt the database process that the killed server left running.
    expect(await requirePostmaster()).toBe(postmaster);
    await watcher.saw(count);
    await watcher.close();
    expect(watcher.breaks()).toBeGreaterThan(2);
    expect(watcher.added.toSorted()).toEqual(names);
  });

  test("survive kill -9 of the database: clients only see 503, and the server restarts the database", async () => {
    const first = await requirePostmaster();
    const watcher = startWatcher(() => server);
    const kills = atProgress([250, 600], async () => killAndWait(await requirePostmaster(), "SIGKILL"));
    const { acknowledged, troubles, surprises } = await writeMany(() => server, count, kills.onProgress);
    await kills.done();

    expect(surprises).toEqual([]);
    expect([...troubles.keys()]).toEqual(["503"]);
    expect(await readEnvironments(server)).toEqual(acknowledged);
    expect(await readCreations(server)).toEqual(names);
    expect(await requirePostmaster()).not.toBe(first);
    expect(server.process.exit()).toBeUndefined();
    await watcher.saw(count);
    await watcher.close();
    expect(watcher.added.toSorted()).toEqual(names);
  });
});

test("writes survive kill -9 of both server and database", async () => {
  const kills = atProgress([100], async () => {
    await Promise.all([server.kill9(), killAndWait(await requirePostmaster(), "SIGKILL")]);
    server = await start();
  });
  const { acknowledged, surprises } = await writeMany(() => server, 300, kills.onProgress);
  await kills.done();

  expect(surprises).toEqual([]);
  expect(await readEnvironments(server)).toEqual(acknowledged);
  expect(await readCreations(server)).toEqual(namesOf(300));
});

describe("a server that is stopped and started again", () => {
  test("keeps entities, keys, sessions, secrets and signing keys", async () => {
    const admin = createAdminCalls(server);
    const { key, cookie } = await admin.createUser("ada", "viewer", "default");
    const aws = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "kept" };
    await admin.create("/v1/projects/default/accounts", { metadata: { name: "sandbox" }, spec: { aws } });
    const token = await admin.send("POST", "/v1/tokens", { audience: "cloudwright", ttlSeconds: 300 });
    const issued = (await token.json()) as { token: string };
    const before = await readAll();
    const { adminKey } = server;

    expect(await server.stop()).toBe(0);
    server = await start();

    expect(server.adminKey).toBe(adminKey);
    expect(await readAll()).toEqual(before);
    const after = createAdminCalls(server);
    expect(await after.whoIs(key)).toBe("ada");
    expect(await after.whoIs(issued.token)).toBe("admin");
    const session = await fetch(`${server.address}/v1/session`, { headers: { cookie } });
    expect(await session.json()).toMatchObject({ user: "ada" });
    // To update another field, the server must decrypt the stored secret.
    const patch = { metadata: { labels: { tier: "prod" } } };
    const patched = await after.send("PATCH", "/v1/projects/default/accounts/sandbox", patch);
    expect(await patched.json()).toMatchObject({ status: { secretsSet: ["spec.aws.secretAccessKey"] } });
  });

  test("X002 resumes a watch where it was", async () => {
    const admin = createAdminCalls(server);
    const watcher = startWatcher(() => server);
    await admin.create("/v1/projects/default/environments", { metadata: { name: "before" } });
    await watcher.saw(1);

    await server.stop();
    server = await start();

    await createAdminCalls(server).create("/v1/projects/default/environments", { metadata: { name: "after" } });
    await watcher.saw(2);
    await watcher.close();
    expect(watcher.added).toEqual(["before", "after"]);
  });

  async function readAll(): Promise<unknown> {
    const admin = createAdminCalls(server);
    const paths = [
      "/v1/projects",
      "/v1/users",
      "/v1/apikeys",
      "/v1/projects/default/accounts",
      "/v1/projects/system/rolebindings",
    ];
    return Promise.all(paths.map((path) => admin.list(path)));
  }
});
