import { Fault } from "@cloudwright/platform";
import { lstat, rm, stat } from "node:fs/promises";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import { setDeviceAccess } from "./allow-device.ts";
import type { BlockDevice, ToolUse } from "./disk-backend.ts";
import { deviceNumber } from "./find-users.ts";
import { openFolderOf } from "./instance-files.ts";

interface Plug {
  readonly uid: string;
  readonly device: BlockDevice;
  readonly instance: string;
  readonly leaderPid: number;
}

const folder = "/dev/disk/by-id";
const nameOf = (uid: string): string => `cloudwright-${uid}`;

/** Returns the path of a volume inside its instance. The path is the same for every instance and attachment. */
export function pathInInstance(uid: string): string {
  return `${folder}/${nameOf(uid)}`;
}

/**
 * Creates the device node inside a running instance, because no udev does so there. The node itself has the stable path. A symbolic link to
 * the kernel's name would have to be updated whenever the device number changes.
 */
export async function plugDevice(deps: Pick<HostDeps, "run">, plug: Plug, use: ToolUse): Promise<void> {
  const { uid, device } = plug;
  await requireOwnDevices(plug);
  await setDeviceAccess(deps, "allow", plug, use.signal);
  const handle = await openFolderOf(plug.leaderPid, folder, { create: true });
  try {
    const node = `/proc/self/fd/${handle.fd}/${nameOf(uid)}`;
    const existing = await lstat(node).catch(() => undefined);
    if (existing?.isBlockDevice() === true && existing.rdev === deviceNumber(device.major, device.minor)) return;
    await rm(node, { recursive: true, force: true });
    // The tool inherits the lock as descriptor 3 and the folder as descriptor 4.
    const inherit = [...(use.inherit ?? []), handle.fd];
    const inherited = `/proc/self/fd/${2 + inherit.length}/${nameOf(uid)}`;
    const numbers = [String(device.major), String(device.minor)];
    await deps.run("mknod", ["--mode=660", inherited, "b", ...numbers], { ...use, inherit });
  } finally {
    await handle.close();
  }
}

/**
 * Removes the device node from a running instance and denies access to the device. `device` is undefined if the host has lost the device.
 */
export async function unplugDevice(
  deps: Pick<HostDeps, "run">,
  plug: Omit<Plug, "device"> & { readonly device: BlockDevice | undefined },
  use: ToolUse,
): Promise<void> {
  const { uid, device, leaderPid } = plug;
  await requireOwnDevices(plug);
  const handle = await openFolderOf(leaderPid, folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  try {
    if (handle !== undefined) await rm(`/proc/self/fd/${handle.fd}/${nameOf(uid)}`, { recursive: true, force: true });
  } finally {
    await handle?.close();
  }
  if (device !== undefined) await setDeviceAccess(deps, "deny", { ...plug, device }, use.signal);
}

/** Throws if an instance shares /dev with the host, because device nodes would then be created and removed on the host. */
async function requireOwnDevices({ leaderPid, instance }: Pick<Plug, "leaderPid" | "instance">): Promise<void> {
  const handle = await openFolderOf(leaderPid, "/dev");
  try {
    const [own, hosts] = await Promise.all([handle.stat(), stat("/dev")]);
    if (own.dev !== hosts.dev) return;
  } finally {
    await handle.close();
  }
  throw new Fault(
    hostsFaults.device_denied,
    `instance ${instance} shares /dev with the host; give it a /dev of its own, as systemd-nspawn does`,
  );
}
