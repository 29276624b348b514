import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { hostsFaults } from "../faults.ts";
import { factsScript, parseCores, parseDisks, parseFacts, parseMemory, parseOsRelease } from "./facts.ts";
import { readFacts } from "./read-facts.ts";

const lsblk = JSON.stringify({
  blockdevices: [
    { name: "loop0", path: "/dev/loop0", type: "loop", size: 4096, model: null, rota: false, mountpoints: ["/snap"] },
    { name: "zram0", path: "/dev/zram0", type: "disk", size: 8_000_000_000, model: null, rota: false, mountpoints: ["[SWAP]"] },
    { name: "sr0", path: "/dev/sr0", type: "rom", size: 1_073_741_312, model: "DVD", rota: true, mountpoints: [null] },
    {
      name: "nvme0n1",
      path: "/dev/nvme0n1",
      type: "disk",
      size: 512_110_190_592,
      model: "Samsung SSD 980 ",
      rota: false,
      mountpoints: [null],
      children: [
        {
          name: "nvme0n1p1",
          type: "part",
          mountpoints: [null],
          children: [{ name: "vg-root", type: "lvm", mountpoints: ["/"] }],
        },
      ],
    },
    { name: "sdb", path: "/dev/sdb", type: "disk", size: 4_000_787_030_016, model: "WDC", rota: true, mountpoints: [null] },
  ],
});

describe("M198 the facts of a machine", () => {
  test.each([
    ['PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian"', "Debian GNU/Linux 12 (bookworm)"],
    ["NAME=Alpine\nVERSION_ID=3.20", "Alpine 3.20"],
    ["ID='void'", "void"],
    ['PRETTY_NAME="a \\"quoted\\" name"', 'a "quoted" name'],
    ["", ""],
  ])("contain the name in %j", (text, name) => expect(parseOsRelease(text)).toBe(name));

  test("contain real disks only, and whether they are in use", () => {
    expect(parseDisks(lsblk)).toEqual([
      { device: "/dev/nvme0n1", sizeMib: 488_386, model: "Samsung SSD 980", rotational: false, inUse: true },
      { device: "/dev/sdb", sizeMib: 3_815_448, model: "WDC", rotational: true, inUse: false },
    ]);
    // The format of older releases.
    const old = { blockdevices: [{ name: "sda", type: "disk", size: "1073741824", rota: "1", mountpoint: "/data" }] };
    expect(parseDisks(JSON.stringify(old))).toEqual([
      { device: "/dev/sda", sizeMib: 1024, model: "", rotational: true, inUse: true },
    ]);
  });

  test("are empty, not wrong, if a program is missing or writes something else", () => {
    expect([parseDisks("lsblk: not found"), parseDisks("{}"), parseDisks('{"blockdevices":[null,1]}')]).toEqual([[], [], []]);
    expect([parseCores("8\n"), parseCores("many"), parseMemory("MemTotal:       16303288 kB"), parseMemory("")]).toEqual([
      8, 0, 15_921, 0,
    ]);
    expect(parseFacts("")).toEqual({ os: "", kernel: "", architecture: "", cores: 0, memoryMib: 0, disks: [], machineId: "" });
  });

  test("X063 cannot contain control characters or unlimited text", () => {
    expect(parseOsRelease(`PRETTY_NAME="a\u001b[31m${"b".repeat(1000)}"`)).toBe(`a [31m${"b".repeat(194)}`);
    const disks = Array.from({ length: 500 }, (_, index) => ({ name: `sd${index}`, type: "disk", size: 1e300 }));
    expect(parseDisks(JSON.stringify({ blockdevices: disks }))).toHaveLength(64);
  });

  test.skipIf(process.platform !== "linux")("are read by a script that every Linux machine can run", () => {
    const { status, stdout } = spawnSync("sh", ["-c", factsScript], { encoding: "utf8" });
    const facts = parseFacts(stdout);
    expect([status, facts.cores > 0, facts.memoryMib > 0, facts.architecture !== "", facts.kernel !== ""]).toEqual([
      0,
      true,
      true,
      true,
      true,
    ]);
  });

  test("are refused from a machine that is not a Linux machine", async () => {
    const shell = { where: "switch", run: async () => ({ code: 0, stdout: "% Unknown command", stderr: "" }) };
    await expect(readFacts(shell)).rejects.toMatchObject({ code: hostsFaults.machine_failed.code });
  });
});
