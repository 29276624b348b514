import { beforeEach, expect, test } from "vitest";
import type { runTool } from "../run-tool.ts";
import type { DiskBackend } from "./disk-backend.ts";
import { openLogicalVolumes } from "./logical-volumes.ts";

const gib = 1024 ** 3;
/** Logical volumes of a fake LVM, with their sizes and states. */
let volumes: Map<string, { size: number; isActive: boolean }>;
let commands: string[];
let disks: DiskBackend;

const run: typeof runTool = async (tool, args) => {
  if (tool !== "lvs") commands.push([tool, ...args].join(" "));
  const valueOf = (option: string): string => args[args.indexOf(option) + 1] ?? "";
  const name = (args.at(-1) ?? "").replace("pool0/", "");
  if (tool === "lvcreate") {
    const size = args.includes("--snapshot") ? volumes.get(name)?.size : Number.parseInt(valueOf("--virtualsize"), 10);
    volumes.set(valueOf("--name"), { size: size ?? 0, isActive: false });
  } else if (tool === "lvextend") volumes.set(name, { size: Number.parseInt(valueOf("--size"), 10), isActive: false });
  else if (tool === "lvremove") volumes.delete(name);
  else if (tool === "lvchange")
    volumes.set(name, { size: volumes.get(name)?.size ?? 0, isActive: valueOf("--activate") === "y" });
  else if (tool === "lvrename") {
    volumes.set(name, volumes.get(args[1] ?? "") ?? { size: 0, isActive: false });
    volumes.delete(args[1] ?? "");
  }
  const lv = [...volumes].map(([lv_name, { size, isActive }]) => ({
    lv_name,
    lv_size: String(size),
    lv_kernel_major: isActive ? "252" : "-1",
    lv_kernel_minor: isActive ? "4" : "-1",
  }));
  return { code: 0, stdout: JSON.stringify({ report: [{ lv }] }), stderr: "" };
};

beforeEach(() => {
  volumes = new Map([
    ["thin", { size: 10 * gib, isActive: true }],
    ["someone-elses", { size: gib, isActive: true }],
  ]);
  commands = [];
  disks = openLogicalVolumes({ run }, { group: "pool0", pool: "thin", overcommit: 2 });
});

test("a volume in LVM is created under a temporary name, so that an incomplete volume is not mistaken for a complete one", async () => {
  volumes.set("cw-a.next", { size: 5, isActive: false });
  await disks.create({ uid: "a", bytes: gib, fromSnapshot: undefined }, {});
  await disks.create({ uid: "a", bytes: gib, fromSnapshot: undefined }, {});
  const flags = "--yes --activate n --setactivationskip n";
  expect(commands).toEqual([
    "lvremove --yes pool0/cw-a.next",
    `lvcreate ${flags} --type thin --thinpool thin --virtualsize ${gib}b --name cw-a.next pool0`,
    "lvrename pool0 cw-a.next cw-a",
  ]);
  expect(await disks.findSize("a")).toBe(gib);
  expect(await disks.findSize("b")).toBeUndefined();
});

test("a volume in LVM becomes a device, grows and is copied without changes to other volumes of the group", async () => {
  await disks.create({ uid: "a", bytes: gib, fromSnapshot: undefined }, {});
  expect(await disks.findDevice("a")).toBeUndefined();
  expect(await disks.openDevice("a", {})).toEqual({ path: "/dev/pool0/cw-a", major: 252, minor: 4 });
  expect(await disks.listOpen()).toEqual(["a"]);
  await disks.closeDevice("a", {});
  commands = [];
  await disks.grow("a", gib, {});
  await disks.grow("a", 2 * gib, {});
  await disks.createSnapshot("a", "s", {});
  await disks.createSnapshot("a", "s", {});
  await disks.create({ uid: "b", bytes: 3 * gib, fromSnapshot: "s" }, {});
  const flags = "--yes --activate n --setactivationskip n";
  expect(commands).toEqual([
    `lvextend --size ${2 * gib}b pool0/cw-a`,
    `lvcreate ${flags} --snapshot --name cws-s pool0/cw-a`,
    `lvcreate ${flags} --snapshot --name cw-b.next pool0/cws-s`,
    `lvextend --size ${3 * gib}b pool0/cw-b.next`,
    "lvrename pool0 cw-b.next cw-b",
  ]);
  expect(await disks.listStored()).toEqual({ disks: ["a", "b"], snapshots: ["s"], leftovers: [] });
  await disks.removeSnapshot("s", {});
  for (const uid of ["a", "b", "b"]) await disks.remove(uid, {});
  expect([...volumes.keys()]).toEqual(["thin", "someone-elses"]);
});

test("the volumes of a thin pool cannot exceed its overcommit ratio", async () => {
  const existing = [{ uid: "a", bytes: 15 * gib }];
  await disks.requireSpace(5 * gib, existing);
  await expect(disks.requireSpace(5 * gib + 1, existing)).rejects.toMatchObject({ code: "hosts.no_disk_space" });
});
