import { Fault } from "@cloudwright/platform";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hostsFaults } from "../faults.ts";
import { runTool } from "../run-tool.ts";
import type { Machine } from "./check.ts";
import { probeHost, type HostReport } from "./probe-host.ts";
import { renderLabels, renderReport } from "./render-report.ts";

const good: Machine = {
  platform: "linux",
  architecture: "x64",
  kernel: "6.1.0-13-amd64",
  cores: 4,
  memoryBytes: 8 * 1024 ** 3,
  isRoot: true,
  read: async (path) => {
    if (path === "/sys/fs/cgroup/cgroup.controllers") return "cpuset cpu io memory pids\n";
    if (path === "/proc/self/status") return "Name:\tx\nCapEff:\t000001ffffffffff\n";
    return path === "/proc/sys/fs/inotify/max_user_instances" ? "1024\n" : undefined;
  },
  canOpen: async () => true,
  freeBytes: async () => 100 * 1024 ** 3,
  withFolders: (_root, _names, action) => action(),
};
const allTools: typeof runTool = async (tool) => ({ code: 0, stdout: `${tool} 1.0`, stderr: "" });
const without =
  (...missing: string[]): typeof runTool =>
  async (tool, args, options) => {
    const absent = [tool, ...args].find((word) => missing.includes(word));
    if (absent !== undefined) throw new Fault(hostsFaults.missing_tool, `${absent} is not installed`);
    return allTools(tool, args, options);
  };

const find = ({ checks }: HostReport, name: string) => checks.find((check) => check.name === name);
const probe = (machine: Partial<Machine>, run = allTools) =>
  probeHost({ directory: "/var/lib/hosts", run, machine: { ...good, ...machine } });

test("a machine that passes all checks is a host with all labels", async () => {
  const report = await probe({});
  expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(report.checks.every(({ fix }) => fix === "")).toBe(true);
  expect(renderLabels(report)).toEqual({
    "cloudwright.dev/hosts": "true",
    "cloudwright.dev/hosts-driver-container": "true",
    "cloudwright.dev/hosts-driver-vm": "true",
    "cloudwright.dev/hosts-nft": "true",
    "cloudwright.dev/hosts-ovs": "true",
    "cloudwright.dev/hosts-kvm": "true",
    "cloudwright.dev/hosts-loop": "true",
    "cloudwright.dev/hosts-image-build": "true",
  });
  // CLOUDWRIGHT_AGENT_LABELS has the same syntax.
  for (const label of Object.keys(renderLabels(report))) expect(label).toMatch(/^[A-Za-z0-9][-A-Za-z0-9_./]*$/);
});

test("missing programs are reported with the packages that contain them", async () => {
  const report = await probe({}, without("nft", "systemd-nspawn", "ovs-vsctl"));
  expect(report.isCapable).toBe(false);
  expect(renderLabels(report)).toEqual({});
  expect(find(report, "nft")).toMatchObject({ ok: false, required: true, fix: "apt-get install nftables" });
  expect(find(report, "systemd-nspawn")).toMatchObject({ ok: false, fix: "apt-get install systemd-container" });
  expect(find(report, "open-vswitch")).toMatchObject({ ok: false, required: false });
  const text = renderReport(report);
  expect(text).toContain(
    "missing   nft                 nft is not installed\n                              apt-get install nftables",
  );
  expect(text).toContain("optional  open-vswitch");
  expect(text).toMatch(/cannot be a host of the local cloud yet. Missing: systemd-nspawn, nft.$/);
});

test("a machine without optional features is a host with fewer labels", async () => {
  const report = await probe({ canOpen: async () => false }, without("ovs-vsctl", "mmdebstrap"));
  expect(report.isCapable).toBe(true);
  expect(Object.keys(renderLabels(report))).toEqual([
    "cloudwright.dev/hosts",
    "cloudwright.dev/hosts-driver-container",
    "cloudwright.dev/hosts-nft",
    "cloudwright.dev/hosts-loop",
  ]);
  expect(renderReport(report)).toMatch(/can be a host of the local cloud.$/);
});

test("without root, checks that need root are skipped, and the report says how to run them", async () => {
  const tools: string[] = [];
  const report = await probe({ isRoot: false }, async (tool, args, options) => {
    tools.push(tool);
    return allTools(tool, args, options);
  });
  expect(tools).not.toContain("unshare");
  expect(report.isCapable).toBe(false);
  expect(find(report, "nft")).toMatchObject({
    detail: "not checked, because it needs root",
    fix: "Run the check as root: sudo cloud local check",
  });
  expect(renderReport(report)).toMatch(/unknown {3}nft {17}not checked, because it needs root\n[^]* Missing: root.$/);
});

test("the report explains an unsupported operating system and a machine with too few resources", async () => {
  const mac = await probe({ platform: "darwin", isRoot: false });
  expect(find(mac, "linux")).toMatchObject({ ok: false, detail: "darwin" });
  expect(find(mac, "nft")).toMatchObject({ detail: "not checked, because it needs Linux" });
  const weak = await probe({
    architecture: "ia32",
    kernel: "4.19.0",
    cores: 1,
    memoryBytes: 1024 ** 3,
    freeBytes: async () => 1024 ** 3,
    read: async (path) => (path === "/proc/self/cgroup" ? "5:cpu,cpuacct:/\n4:memory:/\n" : undefined),
  });
  const failed = weak.checks.filter(({ ok }) => !ok).map(({ name }) => name);
  expect(failed).toEqual([
    "architecture",
    "kernel",
    "processors",
    "memory",
    "disk-space",
    "cgroups",
    "resource-limits",
    "inotify-instances",
  ]);
  expect(find(weak, "cgroups")?.detail).toBe("version 1 without pids, devices, freezer");
});

test("checking the machine that runs this test does not throw and leaves nothing behind", async () => {
  const directory = await mkdtemp(join(tmpdir(), "probe-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const report = await probeHost({ directory: join(directory, "new", "folder"), run: runTool });
  expect(renderReport(report).split("\n").length).toBeGreaterThan(report.checks.length);
  expect(await readdir(directory)).toEqual([]);
});
