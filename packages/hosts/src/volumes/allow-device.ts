import { describeError, Fault } from "@cloudwright/platform";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import type { BlockDevice } from "./disk-backend.ts";

const root = "/sys/fs/cgroup";

/** Allows or denies the processes of an instance access to a block device. `leaderPid` is the instance's init process. */
export async function setDeviceAccess(
  deps: Pick<HostDeps, "run">,
  access: "allow" | "deny",
  { device, leaderPid, instance }: { readonly device: BlockDevice; readonly leaderPid: number; readonly instance: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  const membership = parseMembership(await readFile(`/proc/${leaderPid}/cgroup`, "utf8"));
  if (membership.version === 2) {
    if (access === "allow") await requireAccess(deps, { device, leaderPid, instance, group: membership.path }, signal);
    return;
  }
  for (const path of listInstanceGroups(membership.path)) {
    const folder = join(root, "devices", path);
    const rules = await readFile(join(folder, "devices.list"), "utf8");
    // A group without restrictions belongs to an instance without restrictions, or is shared with other processes.
    if (rules.startsWith("a ")) continue;
    const rule = `b ${device.major}:${device.minor} rwm`;
    await writeFile(join(folder, `devices.${access}`), rule).catch((cause: unknown) => {
      throw new Fault(
        hostsFaults.device_denied,
        `the cgroup ${folder} of instance ${instance} rejects the rule "${rule}": ${describeError(cause)}; allow the device in the parent cgroup first`,
        { cause },
      );
    });
  }
}

/** Finds the group that controls access to devices. The text is the content of a file such as /proc/1/cgroup. */
export function parseMembership(text: string): { readonly version: 1 | 2; readonly path: string } {
  const rows = text.split("\n").map((line) => line.split(":"));
  const first = rows.find(([, controllers]) => controllers?.split(",").includes("devices"));
  if (first !== undefined) return { version: 1, path: first.slice(2).join(":") };
  const unified = rows.find(([number, controllers]) => number === "0" && controllers === "");
  return { version: 2, path: unified?.slice(2).join(":") ?? "/" };
}

/**
 * Lists the groups from the instance's own group down to the group of its init process. systemd moves the init process to a group below the
 * instance's own.
 */
export function listInstanceGroups(path: string): string[] {
  const own = path.replace(/(\/payload)?(\/init\.scope)?$/, "");
  const below = path.slice(own.length).split("/").slice(1);
  return [own, ...below.map((_, index) => [own, ...below.slice(0, index + 1)].join("/"))].filter((group) => group !== "");
}

/**
 * Throws if an instance cannot open a device. With cgroups version 2, BPF programs control access to devices. These programs
 * cannot be changed the way rules can, so a process in the instance's cgroup tries to open the device.
 */
async function requireAccess(
  { run }: Pick<HostDeps, "run">,
  { device, leaderPid, instance, group }: { device: BlockDevice; leaderPid: number; instance: string; group: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  if (group === "/") return;
  const procs = join(root, group, "cgroup.procs");
  const enter = 'echo $$ > "$1" && exec dd "if=$2" of=/dev/null count=0 status=none';
  const { code, stderr } = await run("sh", ["-c", enter, "sh", procs, device.path], { signal, accept: [1, 2] });
  if (code === 0) return;
  throw new Fault(
    hostsFaults.device_denied,
    `process ${leaderPid} of instance ${instance} cannot open ${device.path} in the cgroup ${group}: ${stderr.trim()}; ` +
      `run: systemctl set-property --runtime UNIT DeviceAllow="${device.path} rwm", where UNIT is the unit that contains the cgroup`,
  );
}
