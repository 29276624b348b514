import { createUid, systemClock } from "@cloudwright/platform";
import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { runTool } from "../run-tool.ts";
import { listLoopDevices } from "./loop-devices.ts";
import { runOperation, type Operation } from "./testing/run-operation.ts";
import { startOperation } from "./testing/start-operation.ts";
import { startStandIn, type StandIn } from "./testing/stand-in.ts";
import { openVolumes, type Volumes } from "./volumes.ts";

const marker = "this text must never be lost";
let directory: string;
let [red, blue]: [StandIn, StandIn] = [] as never;
let volumes: Volumes;
let uid: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "volume-faults-"));
  [red, blue] = await Promise.all([
    startStandIn("red", join(directory, "red-mount")),
    startStandIn("blue", join(directory, "blue-mount")),
  ]);
});
beforeEach(async () => {
  volumes = await openVolumes({ directory, run: runTool, clock: systemClock });
  uid = createUid(Date.now());
});
afterAll(async () => {
  await Promise.all([red.stop(), blue.stop()]);
  await volumes.clean();
  await rm(directory, { recursive: true });
});

const fileOf = (id: string): string => join(directory, "volumes", `${id}.img`);
const devicesOf = async (id: string) =>
  (await listLoopDevices(join(directory, "volumes"))).filter(({ file }) => file === fileOf(id));

test("of two processes that attach a volume at the same time, exactly one succeeds, and the error of the other names the winner", async () => {
  await volumes.create({ uid, sizeGib: 1 });
  for (let round = 0; round < 20; round += 1) {
    const attempts = await Promise.all(
      [red, blue].map(({ uid: instance, pid }) => startOperation(directory, { name: "attach", uid, instance, pid })),
    );
    for (const attempt of round % 2 === 0 ? attempts : attempts.toReversed()) attempt.go();
    const outcomes = await Promise.all(attempts.map(({ outcome }) => outcome));
    const winner = (await volumes.find(uid))?.attachedTo;
    expect(outcomes.filter((outcome) => outcome?.result !== undefined)).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome?.code !== undefined)).toMatchObject([
      { code: "hosts.volume_attached", message: expect.stringContaining(`attached to instance ${winner}`) as string },
    ]);
    expect(await devicesOf(uid)).toHaveLength(1);
    await volumes.detach(uid);
    expect(await devicesOf(uid)).toHaveLength(0);
  }
});

test("an operation that was killed at any point is completed by repeating it", async () => {
  const random = createRandom(printSeed("kills of operations on volumes"));
  await volumes.create({ uid, sizeGib: 1 });
  const { path } = await volumes.attach(uid, red);
  await red.run(["mkfs.ext4", "-q", path]);
  await inMount((file) => red.run(["sh", "-c", 'echo "$1" > "$2"', "sh", marker, file]));
  let [sizeGib, isAttached, isMounted] = [1, true, false];
  let [killed, completed] = [0, 0];
  for (let round = 0; round < 40; round += 1) {
    const name = random.pick(["attach", "detach", "resize", "snapshot", "create"] as const);
    const other = createUid(Date.now());
    isMounted = name === "snapshot" && isAttached && random.chance(0.7);
    if (isMounted) await red.run(["mount", path, red.mountPoint]);
    const operation = render(name, other);
    const started = await startOperation(directory, operation);
    started.go();
    await systemClock.sleep(random.below(120));
    started.kill();
    if ((await started.outcome) === undefined) killed += 1;
    else completed += 1;

    if (name === "snapshot" && random.chance(0.4)) await volumes.removeSnapshot(other);
    await runOperation(volumes, operation);
    if (name === "resize") sizeGib = (operation as { sizeGib: number }).sizeGib;
    if (name === "attach") isAttached = true;
    if (name === "detach") isAttached = false;
    if (isMounted) {
      // Writing would hang if the file system were still frozen.
      await red.run(["sh", "-c", 'date > "$1/written" && sync', "sh", red.mountPoint]);
      await red.run(["umount", red.mountPoint]);
    }
    const seen = {
      round,
      name,
      volume: await volumes.find(uid),
      devices: (await devicesOf(uid)).length,
      nodes: (await red.run(["ls", "/dev/disk/by-id"])).stdout,
      bytes: isAttached ? Number((await red.run(["blockdev", "--getsize64", path])).stdout) : undefined,
      content: isAttached ? await readMarker() : undefined,
    };
    const volume = { uid, sizeGib, fromSnapshot: undefined, isComplete: true };
    expect(seen).toEqual(
      isAttached
        ? {
            round,
            name,
            volume: { ...volume, attachedTo: "red" },
            devices: 1,
            nodes: `cloudwright-${uid}\n`,
            bytes: sizeGib * 1024 ** 3,
            content: `${marker}\n`,
          }
        : { round, name, volume: { ...volume, attachedTo: undefined }, devices: 0, nodes: "", bytes: undefined },
    );
    if (name === "snapshot") await volumes.removeSnapshot(other);
    if (name === "create") await volumes.remove(other);
    expect((await readdir(join(directory, "volumes"))).filter((file) => file.endsWith(".next"))).toEqual([]);
    expect(await readdir(join(directory, "volumes", "snapshots"))).toEqual([]);
  }
  console.log(`killed ${killed} running operations; ${completed} finished before the kill`);
  expect(await volumes.restore()).toMatchObject({ removed: [], problems: [] });
  await volumes.detach(uid);
  await volumes.remove(uid);

  function render(name: Operation["name"], other: string): Operation {
    if (name === "attach") return { name, uid, instance: red.uid, pid: red.pid };
    if (name === "resize") return { name, uid, sizeGib: sizeGib + 1 };
    if (name === "snapshot") return { name, uid, snapshot: other };
    if (name === "create") return { name, uid: other, sizeGib: 1 };
    return { name: "detach", uid };
  }

  async function readMarker(): Promise<string> {
    const { stdout } = await inMount((file) => red.run(["cat", file]));
    return stdout;
  }

  async function inMount<T>(action: (file: string) => Promise<T>): Promise<T> {
    await red.run(["mount", path, red.mountPoint]);
    const result = await action(join(red.mountPoint, "marker"));
    await red.run(["umount", red.mountPoint]);
    return result;
  }
});

