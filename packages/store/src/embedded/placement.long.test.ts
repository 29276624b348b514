import { spawnSync } from "node:child_process";
import { chmod, chown, cp, lstat, mkdir, mkdtemp, realpath, rename, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findBinaries, usePackage } from "./binaries.ts";
import { createHome, deps, query, seedHomes, serve, start } from "./fixtures/homes.ts";
import { findPackage } from "./package-binaries.ts";
import { findServiceUser, runAsSelf, runInNamespace, runToEnd, type RunAs } from "./run-as.ts";

const createSeededHome = seedHomes();
const isRoot = process.getuid?.() === 0;
const alive = [{ alive: 1 }];
const select = "select 1 as alive";

test("M098 a home directory whose path is too long for a socket gets a short private directory, the same at every start", async () => {
  const seeded = await createSeededHome();
  const home = join(seeded, "x".repeat(120));
  await mkdir(home, { mode: 0o711 });
  await rename(join(seeded, "data"), join(home, "data"));
  const first = await start(home);
  onTestFinished(() => rm(first.socketDirectory, { recursive: true, force: true }));
  expect(first.socketDirectory.length).toBeLessThan(80);
  expect((await stat(first.socketDirectory)).mode & 0o777).toBe(0o700);
  expect(await query(first, select)).toEqual(alive);
  await first.stop();
  const second = await start(home);
  expect(second.socketDirectory).toBe(first.socketDirectory);
  await second.stop();

  // The socket directory is in a shared directory, where another user could create a link of the same name.
  await rm(first.socketDirectory, { recursive: true });
  await symlink(home, first.socketDirectory);
  await expect(start(home)).rejects.toMatchObject({ code: "store.embedded_unsafe_socket" });
});

test("M098 binaries that lack their library links or cannot be read by the user run from a linked copy", async () => {
  const packaged = await findPackage();
  if (packaged === undefined) throw new Error("the npm package is not installed");
  const home = await createHome(0o711);
  const native = join(home, "closed", "native");
  await cp(packaged.native, native, { recursive: true, filter: async (source) => !(await isLink(source)) });
  await chmod(join(home, "closed"), 0o700);
  const runAs = isRoot ? await findServiceUser() : runAsSelf();
  const found = await usePackage(deps, { native, version: "test" }, { runAs: runAs as RunAs, copyTo: join(home, "cache") });
  expect(found).toEqual({ directory: join(home, "cache", "postgresql-test", "bin"), major: 18 });
});

test("M098 without any binaries the fault names DATABASE_URL", async () => {
  const runAs = isRoot ? ((await findServiceUser()) as RunAs) : runAsSelf();
  const search = findBinaries(deps, { runAs, copyTo: "/nowhere", dataMajor: undefined, binDirectory: "/nowhere" });
  await expect(search).rejects.toMatchObject({
    code: "store.embedded_no_binaries",
    help: expect.stringContaining("DATABASE_URL") as string,
  });
});

describe.skipIf(!isRoot)("as root (skipped elsewhere: the suite does not run as root)", () => {
  // A PATH without `unshare` simulates a container that forbids user namespaces.
  const withoutNamespaces = { environment: { PATH: "/nowhere" } };

  test("M098 with a user namespace the data stays in a home directory of mode 0700", async ({ skip }) => {
    if ((await usableNamespace()) === undefined) return skip("user namespaces are not allowed here");
    const home = await createHome(0o700);
    const server = await start(home);
    expect(server.dataDirectory).toBe(join(home, "data"));
    expect((await stat(server.dataDirectory)).uid).toBe(0);
  });

  test("M098 without namespaces another user runs the database in a home directory that it can access", async () => {
    const home = await createHome(0o711);
    const server = await start(home, withoutNamespaces);
    expect(server.dataDirectory).toBe(join(home, "data"));
    expect((await stat(server.dataDirectory)).uid).not.toBe(0);
    expect(await query(server, select)).toEqual(alive);
  });

  test("M098 without namespaces and with a closed home directory the data is stored elsewhere, and later starts find it there", async () => {
    const home = await createHome(0o700);
    const elsewhere = await realpath(await mkdtemp(join(tmpdir(), "cw-system-")));
    onTestFinished(() => rm(elsewhere, { recursive: true, force: true }));
    await chmod(elsewhere, 0o755);
    const first = await start(home, withoutNamespaces, elsewhere);
    expect(first.dataDirectory.startsWith(`${elsewhere}/`)).toBe(true);
    await query(first, "create table kept as select 42 as value");
    await first.stop();

    // The owner of the existing data determines the server's user, even if namespaces have become available in the meantime.
    const second = await start(home, {}, elsewhere);
    expect(second.dataDirectory).toBe(first.dataDirectory);
    expect(await query(second, "select value from kept")).toEqual([{ value: 42 }]);
  });

  test("M098 root's data is rejected if only another user could run the server", async ({ skip }) => {
    if ((await usableNamespace()) === undefined) return skip("user namespaces are not allowed here");
    const home = await createSeededHome();
    await expect(start(home, withoutNamespaces)).rejects.toMatchObject({ code: "store.embedded_no_identity" });
  });

  test("M098 a home directory of an ordinary user stays that user's, even if root starts the server", async () => {
    const home = await createHome();
    const other = (await findServiceUser()) as RunAs;
    await chown(home, other.uid, other.gid);
    const server = await start(home);
    for (const path of [server.dataDirectory, server.socketDirectory, join(home, "postgres.log")]) {
      expect((await stat(path)).uid).toBe(other.uid);
    }
  });

  test("M098 an ordinary user can start, stop and restart in a home directory of mode 0700", async ({ skip }) => {
    const other = (await findServiceUser()) as RunAs;
    const identity = { uid: other.uid, gid: other.gid };
    if (!canRead(identity)) return skip("another user cannot read this checkout");
    const home = await createHome(0o700);
    await chown(home, other.uid, other.gid);
    const first = await serve(home, { afterwards: "stop", ...identity });
    await first.ended;
    await expect(stat(join(home, "data", "postmaster.pid"))).rejects.toMatchObject({ code: "ENOENT" });
    const second = await serve(home, identity);
    expect(await query(second.address, select)).toEqual(alive);
    expect((await stat(second.address.dataDirectory)).uid).toBe(other.uid);
  });

  test("M098 a user without a name, as in containers, can do the same", async ({ skip }) => {
    if ((await usableNamespace()) === undefined) return skip("user namespaces are not allowed here");
    const nameless = { uid: 54_321, gid: 54_321 };
    if (!canRead(nameless)) return skip("another user cannot read this checkout");
    const home = await createHome(0o700);
    await chown(home, nameless.uid, nameless.gid);
    const { address } = await serve(home, nameless);
    expect(await query(address, select)).toEqual(alive);
    expect((await stat(address.dataDirectory)).uid).toBe(nameless.uid);
  });
});

test("M098 an ordinary user's database is in the home directory", async ({ skip }) => {
  if (isRoot) return skip("the suite runs as root");
  const home = await createHome();
  await mkdir(home, { recursive: true });
  expect((await start(home)).dataDirectory).toBe(join(home, "data"));
});

async function usableNamespace(): Promise<RunAs | undefined> {
  const namespace = await runInNamespace();
  const { succeeded } = await runToEnd(namespace, deps.environment, "/bin/true", []);
  return succeeded ? namespace : undefined;
}

function canRead(identity: { uid: number; gid: number }): boolean {
  return spawnSync(process.execPath, ["--check", join(import.meta.dirname, "fixtures", "serve.ts")], identity).status === 0;
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path)).isSymbolicLink();
}
