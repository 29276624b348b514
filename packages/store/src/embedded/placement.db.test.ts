import { accessSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { chmod, chown, cp, lstat, mkdir, mkdtemp, realpath, rename, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findBinaries, usePackage } from "./binaries.ts";
import { createHome, deps, query, seedHomes, serve, start } from "./fixtures/homes.ts";
import { findPackage } from "./package-binaries.ts";
import { findUser, runAsSelf, runInNamespace, runToEnd, type RunAs } from "./run-as.ts";

const createSeededHome = seedHomes();
const isRoot = process.getuid?.() === 0;
const alive = [{ alive: 1 }];
const select = "select 1 as alive";

test("M098 a home with a path too long for a socket gets a short, closed directory for it, the same on every start", async () => {
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

  // A shared directory: somebody else may put a link there.
  await rm(first.socketDirectory, { recursive: true });
  await symlink(home, first.socketDirectory);
  await expect(start(home)).rejects.toMatchObject({ code: "store.embedded_unsafe_socket" });
});

test("M098 binaries without their library links, or below a closed directory, run from a copy", async () => {
  const packaged = await findPackage();
  if (packaged === undefined) throw new Error("the npm package is not installed");
  const home = await createHome();
  const native = join(home, "closed", "native");
  const isLink = async (path: string): Promise<boolean> => (await lstat(path)).isSymbolicLink();
  await cp(packaged.native, native, { recursive: true, filter: async (source) => !(await isLink(source)) });
  await chmod(join(home, "closed"), 0o700);
  const runAs = isRoot ? ((await usableNamespace()) ?? (await findUser(["nobody"]))) : runAsSelf();
  const found = await usePackage(deps, { native, version: "test" }, { runAs: runAs as RunAs, copyTo: join(home, "cache") });
  expect(found).toEqual({ directory: join(home, "cache", "postgresql-test", "bin"), major: 18 });
});

test("M098 without any binaries the fault names DATABASE_URL", async () => {
  const runAs = isRoot ? ((await findUser(["nobody"])) as RunAs) : runAsSelf();
  const search = findBinaries(deps, { runAs, copyTo: "/nowhere", dataMajor: undefined, binDirectory: "/nowhere" });
  await expect(search).rejects.toMatchObject({
    code: "store.embedded_no_binaries",
    help: expect.stringContaining("DATABASE_URL") as string,
  });
});

describe.skipIf(!isRoot)("as root (skipped elsewhere: the suite does not run as root)", () => {
  // A PATH without the program `unshare` stands for a container that forbids user namespaces.
  const withoutNamespaces = { environment: { PATH: "/nowhere" } };

  test("M098 a user namespace keeps the data in a home of mode 0700", async ({ skip }) => {
    if ((await usableNamespace()) === undefined) return skip("user namespaces are not allowed here");
    const home = await createHome(0o700);
    const server = await start(home);
    expect(server.dataDirectory).toBe(join(home, "data"));
    expect((await stat(server.dataDirectory)).uid).toBe(0);
  });

  test("M098 without namespaces another user runs the database in a home that it can reach", async () => {
    const home = await createHome(0o711);
    const server = await start(home, withoutNamespaces);
    expect(server.dataDirectory).toBe(join(home, "data"));
    expect((await stat(server.dataDirectory)).uid).not.toBe(0);
    expect(await query(server, select)).toEqual(alive);
  });

  test("M098 without namespaces and below a closed home the data lies elsewhere, and later starts find it there", async () => {
    const home = await createHome(0o700);
    const elsewhere = await realpath(await mkdtemp(join(tmpdir(), "cw-system-")));
    onTestFinished(() => rm(elsewhere, { recursive: true, force: true }));
    await chmod(elsewhere, 0o755);
    const first = await start(home, withoutNamespaces, elsewhere);
    expect(first.dataDirectory.startsWith(`${elsewhere}/`)).toBe(true);
    await query(first, "create table kept as select 42 as value");
    await first.stop();

    // Also when namespaces have become possible meanwhile: the data decides.
    const second = await start(home, {}, elsewhere);
    expect(second.dataDirectory).toBe(first.dataDirectory);
    expect(await query(second, "select value from kept")).toEqual([{ value: 42 }]);
  });

  test("M098 root's data is refused where only another user could run it", async ({ skip }) => {
    if ((await usableNamespace()) === undefined) return skip("user namespaces are not allowed here");
    const home = await createSeededHome();
    await expect(start(home, withoutNamespaces)).rejects.toMatchObject({ code: "store.embedded_no_identity" });
  });

  test("M098 a home that belongs to an ordinary user stays that user's, also when root starts", async () => {
    const home = await createHome();
    const nobody = (await findUser(["nobody"])) as RunAs;
    await chown(home, nobody.uid, nobody.gid);
    const server = await start(home);
    expect((await stat(server.dataDirectory)).uid).toBe(nobody.uid);
  });

  test("M098 an ordinary user starts, stops and starts again in a home of mode 0700", async ({ skip }) => {
    const nobody = (await findUser(["nobody"])) as RunAs;
    const identity = { uid: nobody.uid, gid: nobody.gid };
    const readable = spawnSync(process.execPath, ["--check", join(import.meta.dirname, "fixtures", "serve.ts")], identity);
    if (readable.status !== 0) return skip("another user cannot read this checkout");
    const home = await createHome(0o700);
    await chown(home, nobody.uid, nobody.gid);
    const first = await serve(home, { then: "stop", ...identity });
    await first.ended;
    expect(() => accessSync(join(home, "data", "postmaster.pid"))).toThrow();
    const second = await serve(home, identity);
    expect(await query(second.address, select)).toEqual(alive);
    expect((await stat(second.address.dataDirectory)).uid).toBe(nobody.uid);
  });
});

test("M098 an ordinary user's database lies in the home", async ({ skip }) => {
  if (isRoot) return skip("the suite runs as root");
  const home = await createHome();
  await mkdir(home, { recursive: true });
  expect((await start(home)).dataDirectory).toBe(join(home, "data"));
});

async function usableNamespace(): Promise<RunAs | undefined> {
  const { succeeded } = await runToEnd(runInNamespace, deps.environment, "/bin/true", []);
  return succeeded ? runInNamespace : undefined;
}