test("a file system that was left frozen by a killed snapshot is thawed", async () => {
  await volumes.create({ uid, sizeGib: 1 });
  const { path } = await volumes.attach(uid, red);
  await red.run(["mkfs.ext4", "-q", path]);
  await red.run(["mount", path, red.mountPoint]);
  await red.run(["dd", "if=/dev/urandom", `of=${red.mountPoint}/data`, "bs=1M", "count=200", "status=none"]);
  const started = await startOperation(directory, { name: "snapshot", uid, snapshot: "thaw" });
  started.go();
  const record = join(directory, "volumes", "records", `${uid}.json`);
  await expect.poll(() => readFile(record, "utf8"), { timeout: 60_000, interval: 5 }).toContain('"isFrozen":true');
  started.kill();
  await started.outcome;
  const again = await openVolumes({ directory, run: runTool, clock: systemClock });
  expect(await again.restore()).toMatchObject({ problems: [] });
  expect(await readFile(record, "utf8")).not.toContain("isFrozen");
  await red.run(["sh", "-c", 'date > "$1/written" && sync', "sh", red.mountPoint]);
  await red.run(["umount", red.mountPoint]);
  await again.detach(uid);
  await again.remove(uid);
  await again.removeSnapshot("thaw");
});

test("a full disk is reported and loses no data, and removing a volume frees space", async () => {
  const small = join(directory, "small");
  await mkdir(small);
  await writeFile(`${small}.img`, "");
  await truncate(`${small}.img`, 300 * 1024 ** 2);
  await runTool("mkfs.ext4", ["-q", "-m", "0", `${small}.img`]);
  await runTool("mount", ["-o", "loop", `${small}.img`, small]);
  const full = await openVolumes({ directory: small, run: runTool, clock: systemClock }, { overcommit: 100 });
  onTestFinished(async () => {
    await full.clean();
    await runTool("umount", [small]);
    await rm(`${small}.img`);
  });
  const [hungry, precious, spare] = ["hungry", "precious", "spare"];
  for (const id of [hungry, precious, spare]) await full.create({ uid: id, sizeGib: 1 });
  await writeFile(join(small, "volumes", `${spare}.img`), Buffer.alloc(20 * 1024 ** 2, "x"), { flag: "r+" });
  const write = (path: string, mebibytes: number, accept: readonly number[] = []) =>
    red.run(
      ["dd", "if=/dev/urandom", `of=${path}`, "bs=1M", `count=${mebibytes}`, "oflag=direct", "conv=fsync", "status=none"],
      accept,
    );
  const sum = async (path: string): Promise<string> => {
    const { stdout } = await red.run(["sh", "-c", 'head -c 20M "$1" | sha256sum', "sh", path]);
    return stdout;
  };
  const paths = await Promise.all([hungry, precious].map(async (id) => (await full.attach(id, red)).path));
  await write(paths[1] as string, 20);
  const before = await sum(paths[1] as string);
  expect((await write(paths[0] as string, 400, [1])).code).toBe(1);

  await expect(full.snapshot(precious, "s")).rejects.toMatchObject({ code: "hosts.no_disk_space" });
  expect([await full.listSnapshots(), await readdir(join(small, "volumes", "snapshots"))]).toEqual([[], []]);
  await expect(full.create({ uid: "another", sizeGib: 1 })).rejects.toMatchObject({ code: "hosts.no_disk_space" });
  await expect(full.resize(precious, 2)).rejects.toMatchObject({ code: "hosts.no_disk_space" });
  expect(await full.list()).toHaveLength(3);
  expect(await sum(paths[1] as string)).toBe(before);
  await full.remove(spare);
  await full.detach(hungry);
  await full.remove(hungry);
  expect(await full.snapshot(precious, "s")).toMatchObject({ consistency: "clean" });
  expect(await sum(paths[1] as string)).toBe(before);
  await full.detach(precious);
});

test("after all faults, cleaning up leaves no device and no mount", async () => {
  await volumes.clean();
  expect(await listLoopDevices(directory)).toEqual([]);
  expect(await readFile("/proc/self/mountinfo", "utf8")).not.toContain(directory);
  expect(await readdir(directory)).toEqual(["blue-mount", "red-mount", "small"]);
  volumes = await openVolumes({ directory, run: runTool, clock: systemClock });
});
