import { describeError } from "@cloudwright/platform";
import { join } from "node:path";
import type { CheckDefinition, Finding, ProbeDeps } from "./check.ts";

const module = (name: string): string =>
  `Load the kernel module ${name}, or use a kernel that includes it. In a container, ask the administrator to allow it.`;

/** Checks that perform operations of a host, in temporary namespaces. */
export const toolChecks: readonly CheckDefinition[] = [
  {
    name: "systemd-nspawn",
    required: true,
    find: (deps) => tryTool(deps, ["systemd-nspawn", "--version"], "apt-get install systemd-container"),
  },
  {
    name: "mkfs.ext4",
    required: true,
    find: (deps) => tryTool(deps, ["mkfs.ext4", "-V"], "apt-get install e2fsprogs"),
  },
  {
    name: "dnsmasq",
    required: true,
    find: (deps) => tryTool(deps, ["dnsmasq", "--version"], "apt-get install dnsmasq-base"),
  },
  {
    name: "mmdebstrap",
    required: false,
    find: (deps) => tryTool(deps, ["mmdebstrap", "--version"], "To build images on this machine: apt-get install mmdebstrap"),
  },
  {
    name: "network-namespaces",
    required: true,
    needsRoot: true,
    find: (deps) => tryTool(deps, ["unshare", "--net", "true"], "Allow network namespaces (CONFIG_NET_NS, CAP_SYS_ADMIN)."),
  },
  {
    name: "bridge",
    required: true,
    needsRoot: true,
    find: (deps) => tryAlone(deps, ["ip", "link", "add", "name", "cwprobe0", "type", "bridge"], "iproute2", module("bridge")),
  },
  {
    name: "veth",
    required: true,
    needsRoot: true,
    find: (deps) => {
      const pair = ["name", "cwprobe0", "type", "veth", "peer", "name", "cwprobe1"];
      return tryAlone(deps, ["ip", "link", "add", ...pair], "iproute2", module("veth"));
    },
  },
  {
    name: "nft",
    required: true,
    needsRoot: true,
    find: (deps) => tryAlone(deps, ["nft", "add", "table", "inet", "cwprobe"], "nftables", module("nf_tables")),
  },
  {
    name: "loop",
    required: true,
    needsRoot: true,
    find: (deps) => tryTool(deps, ["losetup", "--find"], module("loop")),
  },
  { name: "overlayfs", required: true, needsRoot: true, find: tryOverlay },
  { name: "kvm", required: false, find: findKvm },
  {
    name: "open-vswitch",
    required: false,
    needsRoot: true,
    find: (deps) =>
      tryTool(deps, ["ovs-vsctl", "--timeout=5", "show"], "To use Open vSwitch: apt-get install openvswitch-switch"),
  },
];

async function tryTool(deps: ProbeDeps, [tool = "", ...args]: readonly string[], fix: string): Promise<Finding> {
  try {
    const { stdout, stderr } = await deps.run(tool, args, { signal: deps.signal, timeoutMs: 20_000 });
    const said = `${stdout}\n${stderr}`.trim().split("\n")[0] ?? "";
    return { ok: true, detail: args.includes("--version") || args.includes("-V") ? said.slice(0, 60) : "works" };
  } catch (error) {
    deps.signal?.throwIfAborted();
    return { ok: false, detail: describeError(error), fix };
  }
}

/**
 * Tries a command in a temporary network namespace. If the program is missing, the fix is to install `debianPackage`. If the command fails,
 * the fix is `kernelFix`.
 */
async function tryAlone(deps: ProbeDeps, command: readonly string[], debianPackage: string, kernelFix: string): Promise<Finding> {
  const [tool = ""] = command;
  const present = await tryTool(deps, [tool, tool === "ip" ? "-Version" : "--version"], `apt-get install ${debianPackage}`);
  return present.ok ? tryTool(deps, ["unshare", "--net", "--", ...command], kernelFix) : present;
}

/**
 * Mounts an overlay on the file system that will contain the root file systems of instances, because some file systems do not support
 * overlays.
 */
async function tryOverlay(deps: ProbeDeps): Promise<Finding> {
  const { directory, machine } = deps;
  const root = join(directory, `.probe-${process.pid}`);
  const options = `lowerdir=${root}/lower,upperdir=${root}/upper,workdir=${root}/work`;
  const mount = ["mount", "-t", "overlay", "overlay", "-o", options, `${root}/merged`];
  const fix = `Put ${directory} on ext4 or XFS, not on an overlay or a network file system, and load the kernel module overlay.`;
  try {
    return await machine.withFolders(root, ["lower", "upper", "work", "merged"], () =>
      tryTool(deps, ["unshare", "--mount", "--propagation", "private", "--", ...mount], fix),
    );
  } catch (error) {
    deps.signal?.throwIfAborted();
    return { ok: false, detail: describeError(error), fix: `Make ${directory} a folder that root can write to.` };
  }
}

/** Checks that virtual machines are likely to work. Only starting one would prove it. */
async function findKvm(deps: ProbeDeps): Promise<Finding> {
  if (!(await deps.machine.canOpen("/dev/kvm"))) {
    return {
      ok: false,
      detail: "/dev/kvm is missing or not accessible",
      fix: "To use virtual machines: enable virtualization in the firmware, or nested virtualization, and run as root.",
    };
  }
  const emulator = deps.machine.architecture === "arm64" ? "qemu-system-aarch64" : "qemu-system-x86_64";
  const debianPackage = deps.machine.architecture === "arm64" ? "qemu-system-arm" : "qemu-system-x86";
  const found = await tryTool(deps, [emulator, "--version"], `To use virtual machines: apt-get install ${debianPackage}`);
  return found.ok
    ? { ok: true, detail: `/dev/kvm and ${emulator} are available; not verified by starting a virtual machine` }
    : found;
}
