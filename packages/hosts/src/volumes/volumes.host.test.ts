import { createUid, systemClock } from "@cloudwright/platform";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { runTool } from "../run-tool.ts";
import { listLoopDevices } from "./loop-devices.ts";
import { startStandIn, type StandIn } from "./testing/stand-in.ts";
import { openVolumes, type Volumes } from "./volumes.ts";

let directory: string;
let [red, blue]: [StandIn, StandIn] = [] as never;
let volumes: Volumes;
let uid: string;
const stranger = { uid: "stranger", leaderPid: () => Promise.resolve(undefined) };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "volumes-"));
  [red, blue] = await Promise.all([
    startStandIn("red", join(directory, "red mount")),
    startStandIn("blue", join(directory, "blue-mount")),
  ]);
  volumes = await openVolumes({ directory, run: runTool, clock: systemClock });
});
beforeEach(() => {
  uid = createUid(Date.now());
});
afterAll(async () => {
  await Promise.all([red.stop(), blue.stop()]);
  await volumes.clean();
  await rm(directory, { recursive: true });
});

const devices = () => listLoopDevices(join(directory, "volumes"));

async function format(instance: StandIn, device: string): Promise<void> {
  await instance.run(["mkfs.ext4", "-q", device]);
  await instance.run(["mount", device, instance.mountPoint]);
}

async function checksum(instance: StandIn): Promise<string> {
  const { stdout } = await instance.run(["sha256sum", join(instance.mountPoint, "data")]);
  return stdout.slice(0, 64);
}

async function writeData(instance: StandIn): Promise<string> {
  await instance.run(["dd", "if=/dev/urandom", `of=${join(instance.mountPoint, "data")}`, "bs=1M", "count=16", "status=none"]);
  return checksum(instance);
}

test("data on a volume survives detaching and attaching to another instance", async () => {
  await volumes.create({ uid, sizeGib: 1 });
  const { path } = await volumes.attach(uid, red);
  expect(path).toBe(`/dev/disk/by-id/cloudwright-${uid}`);
  await format(red, path);
  const sum = await writeData(red);
  expect((await red.run(["blkid", "-p", "-s", "TYPE", "-o", "value", path])).stdout).toBe("ext4\n");

  await expect(volumes.detach(uid)).rejects.toMatchObject({
    code: "hosts.volume_in_use",
    message: expect.stringContaining(`of instance red is in use: mounted at ${red.mountPoint}`) as string,
  });
  expect(await checksum(red)).toBe(sum);
  await red.run(["umount", red.mountPoint]);
  await volumes.detach(uid);
  await volumes.detach(uid);
  expect(await red.run(["ls", "/dev/disk/by-id"])).toMatchObject({ stdout: "" });
  expect(await devices()).toEqual([]);

  await volumes.attach(uid, blue);
  await blue.run(["mount", path, blue.mountPoint]);
  expect(await checksum(blue)).toBe(sum);
  await blue.run(["umount", blue.mountPoint]);
  await volumes.detach(uid);
  await volumes.remove(uid);
  await volumes.remove(uid);
  expect(await volumes.find(uid)).toBeUndefined();
});

test("a volume that is open or mounted only in a nested namespace cannot be detached", async () => {
  await volumes.create({ uid, sizeGib: 1 });
  const { path } = await volumes.attach(uid, red);
  await format(red, path);
  // The nested container keeps the mount when the instance unmounts it.
  const nested = await startHolder(["unshare", "--mount", "--propagation", "private"]);
  await red.run(["umount", red.mountPoint]);
  await expect(volumes.detach(uid)).rejects.toMatchObject({
    code: "hosts.volume_in_use",
    message: expect.stringMatching(/mounted at .*red mount \(in the mount namespace of process \d+\)/) as string,
  });
  await nested.kill();

  const reader = await startHolder(["sh", "-c", 'exec 5< "$1" && shift && exec "$@"', "sh", path]);
  await expect(volumes.detach(uid)).rejects.toMatchObject({
    code: "hosts.volume_in_use",
    message: expect.stringContaining(`open in process ${reader.pid} (sleep)`) as string,
  });
  // The volume can be attached to the instance again, because it was never detached.
  await volumes.attach(uid, red);
  await reader.kill();
  expect(await devices()).toHaveLength(1);
  await volumes.detach(uid);
  expect(await devices()).toEqual([]);

  /** Runs a command inside the instance, and keeps the files open that the command opens. */
  async function startHolder(command: readonly string[]): Promise<{ pid: number; kill(): Promise<void> }> {
    const seconds = `100000.${uid.replaceAll(/\D/g, "")}`;
    const ended = red.run([...command, "sleep", seconds], [137]).catch(() => undefined);
    const find = async (): Promise<number | undefined> => {
      const { stdout } = await runTool("ps", ["-eo", "pid,args"]);
      const line = stdout.split("\n").find((row) => row.trim().endsWith(` sleep ${seconds}`) && /^ *\d+ sleep/.test(row));
      return line === undefined ? undefined : Number.parseInt(line, 10);
    };
    await expect.poll(find, { timeout: 60_000 }).toBeDefined();
    const pid = (await find()) as number;
    return {
      pid,
      async kill() {
        process.kill(pid, "SIGKILL");
        await ended;
      },
    };
  }
});

