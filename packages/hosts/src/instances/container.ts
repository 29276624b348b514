import { Fault } from "@cloudwright/platform";
import { access, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import { nameObject } from "../names.ts";
import { openCgroups, sendSignal } from "./cgroups.ts";
import { readTail } from "./console.ts";
import { createDisk, deleteFiles, mountDisk, pathsOf, unmountDisk } from "./disk.ts";
import type { InstanceDriver, InstanceSpec, InstanceState } from "./driver.ts";
import { launch } from "./launch.ts";
import { findLeader } from "./leader.ts";
import { renderSeed } from "./seed.ts";

/** SIGRTMIN+4, which makes systemd as process 1 shut down. */
const powerOffSignal = 38;
const startTimeoutMs = 60_000;
const stopTimeoutMs = 60_000;
/** The signal is repeated, because signals that arrive before systemd handles them are lost. */
const repeatSignalMs = 2000;
const pollMs = 10;
/** Limits the number of processes, in case of a fork bomb. */
const processLimit = { plain: 2048, node: 16_384 };
const consoleTail = 1000;

/** Runs instances as systemd-nspawn containers. Containers share the host's kernel, so they are no security boundary between projects. */
export function createContainerDriver(deps: HostDeps): InstanceDriver {
  const { directory, clock } = deps;
  const cgroups = openCgroups(deps);
  const leaderOf = (uid: string): number | undefined => findLeader(cgroups.listProcesses(uid));

  async function find(uid: string): Promise<InstanceState> {
    const leader = leaderOf(uid);
    if (leader !== undefined) return { state: "running", leader };
    return { state: (await exists(pathsOf(directory, uid).disk)) ? "stopped" : "absent" };
  }

  /**
   * Waits for the leader of an instance whose launcher is running. Returns undefined if the launcher exits before a leader appears, or if
   * no leader appears in time.
   */
  async function waitForLeader(
    uid: string,
    hasEnded: () => boolean,
    signal: AbortSignal | undefined,
  ): Promise<number | undefined> {
    const deadline = clock.now() + startTimeoutMs;
    while (clock.now() < deadline) {
      const isOver = hasEnded();
      const leader = leaderOf(uid);
      if (leader !== undefined || isOver) return leader;
      await clock.sleep(pollMs, signal);
    }
    return undefined;
  }

  async function start(spec: InstanceSpec, signal: AbortSignal | undefined): Promise<void> {
    const { uid, cpus, memoryMib, port } = spec;
    const isGone = (): boolean => cgroups.listProcesses(uid).length === 0;
    // An earlier, interrupted attempt may have launched the instance.
    if (!isGone() && (await waitForLeader(uid, isGone, signal)) !== undefined) return;
    await cgroups.kill(uid, signal);
    if (!(await exists(`/run/netns/${port.namespace}`)))
      throw new Fault(
        hostsFaults.instance_failed,
        `the network namespace ${port.namespace} of instance ${uid} does not exist; create the port of the instance first`,
      );
    const isNode = spec.nodeOfCluster === true;
    const processes = isNode ? processLimit.node : processLimit.plain;
    await cgroups.create(uid, { cpus, memoryMib, processes, allDevices: isNode });
    await mountDisk(deps, spec, signal);
    const entries = { launcher: cgroups.entriesOf(uid, "launcher"), instance: cgroups.entriesOf(uid, "instance") };
    const hasEnded = await launch(directory, spec, entries);
    if ((await waitForLeader(uid, hasEnded, signal)) !== undefined) return;
    const said = (await readTail(pathsOf(directory, uid).console, consoleTail)).trim().replaceAll(/\s+/g, " ");
    throw new Fault(
      hostsFaults.instance_failed,
      `instance ${uid} did not start; its console ends with: ${said || "(no output)"}`,
    );
  }

  async function powerOff(uid: string, signal: AbortSignal | undefined): Promise<void> {
    // The leader is killed first. If nspawn were killed before the leader, the other processes would keep running.
    const leader = leaderOf(uid);
    if (leader !== undefined) sendSignal(leader, "SIGKILL");
    await cgroups.kill(uid, signal);
    await cgroups.remove(uid);
    await removeLock(pathsOf(directory, uid).root);
    await unmountDisk(deps, uid, signal);
  }

  async function remove(uid: string, signal: AbortSignal | undefined): Promise<void> {
    await powerOff(uid, signal);
    await deleteFiles(directory, uid);
    for (const name of ["propagate", "unix-export"])
      await rm(join("/run/systemd/nspawn", name, nameObject("machine", uid)), { recursive: true, force: true });
  }

  return {
    name: "container",
    isolatesProjects: false,
    find,
    start,
    powerOff,
    remove,
    async create(spec, signal) {
      const { seed } = pathsOf(directory, spec.uid);
      await mkdir(seed, { recursive: true, mode: 0o700 });
      for (const [name, content] of Object.entries(renderSeed(spec)))
        await writeFile(join(seed, name), content as string, { mode: 0o600 });
      await createDisk(deps, spec, signal);
    },
    async stop(uid, signal) {
      const deadline = clock.now() + stopTimeoutMs;
      let sentAt = Number.NEGATIVE_INFINITY;
      for (let leader = leaderOf(uid); leader !== undefined && clock.now() < deadline; leader = leaderOf(uid)) {
        if (clock.now() - sentAt >= repeatSignalMs) {
          sendSignal(leader, powerOffSignal);
          sentAt = clock.now();
        }
        await clock.sleep(pollMs, signal);
      }
      await powerOff(uid, signal);
    },
    setDevice: cgroups.setDevice,
    readConsole: (uid, maxBytes) => readTail(pathsOf(directory, uid).console, maxBytes),
    async removeOthers(uids, signal) {
      await cgroups.removeOthers(uids, signal);
      const folders = await readdir(join(directory, "instances")).catch(() => []);
      const disks = await readdir(join(directory, "disks")).catch(() => []);
      const found = new Set([...folders, ...disks.map((name) => name.replace(/\.img(\.next)?$/, ""))]);
      for (const uid of found) if (!uids.includes(uid)) await remove(uid, signal);
    },
  };
}

/** Removes the file with which nspawn locks a root file system. nspawn removes the file itself, unless it was killed. */
async function removeLock(root: string): Promise<void> {
  const found = await stat(root).catch(() => undefined);
  if (found !== undefined) await rm(`/run/systemd/nspawn/locks/inode-${found.dev}:${found.ino}`, { force: true });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
