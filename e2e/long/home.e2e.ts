import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createAdminCalls } from "../admin-calls.ts";
import { queryDatabase } from "../query-database.ts";
import { createHome, findPostmaster, killAndWait, removeHome } from "../home-directory.ts";
import { findOrdinaryUser } from "../ordinary-user.ts";
import { listCommandLines } from "../process-table.ts";
import { spawnServer, type ServerExit, type ServerOptions } from "../server-process.ts";
import { startServer, type RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";

/** Starts a server that is expected to fail. Returns its exit code and output. */
async function startInVain(options: ServerOptions): Promise<ServerExit & { stderr: string; stdout: string }> {
  const server = spawnServer(options);
  const exit = await server.ended;
  return { ...exit, stderr: server.stderr(), stdout: server.stdout() };
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe("a home below a directory of mode 0700", () => {
  let closed: string;
  let home: string;

  beforeAll(async () => {
    closed = await mkdtemp(join(tmpdir(), "cw-closed-"));
    await chmod(closed, 0o700);
    home = join(closed, "below", "home");
  });
  afterAll(async () => {
    await removeHome(home);
    await rm(closed, { recursive: true, force: true });
  });

  async function start(): Promise<RunningServer> {
    const server = await startServer({ home });
    onTestFinished(async () => void (await server.stop()));
    return server;
  }

  test("M098 M006 the first start creates the home, with secrets that only its owner can read, and prints none of them into a log", async () => {
    const server = await start();
    expect(await createAdminCalls(server).whoIs(server.adminKey)).toBe("admin");
    expect(server.process.stdout()).toContain(`saved to ${join(home, "admin.key")}`);
    // Standard output of this process is a pipe, not a terminal.
    expect(server.process.stdout()).not.toMatch(/cw_|#token=/);
    for (const file of ["admin.key", "encryption.keys", "server.json"]) expect(await modeOf(join(home, file))).toBe("600");
  });

  test("M098 the key is printed once: a second start keeps it and prints none", async () => {
    const server = await start();
    expect(server.process.stdout()).toContain(server.address);
    expect(server.process.stdout()).not.toContain("cw_");
    expect(await createAdminCalls(server).whoIs(server.adminKey)).toBe("admin");
  });

  test("M098 a second server for the same home reports the first one and leaves it alone", async () => {
    const server = await start();
    const second = await startInVain({ home });
    expect(second).toMatchObject({ code: 1, stdout: "" });
    expect(second.stderr).toContain("(control_plane.home_in_use)");
    expect(second.stderr).toContain(server.address);
    expect(await createAdminCalls(server).whoIs(server.adminKey)).toBe("admin");
    expect(JSON.parse(await readFile(join(home, "server.json"), "utf8"))).toMatchObject({
      pid: server.pid,
      address: server.address,
    });
  });

  test("M098 a second server is rejected even after the database was killed and restarted", async () => {
    const server = await start();
    await killAndWait((await findPostmaster(server.database)) ?? 0, "SIGKILL");
    await waitUntil("the server holds the home's lock again", () => isClaimed(server.database));
    const second = await startInVain({ home });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain("(control_plane.home_in_use)");
    expect(await createAdminCalls(server).whoIs(server.adminKey)).toBe("admin");
  });

  /** Returns whether a server holds the lock on the home directory. Returns false while the database is down. */
  function isClaimed(database: string): Promise<boolean> {
    const held = "select from pg_locks where locktype = 'advisory' and objid = x'686f6d65'::int and granted";
    return queryDatabase(database, async (client) => (await client.query(held)).rowCount === 1).catch(() => false);
  }

  test.for(["SIGTERM", "SIGINT"] as const)(
    "M098 after %s the server exits with 0 and leaves no database process",
    async (signal) => {
      const server = await start();
      expect(await listCommandLines(server.database)).not.toEqual([]);
      expect(await server.process.end(signal)).toEqual({ code: 0, signal: null });
      expect(await findPostmaster(server.database)).toBeUndefined();
      expect(await listCommandLines(server.database)).toEqual([]);
      await expect(stat(join(home, "server.json"))).rejects.toMatchObject({ code: "ENOENT" });
    },
  );

  test("M006 a lost admin.key is replaced at the next start, and the old key is rejected", async () => {
    const old = (await readFile(join(home, "admin.key"), "utf8")).trim();
    await rm(join(home, "admin.key"));
    const server = await start();
    expect(server.adminKey).not.toBe(old);
    const admin = createAdminCalls(server);
    expect(await admin.whoIs(server.adminKey)).toBe("admin");
    const refused = await admin.send("GET", "/v1/whoami", undefined, { authorization: `Bearer ${old}` });
    expect(await refused.json()).toMatchObject({ status: 401, code: "api.unauthenticated" });
  });

  test("M098 data of another major version is rejected and left unchanged", async () => {
    const server = await startServer({ home });
    await server.stop();
    const file = join(server.database, "PG_VERSION");
    const version = await readFile(file, "utf8");
    await writeFile(file, "12\n");
    onTestFinished(() => writeFile(file, version));
    const refused = await startInVain({ home });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("(store.embedded_other_version)");
    expect(await readFile(file, "utf8")).toBe("12\n");
  });
});

describe("a server and its operating system user", () => {
  test("M098 root can start a server, although PostgreSQL refuses to run as root", async ({ skip }) => {
    if (process.getuid?.() !== 0) return skip("only root can try this");
    const server = await startServer();
    expect(await createAdminCalls(server).whoIs(server.adminKey)).toBe("admin");
    expect(await server.stop()).toBe(0);
  });

  test("M098 an ordinary user can start a server, and everything in the home belongs to that user", async ({ skip }) => {
    const user = await findOrdinaryUser();
    if ("reason" in user) return skip(user.reason);
    const { home, identity } = user;
    onTestFinished(() => removeHome(home));
    const server = await startServer({ home, identity });
    expect(await createAdminCalls(server).whoIs(server.adminKey)).toBe("admin");
    for (const path of [home, join(home, "admin.key"), server.database]) expect((await stat(path)).uid).toBe(identity.uid);
    expect(await server.stop()).toBe(0);
    expect(await listCommandLines(home)).toEqual([]);
  });
});

describe("a server that cannot start", () => {
  const password = "canary-of-a-password";

  test.for([
    {
      what: "a malformed address",
      environment: { CLOUDWRIGHT_LISTEN: "nonsense" },
      code: "platform.bad_configuration",
      names: "CLOUDWRIGHT_LISTEN",
    },
    {
      what: "an invalid port",
      environment: { CLOUDWRIGHT_LISTEN: "127.0.0.1:65536" },
      code: "platform.bad_configuration",
      names: "65536",
    },
    {
      what: "an invalid rate",
      environment: { CLOUDWRIGHT_REQUESTS_PER_SECOND: "fast" },
      code: "platform.bad_configuration",
      names: "CLOUDWRIGHT_REQUESTS_PER_SECOND",
    },
    {
      what: "a malformed database URL",
      environment: { DATABASE_URL: `my ${password}` },
      code: "platform.bad_configuration",
      names: "DATABASE_URL",
    },
    {
      what: "another kind of database",
      environment: { DATABASE_URL: `mysql://ada:${password}@localhost/shop` },
      code: "platform.bad_configuration",
      names: "DATABASE_URL",
    },
    {
      what: "a database that does not answer",
      environment: { DATABASE_URL: `postgresql://ada:${password}@127.0.0.1:1/shop` },
      code: "control_plane.database_unreachable",
      names: "127.0.0.1:1/shop",
    },
    {
      what: "malformed encryption keys",
      environment: { CLOUDWRIGHT_ENCRYPTION_KEYS: password },
      code: "store.bad_key_ring",
      names: "CLOUDWRIGHT_ENCRYPTION_KEYS",
    },
  ])("M012 M097 explains why without revealing a secret: $what", async ({ environment, code, names }) => {
    const home = await createHome();
    onTestFinished(() => removeHome(home));
    const failed = await startInVain({ home, environment });
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain(`(${code})`);
    expect(failed.stderr).toContain(names);
    expect(failed.stderr).not.toContain(password);
    expect(await listCommandLines(home)).toEqual([]);
  });

  test("M012 reports that its port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const home = await createHome();
    onTestFinished(async () => {
      other.close();
      await removeHome(home);
    });
    const listen = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    const failed = await startInVain({ home, environment: { CLOUDWRIGHT_LISTEN: listen } });
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain("(control_plane.cannot_listen)");
    expect(failed.stderr).toContain(listen);
    expect(await listCommandLines(home)).toEqual([]);
  });
});
