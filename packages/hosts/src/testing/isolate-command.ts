import { findTool } from "@cloudwright/platform";
import { spawnSync } from "node:child_process";

/** Programs that every host suite and benchmark needs, with their Debian packages. */
const programs: Readonly<Record<string, string>> = {
  "systemd-nspawn": "systemd-container",
  mmdebstrap: "mmdebstrap",
  nft: "nftables",
  dnsmasq: "dnsmasq-base",
  ip: "iproute2",
  "mkfs.ext4": "e2fsprogs",
  ssh: "openssh-client",
  unshare: "util-linux",
};
const namespaces = ["--net", "--mount", "--propagation", "private"];
// Network namespaces are named by files in /run/netns. Mounting a file system there hides the machine's own namespaces.
const enter = 'ip link set lo up && mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && exec "$@"';

/** Returns why this machine cannot run host suites and benchmarks. Returns undefined if it can. */
export function findHostObstacle(): string | undefined {
  if (process.platform !== "linux") return "hosts require Linux";
  if (process.getuid?.() !== 0) return "hosts require root";
  const missing = Object.keys(programs).filter((program) => findTool(program) === undefined);
  if (missing.length > 0) {
    const packages = missing.map((program) => programs[program]).join(" ");
    return `programs are missing: ${missing.join(", ")}; on Debian, run: apt-get install ${packages}`;
  }
  const probe = spawnSync("unshare", [...namespaces, "true"], { encoding: "utf8" });
  return probe.status === 0 ? undefined : `namespaces cannot be created: ${probe.error?.message ?? probe.stderr.trim()}`;
}

/**
 * Returns a command that runs another command in a network namespace and a mount namespace of its own. No packet can leave the machine, and
 * nothing stays mounted.
 */
export function isolateCommand(command: readonly string[]): [file: string, args: string[]] {
  return ["unshare", [...namespaces, "sh", "-c", enter, "sh", ...command]];
}
