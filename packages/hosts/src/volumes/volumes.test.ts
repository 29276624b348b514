import { expect, test } from "vitest";
import { listInstanceGroups, parseMembership } from "./allow-device.ts";
import { deviceNumber, parseMounts } from "./find-users.ts";
import { identifyProcess, isRunning } from "./process-identity.ts";
import { requireSize, requireUid } from "./volume.ts";

test("the mount points of a device are found, even with spaces in their names", () => {
  const table = [
    "36 35 254:0 / / rw,relatime - ext4 /dev/vda rw",
    "40 36 7:3 / /mnt/my\\040data\\134x rw,relatime shared:1 - ext4 /dev/disk/by-id/cloudwright-a rw",
    "41 36 7:3 /sub /srv rw,relatime - ext4 /dev/disk/by-id/cloudwright-a rw",
    "42 36 7:31 / /other rw - ext4 /dev/loop31 rw",
    "",
  ].join("\n");
  expect(parseMounts(table, { major: 7, minor: 3 })).toEqual(["/mnt/my data\\x", "/srv"]);
  expect(parseMounts("", { major: 7, minor: 3 })).toEqual([]);
});

test("the group that controls devices is found with both versions of cgroups", () => {
  expect(parseMembership("9:name=systemd:/a\n5:cpu,devices:/cwm1/payload/init.scope\n0::/\n")).toEqual({
    version: 1,
    path: "/cwm1/payload/init.scope",
  });
  expect(parseMembership("0::/machine.slice/cwm1.scope/payload\n")).toEqual({
    version: 2,
    path: "/machine.slice/cwm1.scope/payload",
  });
});

test("a device is allowed in the instance's own group and below, never above", () => {
  expect(listInstanceGroups("/hosts/cwm1/payload/init.scope")).toEqual([
    "/hosts/cwm1",
    "/hosts/cwm1/payload",
    "/hosts/cwm1/payload/init.scope",
  ]);
  expect(listInstanceGroups("/cwm1/init.scope")).toEqual(["/cwm1", "/cwm1/init.scope"]);
  expect(listInstanceGroups("/cwm1")).toEqual(["/cwm1"]);
  expect(listInstanceGroups("/")).toEqual(["/"]);
  expect(listInstanceGroups("/init.scope")).toEqual(["/init.scope"]);
});

test("device numbers are combined as Linux does", () => {
  expect(deviceNumber(7, 3)).toBe(0x703);
  expect(deviceNumber(7, 300)).toBe(0x10_072c);
  expect(deviceNumber(259, 1)).toBe(0x1_0301);
});

test.runIf(process.platform === "linux")("a process is not mistaken for another process with the same id", async () => {
  const own = await identifyProcess(process.pid);
  expect(await isRunning(own)).toBe(true);
  expect(await isRunning({ pid: process.pid, started: "another boot/1" })).toBe(false);
  expect(await identifyProcess(2 ** 22 + 1)).toBeUndefined();
  expect(await identifyProcess(undefined)).toBeUndefined();
});

test("ids of volumes cannot leave their folder, and sizes are whole", () => {
  for (const uid of ["..", "a/b", "a.next", "", "-a", "A"]) expect(() => requireUid(uid)).toThrow(/lower-case letters/);
  for (const size of [0, 0.5, Infinity, 65_537]) expect(() => requireSize(size)).toThrow(/from 1 to 65536/);
});