test("a forced detach unmounts the volume", async () => {
  await volumes.create({ uid, sizeGib: 1 });
  const { path } = await volumes.attach(uid, red);
  await format(red, path);
  await volumes.detach(uid, { force: true });
  expect(await devices()).toEqual([]);
  expect((await red.run(["cat", "/proc/self/mountinfo"])).stdout).not.toContain(path);
});

test("a volume belongs to at most one instance and cannot be removed while it is attached", async () => {
  await volumes.create({ uid, sizeGib: 1 });
  const attachments = await Promise.allSettled([volumes.attach(uid, red), volumes.attach(uid, blue)]);
  expect(attachments.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const winner = (await volumes.find(uid))?.attachedTo as string;
  const refused = { code: "hosts.volume_attached", message: expect.stringContaining(`instance ${winner}`) as string };
  await expect(volumes.attach(uid, stranger)).rejects.toMatchObject(refused);
  await expect(volumes.remove(uid)).rejects.toMatchObject(refused);
  await volumes.detach(uid);
  await volumes.remove(uid);
  await expect(volumes.attach(uid, red)).rejects.toMatchObject({ code: "hosts.volume_not_found" });
});

test("a volume that is attached to a stopped instance is plugged in at each start of the instance", async () => {
  await volumes.create({ uid, sizeGib: 1 });
  expect(await volumes.attach(uid, { ...stranger, uid: "green" })).toMatchObject({ device: undefined });
  expect(await devices()).toEqual([]);
  for (let start = 0; start < 2; start += 1) {
    const green = await startStandIn("green", join(directory, "blue-mount"));
    onTestFinished(() => green.stop());
    const [attachment] = await volumes.plugIn("green", green.pid);
    expect((await green.run(["stat", "--format=%F", attachment?.path as string])).stdout).toBe("block special file\n");
    await green.run(["sh", "-c", `test $(blockdev --getsize64 "$1") = ${1024 ** 3}`, "sh", attachment?.path as string]);
    await green.stop();
  }
  await volumes.detach(uid);
  expect(await devices()).toEqual([]);
});

test("an instance that shares /dev with the host gets no volumes", async () => {
  await volumes.create({ uid, sizeGib: 1 });
  const before = await readdir("/dev");
  const bare = { uid: "bare", leaderPid: () => Promise.resolve(process.pid) };
  await expect(volumes.attach(uid, bare)).rejects.toMatchObject({ code: "hosts.device_denied" });
  expect(await readdir("/dev")).toEqual(before);
  await expect(volumes.detach(uid)).rejects.toMatchObject({ code: "hosts.device_denied" });
  await volumes.detach(uid, { force: true });
  await volumes.remove(uid);
});

test("volumes grow while they are attached and while they are not, and never shrink", async () => {
  await volumes.create({ uid, sizeGib: 1 });
  await volumes.resize(uid, 2);
  const { path } = await volumes.attach(uid, red);
  await format(red, path);
  const sum = await writeData(red);
  await volumes.resize(uid, 3);
  expect((await red.run(["blockdev", "--getsize64", path])).stdout).toBe(`${3 * 1024 ** 3}\n`);
  await red.run(["umount", red.mountPoint]);
  await red.run(["e2fsck", "-fy", path]);
  await red.run(["resize2fs", path]);
  await red.run(["mount", path, red.mountPoint]);
  const { stdout } = await red.run(["df", "--output=size", "--block-size=1M", red.mountPoint]);
  expect(Number(stdout.split("\n")[1])).toBeGreaterThan(2800);
  expect(await checksum(red)).toBe(sum);
  await expect(volumes.resize(uid, 2)).rejects.toMatchObject({ code: "hosts.bad_volume" });
  await red.run(["umount", red.mountPoint]);
  await volumes.detach(uid);
});

test("a snapshot of a mounted volume contains all data, and the volume stays writable", async () => {
  await volumes.create({ uid, sizeGib: 1 });
  const { path } = await volumes.attach(uid, red);
  await format(red, path);
  const sum = await writeData(red);
  expect(await volumes.snapshot(uid, `${uid}-a`)).toEqual({
    uid: `${uid}-a`,
    volume: uid,
    sizeGib: 1,
    consistency: "frozen",
    capturedAtMs: expect.any(Number) as number,
  });
  await writeData(red);
  await red.run(["umount", red.mountPoint]);
  expect(await volumes.snapshot(uid, `${uid}-b`)).toMatchObject({ consistency: "clean" });
  await volumes.detach(uid);
  await volumes.remove(uid);

  const copy = createUid(Date.now());
  await expect(volumes.create({ uid: copy, sizeGib: 1, fromSnapshot: "none" })).rejects.toMatchObject({
    code: "hosts.volume_not_found",
  });
  await volumes.create({ uid: copy, sizeGib: 2, fromSnapshot: `${uid}-a` });
  // The copy of a sparse file is sparse.
  expect((await stat(join(directory, "volumes", `${copy}.img`))).blocks * 512).toBeLessThan(200 * 1024 ** 2);
  const attachment = await volumes.attach(copy, blue);
  await blue.run(["mount", attachment.path, blue.mountPoint]);
  expect(await checksum(blue)).toBe(sum);
  await blue.run(["umount", blue.mountPoint]);
  expect((await blue.run(["e2fsck", "-fn", attachment.path])).code).toBe(0);
  await volumes.detach(copy);
  for (const snapshot of await volumes.listSnapshots()) await volumes.removeSnapshot(snapshot.uid);
  expect(await volumes.listSnapshots()).toEqual([]);
});

test("after a reboot, volumes are attached again and leftovers are gone", async () => {
  const other = createUid(Date.now() + 1);
  for (const id of [uid, other]) await volumes.create({ uid: id, sizeGib: 1 });
  const { path } = await volumes.attach(uid, red);
  await volumes.attach(other, red);
  await format(red, path);
  const sum = await writeData(red);
  await red.run(["umount", red.mountPoint]);
  // Attached in the other order, so that the loop devices get other numbers.
  for (const { path: device } of await devices()) await runTool("losetup", ["--detach", device]);
  const file = (id: string): string => join(directory, "volumes", `${id}.img`);
  await runTool("losetup", ["--find", file(other)]);
  await runTool("truncate", ["--size=1G", file("orphan"), `${file("half")}.next`]);
  await runTool("losetup", ["--find", file("orphan")]);

  const again = await openVolumes({ directory, run: runTool, clock: systemClock });
  const report = await again.restore();
  expect(report.attached).toEqual(expect.arrayContaining([uid, other]));
  expect(report.removed.toSorted()).toEqual(["half", "orphan"]);
  expect(report.problems).toEqual(["disk orphan has no record; restore the record from a backup or delete the disk"]);
  expect((await devices()).map((device) => device.file)).not.toContain(file("orphan"));
  await red.run(["mount", path, red.mountPoint]);
  expect(await checksum(red)).toBe(sum);
  await red.run(["umount", red.mountPoint]);
  await rm(file("orphan"));
  for (const id of [uid, other]) await again.detach(id);
  expect(await devices()).toEqual([]);
});

test("invalid ids and sizes are rejected with a message that contains them", async () => {
  for (const bad of ["", "../x", "A", "x".repeat(64)]) {
    await expect(volumes.create({ uid: bad, sizeGib: 1 })).rejects.toMatchObject({ code: "hosts.bad_volume" });
  }
  for (const sizeGib of [0, -1, 1.5, Number.NaN, 65_537]) {
    await expect(volumes.create({ uid, sizeGib })).rejects.toMatchObject({
      code: "hosts.bad_volume",
      message: `a volume cannot have ${sizeGib} GiB; use a whole number from 1 to 65536`,
    });
  }
  await expect(volumes.create({ uid, sizeGib: 60_000 })).rejects.toMatchObject({ code: "hosts.no_disk_space" });
  expect(await volumes.find(uid)).toBeUndefined();
  await volumes.create({ uid, sizeGib: 1 });
  await expect(volumes.create({ uid, sizeGib: 2 })).rejects.toMatchObject({ code: "hosts.volume_exists" });
  expect(await volumes.create({ uid, sizeGib: 1 })).toMatchObject({ uid, sizeGib: 1 });
});

test("cleaning up all volumes leaves no device, mount or file", async () => {
  await volumes.clean();
  expect(await listLoopDevices(directory)).toEqual([]);
  expect(await readFile("/proc/self/mountinfo", "utf8")).not.toContain(directory);
  expect(await readdir(directory)).toEqual(["blue-mount", "red mount"]);
  // Cleaning up can be repeated.
  await volumes.clean();
});
