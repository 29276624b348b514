import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { mkdir, open, rename, rm, rmdir, stat, truncate, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import { listMounts } from "../images/mounts.ts";
import type { InstanceSpec } from "./driver.ts";

const gib = 1024 ** 3;
const mountTimeoutMs = 5000;
const unmountTimeoutMs = 20_000;
const pollMs = 20;

/** Returns the paths of an instance's files and folders. */
export function pathsOf(directory: string, uid: string) {
  const folder = join(directory, "instances", uid);
  return {
    folder,
    /** Image file of the instance's disk. */
    disk: join(directory, "disks", `${uid}.img`),
    /** Mount point of the disk on the host. */
    mount: join(folder, "disk"),
    /** Mount point of the root file system, an overlay of the image and the instance's changes. */
    root: join(folder, "root"),
    seed: join(folder, "seed"),
    console: join(folder, "console.log"),
  };
}

/** Creates the disk of an instance as a sparse file with a file system. An existing disk is kept. */
export async function createDisk(
  { run, directory }: Pick<HostDeps, "run" | "directory">,
  { uid, diskGib }: Pick<InstanceSpec, "uid" | "diskGib">,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { disk } = pathsOf(directory, uid);
  if ((await stat(disk).catch(() => undefined)) !== undefined) return;
  await mkdir(join(directory, "disks"), { recursive: true, mode: 0o700 });
  const next = `${disk}.next`;
  await rm(next, { force: true });
  await (await open(next, "wx", 0o600)).close();
  await truncate(next, Math.round(diskGib * gib));
  // The kernel initializes the inode tables and the journal later. No blocks are reserved for the host's root user.
  const options = ["-E", "lazy_itable_init=1,lazy_journal_init=1,nodiscard", "-m", "0"];
  await run("mkfs.ext4", ["-F", "-q", ...options, next], { signal });
  await rename(next, disk);
}

/** Mounts the disk of an instance and its root file system, unless they are already mounted. */
export async function mountDisk(
  deps: HostDeps,
  { uid, image, port }: Pick<InstanceSpec, "uid" | "image" | "port">,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { directory } = deps;
  const { folder, disk, mount, root } = pathsOf(directory, uid);
  await mkdir(mount, { recursive: true });
  await mkdir(root, { recursive: true });
  // mount creates the loop device, so the device disappears with the last mount.
  await mountOnce(deps, folder, mount, ["-t", "ext4", "-o", "loop,nodev", disk, mount], signal);
  await prepareUpper(mount, uid, port.dns);
  await mkdir(join(mount, "work"), { recursive: true });
  // Uses paths relative to the host's folder, because the folder's own path may contain separators of mount options.
  const path = (absolute: string): string => relative(directory, absolute);
  const layers = [
    `lowerdir=${join("images", image, "root")}`,
    `upperdir=${path(join(mount, "upper"))}`,
    `workdir=${path(join(mount, "work"))}`,
  ];
  await mountOnce(deps, folder, root, ["-t", "overlay", "-o", `nodev,${layers.join(",")}`, "overlay", path(root)], signal);
}

/**
 * Mounts a file system unless it is already mounted. A mount program that a killed agent started may still be running. It can make this
 * attempt fail, or add a second mount, which is then removed.
 */
async function mountOnce(
  { run, directory, clock }: HostDeps,
  folder: string,
  point: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = clock.now() + mountTimeoutMs;
  const count = async (): Promise<number> => (await listMounts(folder)).filter((each) => each === point).length;
  for (let found = await count(); found !== 1; found = await count()) {
    if (found > 1) {
      await run("umount", [point], { signal });
      continue;
    }
    const { code, stderr } = await run("mount", args, { signal, cwd: directory, accept: [1, 32] });
    if (code === 0) return;
    if (clock.now() > deadline) throw new Fault(hostsFaults.tool_failed, `${point} cannot be mounted: ${stderr.trim()}`);
    await clock.sleep(pollMs, signal);
  }
}

/** Disables IPv6, because networks have only IPv4 addresses. Otherwise, networkd would wait 14 seconds for an IPv6 router. */
const withoutIpv6 = "[Network]\nIPv6AcceptRA=no\nLinkLocalAddressing=no\n";

/**
 * Writes the files that the instance needs before cloud-init runs. They are written only once, before the first start. Later, the instance
 * may have created symbolic links that would redirect writes to files of the host.
 */
async function prepareUpper(mount: string, uid: string, dns: readonly string[]): Promise<void> {
  const upper = join(mount, "upper");
  if ((await stat(upper).catch(() => undefined)) !== undefined) return;
  const next = join(mount, "upper.next");
  await rm(next, { recursive: true, force: true });
  await mkdir(join(next, "etc"), { recursive: true, mode: 0o755 });
  await writeFile(join(next, "etc", "resolv.conf"), dns.map((address) => `nameserver ${address}\n`).join(""));
  await writeFile(join(next, "etc", "machine-id"), `${machineIdOf(uid)}\n`);
  const network = join(next, "etc", "systemd", "network", "10-cloud-init-host0.network.d");
  await mkdir(network, { recursive: true, mode: 0o755 });
  await writeFile(join(network, "cloudwright.conf"), withoutIpv6);
  await rename(next, upper);
}

/** Returns the systemd machine id of an instance. It is derived from the uid. */
export function machineIdOf(uid: string): string {
  return createHash("sha256").update(uid).digest("hex").slice(0, 32);
}

/** Unmounts all file systems of an instance and detaches its disk. No process of the instance may be running. */
export async function unmountDisk(
  { run, directory, clock }: HostDeps,
  uid: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { folder, disk } = pathsOf(directory, uid);
  const deadline = clock.now() + unmountTimeoutMs;
  for (let [point] = await listMounts(folder); point !== undefined; [point] = await listMounts(folder)) {
    const { code, stderr } = await run("umount", [point], { signal, accept: [1, 32] });
    if (code === 0) continue;
    // The kernel releases the mounts of a killed instance shortly after its processes.
    if (clock.now() > deadline) throw new Fault(hostsFaults.tool_failed, `${point} cannot be unmounted: ${stderr.trim()}`);
    await clock.sleep(pollMs, signal);
  }
  const { stdout } = await run("losetup", ["--associated", disk, "--noheadings", "--output", "NAME"], { signal });
  for (const device of stdout.split("\n").filter((line) => line !== ""))
    await run("losetup", ["--detach", device], { signal, accept: [1] });
}

/** Deletes all files of an instance. Its file systems must be unmounted. */
export async function deleteFiles(directory: string, uid: string): Promise<void> {
  const { folder, disk, mount, root } = pathsOf(directory, uid);
  // Mount points are removed with rmdir, which fails for mounted file systems. Their contents can therefore never be deleted.
  for (const point of [mount, root]) await rmdir(point).catch(ignoreMissing);
  await rm(folder, { recursive: true, force: true });
  // An interrupted creation of the disk leaves a file with the suffix `.next`.
  for (const file of [`${disk}.next`, disk]) await rm(file, { force: true });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
