import { Fault } from "@cloudwright/platform";
import { stat } from "node:fs/promises";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import type { ToolResult } from "../run-tool.ts";
import { setDeviceAccess } from "./allow-device.ts";
import type { BlockDevice } from "./disk-backend.ts";

interface Plug {
  readonly uid: string;
  readonly device: BlockDevice;
  readonly instance: string;
  readonly leaderPid: number;
}

const folder = "/dev/disk/by-id";

/** Returns the path of a volume inside the instance that it is attached to. It is the same for every instance and attachment. */
export function pathInInstance(uid: string): string {
  return `${folder}/cloudwright-${uid}`;
}

/** Shows a device inside a running instance, which has no udev that would do it. */
export async function plugDevice(deps: Pick<HostDeps, "run">, plug: Plug, signal: AbortSignal | undefined): Promise<void> {
  const { uid, device, leaderPid } = plug;
  await requireOwnDevices(plug);
  await setDeviceAccess(deps, "allow", plug, signal);
  const inside = enter(deps, leaderPid, signal);
  const path = pathInInstance(uid);
  // The node itself has the stable path. A link to a node with the kernel's name would have to follow when the device gets another number.
  const create = (accept: readonly number[]): Promise<ToolResult> =>
    inside(["mknod", "--mode=660", path, "b", String(device.major), String(device.minor)], accept);
  await inside(["mkdir", "--parents", folder]);
  if ((await create([1])).code === 0 || (await isRightNode())) return;
  await inside(["rm", "--force", path]);
  await create([]);

  async function isRightNode(): Promise<boolean> {
    const { stdout } = await inside(["stat", "--format=%F %t:%T", path], [1]);
    return stdout.trim() === `block special file ${device.major.toString(16)}:${device.minor.toString(16)}`;
  }
}

/** Hides a volume inside a running instance again. The device is undefined if the host has lost it. */
export async function unplugDevice(
  deps: Pick<HostDeps, "run">,
  plug: Omit<Plug, "device"> & { readonly device: BlockDevice | undefined },
  signal: AbortSignal | undefined,
): Promise<void> {
  const { uid, device, leaderPid } = plug;
  await requireOwnDevices(plug);
  await enter(deps, leaderPid, signal)(["rm", "--force", pathInInstance(uid)]);
  if (device !== undefined) await setDeviceAccess(deps, "deny", { ...plug, device }, signal);
}

/**
 * Returns a function that runs a program of the instance in all of its namespaces, with no more rights than the instance itself has,
 * because the instance may have replaced the program. It must not inherit a lock either.
 */
export function enter({ run }: Pick<HostDeps, "run">, leaderPid: number, signal: AbortSignal | undefined) {
  return (command: readonly string[], accept: readonly number[] = []): Promise<ToolResult> =>
    run("nsenter", ["--target", String(leaderPid), "--all", "--root", "--", ...command], { signal, accept });
}

/** An instance that shares /dev with the host would let us create and remove nodes of the host. */
async function requireOwnDevices({ leaderPid, instance }: Pick<Plug, "leaderPid" | "instance">): Promise<void> {
  const [own, hosts] = await Promise.all([stat(`/proc/${leaderPid}/root/dev`), stat("/dev")]);
  if (own.dev !== hosts.dev) return;
  throw new Fault(
    hostsFaults.device_denied,
    `instance ${instance} shares /dev with the host; give it a /dev of its own, as systemd-nspawn does`,
  );
}
