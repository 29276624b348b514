import { nameObject, runTool } from "@cloudwright/hosts";
import { renderSeed } from "@cloudwright/hosts/testing";
import { systemClock } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BenchHost } from "./bench-host.ts";

const cgroups = "/sys/fs/cgroup";
const pollMs = 20;
const link = "bare0";
/** Neither the network nor the host knows this address of the network, so no firewall applies to it. */
const address = "10.60.3.250";
const gateway = "10.60.0.1";

export interface BareInstance {
  readonly address: string;
  /** Kills the instance and removes everything that belongs to it. */
  stop(): Promise<void>;
}

/** Starts a container with the programs that an administrator would use: ip, mount and systemd-nspawn. */
export async function startBareInstance({ directory, root, network, newUid, specOf }: BenchHost): Promise<BareInstance> {
  const uid = newUid();
  const folder = join(directory, "bare", uid);
  const path = (name: string): string => join(folder, name);
  const spec = specOf(uid);
  const mac = "02:00:00:00:be:01";
  const port = { namespace: "bare", address, prefixLength: 22, gateway, mac, dns: [gateway] };

  await runTool("ip", ["netns", "add", "bare"]);
  const links = [
    `link add name ${link} type veth peer name host0 address ${mac} netns bare`,
    `link set dev ${link} master ${nameObject("bridge", network)} up`,
  ];
  await runTool("ip", ["-batch", "-"], { input: links.join("\n") });
  const inner = ["link set dev lo up", "link set dev host0 up", `address add ${address}/22 brd + dev host0`];
  await runTool("ip", ["-n", "bare", "-batch", "-"], { input: inner.join("\n") });

  for (const name of ["upper/etc/systemd/network/10-cloud-init-host0.network.d", "work", "root", "seed"])
    await mkdir(path(name), { recursive: true });
  const withoutIpv6 = "[Network]\nIPv6AcceptRA=no\nLinkLocalAddressing=no\n";
  await writeFile(path("upper/etc/systemd/network/10-cloud-init-host0.network.d/bare.conf"), withoutIpv6);
  for (const [name, content] of Object.entries(renderSeed({ ...spec, port })))
    await writeFile(join(path("seed"), name), content as string);
  const layers = `lowerdir=${root},upperdir=${path("upper")},workdir=${path("work")}`;
  await runTool("mount", ["-t", "overlay", "-o", layers, "overlay", path("root")]);

  const groups = await createGroups();
  const command = ["systemd-nspawn", "--quiet", "--boot", "--keep-unit", "--register=no", "--console=read-only"];
  const options = [
    `--directory=${path("root")}`,
    "--machine=bare",
    `--hostname=${spec.name}`,
    "--network-namespace-path=/run/netns/bare",
    "--resolv-conf=off",
    "--timezone=off",
    "--link-journal=no",
    "--capability=CAP_NET_ADMIN",
    `--bind-ro=${path("seed")}:/var/lib/cloud/seed/nocloud`,
  ];
  const enter = 'while [ "$1" != -- ]; do echo 0 > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"';
  const env = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    SYSTEMD_NSPAWN_API_VFS_WRITABLE: "network",
  };
  const child = spawn("sh", ["-c", enter, "sh", ...groups, "--", ...command, ...options], { env, stdio: "ignore" });
  const ended = once(child, "exit");
  return {
    address,
    async stop() {
      // The init process is killed, because processes of the container would survive nspawn.
      for (const pid of listProcesses(groups)) kill(pid);
      await ended;
      while (listProcesses(groups).length > 0) await systemClock.sleep(pollMs);
      for (const group of groups) await removeTree(group);
      const { dev, ino } = statSync(path("root"));
      await rm(`/run/systemd/nspawn/locks/inode-${dev}:${ino}`, { force: true });
      for (const name of ["propagate", "unix-export"])
        await rm(join("/run/systemd/nspawn", name, "bare"), { recursive: true, force: true });
      await runTool("umount", [path("root")]);
      await runTool("ip", ["link", "delete", link]);
      await runTool("ip", ["netns", "delete", "bare"]);
      await rm(folder, { recursive: true });
    },
  };
}

/** Creates one group per hierarchy, because systemd in the container needs groups of its own. Works with both versions of cgroups. */
async function createGroups(): Promise<string[]> {
  const isUnified = existsSync(join(cgroups, "cgroup.controllers"));
  const hierarchies = isUnified ? [""] : readdirSync(cgroups).filter((name) => existsSync(join(cgroups, name, "cgroup.procs")));
  const groups = hierarchies.map((name) => join(cgroups, name, `cw-bench-${process.pid}`));
  for (const group of groups) {
    await mkdir(group, { recursive: true });
    for (const file of ["cpuset.cpus", "cpuset.mems"])
      if (existsSync(join(group, file)) && !isUnified) await writeFile(join(group, file), readFileSync(join(group, "..", file)));
    if (existsSync(join(group, "cgroup.clone_children"))) await writeFile(join(group, "cgroup.clone_children"), "1");
  }
  return groups;
}

function listTree(group: string): string[] {
  const names = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [group, ...names.flatMap(({ name }) => listTree(join(group, name)))];
}

function listProcesses(groups: readonly string[]): number[] {
  const lines = groups.flatMap(listTree).flatMap((group) => readFileSync(join(group, "cgroup.procs"), "utf8").split("\n"));
  return [...new Set(lines.filter((line) => line !== ""))].map(Number);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has exited.
  }
}

async function removeTree(group: string): Promise<void> {
  for (const each of listTree(group).toReversed()) await rmdir(each);
}
