import type { CheckDefinition } from "./check.ts";

const gib = 1024 ** 3;
const leastDiskGib = 20;
const leastMemoryGib = 2;
const oldestKernel = [5, 10] as const;
const resourceCapability = 24n;
const leastInotifyInstances = 512;

/** Checks of the machine itself. They run no programs. */
export const machineChecks: readonly CheckDefinition[] = [
  {
    name: "architecture",
    required: true,
    find: async ({ machine: { architecture } }) => ({
      ok: ["x64", "arm64"].includes(architecture),
      detail: architecture,
      fix: "Use a machine with an x86-64 or 64-bit ARM processor.",
    }),
  },
  {
    name: "kernel",
    required: true,
    find: async ({ machine: { kernel } }) => {
      const [major = 0, minor = 0] = kernel.split(".").map((part) => Number.parseInt(part, 10));
      return {
        ok: major > oldestKernel[0] || (major === oldestKernel[0] && minor >= oldestKernel[1]),
        detail: `Linux ${kernel}`,
        fix: `Upgrade to Linux ${oldestKernel.join(".")} or newer.`,
      };
    },
  },
  {
    name: "processors",
    required: true,
    find: async ({ machine: { cores } }) => ({
      ok: cores >= 2,
      detail: `${cores}`,
      fix: "Give the machine at least 2 processors.",
    }),
  },
  {
    name: "memory",
    required: true,
    find: async ({ machine: { memoryBytes } }) => ({
      ok: memoryBytes >= leastMemoryGib * gib,
      detail: `${(memoryBytes / gib).toFixed(1)} GiB`,
      fix: `Give the machine at least ${leastMemoryGib} GiB of memory.`,
    }),
  },
  {
    name: "disk-space",
    required: true,
    find: async ({ machine, directory }) => {
      const free = (await machine.freeBytes(directory)) / gib;
      return {
        ok: free >= leastDiskGib,
        detail: `${free.toFixed(1)} GiB free for ${directory}`,
        fix: `Free at least ${leastDiskGib} GiB, or choose another directory for the host's data.`,
      };
    },
  },
  {
    name: "root",
    required: true,
    find: async ({ machine: { isRoot } }) => ({
      ok: isRoot,
      detail: isRoot ? "yes" : "this program is not running as root",
      fix: "Run the agent as root. To check the machine, run: sudo cloud local check",
    }),
  },
  {
    name: "cgroups",
    required: true,
    find: async ({ machine }) => {
      const unified = await machine.read("/sys/fs/cgroup/cgroup.controllers");
      const needed = unified === undefined ? ["cpu", "memory", "pids", "devices", "freezer"] : ["cpu", "memory", "pids"];
      const membership = (await machine.read("/proc/self/cgroup")) ?? "";
      const found = unified?.trim().split(" ") ?? membership.split("\n").flatMap((line) => line.split(":")[1]?.split(",") ?? []);
      const missing = needed.filter((controller) => !found.includes(controller));
      const version = unified === undefined ? "version 1" : "version 2";
      return {
        ok: missing.length === 0,
        detail: missing.length === 0 ? `${version} with ${needed.join(", ")}` : `${version} without ${missing.join(", ")}`,
        fix: `Enable the controllers ${missing.join(", ")}. If this machine is a container, ask its administrator to delegate them.`,
      };
    },
  },
  {
    name: "resource-limits",
    required: false,
    find: async ({ machine }) => {
      const status = (await machine.read("/proc/self/status")) ?? "";
      const effective = /^CapEff:\s*(?<bits>[0-9a-f]+)$/m.exec(status)?.groups?.["bits"] ?? "0";
      const ok = ((BigInt(`0x${effective}`) >> resourceCapability) & 1n) === 1n;
      return {
        ok,
        detail: ok
          ? "can be raised"
          : "cannot be raised (no CAP_SYS_RESOURCE); ext4 file systems can grow only while they are unmounted",
        fix: "Run the agent with the capability CAP_SYS_RESOURCE. In a container, ask its administrator to grant it.",
      };
    },
  },
  {
    name: "inotify-instances",
    required: false,
    find: async ({ machine }) => {
      const count = Number((await machine.read("/proc/sys/fs/inotify/max_user_instances")) ?? 0);
      return {
        ok: count >= leastInotifyInstances,
        detail: `${count}, shared by all instances; a Kubernetes control plane uses about 30`,
        fix: `Set fs.inotify.max_user_instances to ${leastInotifyInstances} or more in /etc/sysctl.d.`,
      };
    },
  },
];
