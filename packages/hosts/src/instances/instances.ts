import { describeError, Fault } from "@cloudwright/platform";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import type { Images } from "../images/images.ts";
import { createSerializer } from "../serialize.ts";
import { openRecords } from "../records.ts";
import { reportFullDisk } from "../report-full-disk.ts";
import { checkSpec } from "./check-spec.ts";
import type { InstanceDriver, InstanceSpec, InstanceState } from "./driver.ts";

interface InstanceRecord {
  readonly spec: InstanceSpec;
  /** The state that was requested last. */
  readonly desired: "running" | "stopped" | "removed";
}

export interface RestoreResult {
  /** Instances that could not be brought into their recorded state, each with the reason. */
  readonly failed: readonly { readonly uid: string; readonly reason: string }[];
}

/** The instances of a host. */
export interface Instances {
  /** Creates and starts an instance. If the instance exists with the same specification, continues where an earlier attempt stopped. */
  create(spec: InstanceSpec, signal: AbortSignal | undefined): Promise<void>;
  start(uid: string, signal: AbortSignal | undefined): Promise<void>;
  stop(uid: string, signal: AbortSignal | undefined): Promise<void>;
  reboot(uid: string, signal: AbortSignal | undefined): Promise<void>;
  /** Stops an instance and changes its size. It stays off until it is started. */
  resize(uid: string, size: Pick<InstanceSpec, "cpus" | "memoryMib">, signal: AbortSignal | undefined): Promise<void>;
  /** Stops an instance immediately, as a power cut would. The instance stays off until it is started. */
  powerOff(uid: string, signal: AbortSignal | undefined): Promise<void>;
  remove(uid: string, signal: AbortSignal | undefined): Promise<void>;
  find(uid: string): Promise<InstanceState>;
  /** Returns the specifications of all instances. */
  list(): Promise<InstanceSpec[]>;
  readConsole(uid: string, maxBytes: number): Promise<string>;
  /** Returns the process id of the instance's init process, for entering its namespaces. Throws if the instance is not running. */
  enter(uid: string): Promise<number>;
  /** Gives a running instance access to a block device of the host, given as `major:minor`. Access is denied again after every start. */
  allowDevice(uid: string, device: string): Promise<void>;
  denyDevice(uid: string, device: string): Promise<void>;
  /**
   * Brings all instances into their recorded state after a restart of the agent or the host. Removes processes, files and kernel objects
   * that belong to no instance. The ports of the instances must exist.
   */
  restore(signal: AbortSignal | undefined): Promise<RestoreResult>;
}

interface InstancesDeps extends HostDeps {
  readonly images: Images;
  readonly driver: InstanceDriver;
  /** Allows instances of several projects, although the driver does not isolate projects from each other. */
  readonly allowSharedHost?: boolean;
}

/** Opens the instances in the host's folder. Only one process may open them. */
export async function openInstances({ directory, images, driver, allowSharedHost = false }: InstancesDeps): Promise<Instances> {
  const records = await openRecords<InstanceRecord>(join(directory, "records", "instances"));
  const serialize = createSerializer();

  async function get(uid: string): Promise<InstanceRecord> {
    const record = await records.find(uid);
    if (record !== undefined && record.desired !== "removed") return record;
    throw new Fault(hostsFaults.instance_not_found, `the host has no instance "${uid}"`);
  }

  async function enter(uid: string): Promise<number> {
    await get(uid);
    const found = await driver.find(uid);
    if (found.state === "running") return found.leader;
    throw new Fault(hostsFaults.instance_stopped, `the instance ${uid} is not running`);
  }

  /** Records the instance, or throws if the host cannot accept it. */
  async function admit(spec: InstanceSpec): Promise<void> {
    const existing = await records.find(spec.uid);
    if (existing !== undefined && (existing.desired === "removed" || !isDeepStrictEqual(existing.spec, plain(spec)))) {
      const state = existing.desired === "removed" ? "is being removed" : "already exists with a different specification";
      throw new Fault(hostsFaults.instance_exists, `the instance ${spec.uid} ${state}`);
    }
    const others = (await records.list()).map((record) => record.spec.project);
    const foreign = others.find((project) => project !== spec.project);
    if (foreign !== undefined && !driver.isolatesProjects && !allowSharedHost) {
      const message = `the host runs instances of the project "${foreign}"; instances of "${spec.project}" would not be isolated from them`;
      throw new Fault(hostsFaults.shared_host, message);
    }
    await images.get(spec.image);
    await records.put(spec.uid, { spec, desired: "running" });
  }

  async function run(spec: InstanceSpec, signal: AbortSignal | undefined): Promise<void> {
    try {
      await images.hold(spec.image, spec.uid);
      await driver.create(spec, signal);
      await driver.start(spec, signal);
    } catch (error) {
      throw reportFullDisk(error, directory);
    }
  }

  /** On a full disk, the removal continues without the mark, because only the removal frees space. */
  async function markRemoved(uid: string, record: InstanceRecord): Promise<void> {
    await records.put(uid, { ...record, desired: "removed" }).catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== hostsFaults.no_disk_space.code) throw error;
    });
  }

  async function erase(uid: string, record: InstanceRecord | undefined, signal: AbortSignal | undefined): Promise<void> {
    if (record !== undefined) await markRemoved(uid, record);
    await driver.remove(uid, signal);
    if (record !== undefined) await images.release(record.spec.image, uid);
    await records.delete(uid);
  }

  async function settle({ spec, desired }: InstanceRecord, signal: AbortSignal | undefined): Promise<void> {
    if (desired === "removed") await erase(spec.uid, { spec, desired }, signal);
    else if (desired === "running") await run(spec, signal);
    // Completes a stop that was interrupted.
    else await driver.stop(spec.uid, signal);
  }

  return {
    async create(spec, signal) {
      checkSpec(spec);
      await serialize(`instance ${spec.uid}`, async () => {
        // Instances are admitted one at a time, because the admission compares all of them.
        await serialize("admission", () => admit(spec));
        await run(spec, signal);
      });
    },
    start: (uid, signal) =>
      serialize(`instance ${uid}`, async () => {
        const { spec } = await get(uid);
        await records.put(uid, { spec, desired: "running" });
        await run(spec, signal);
      }),
    stop: (uid, signal) =>
      serialize(`instance ${uid}`, async () => {
        await records.put(uid, { ...(await get(uid)), desired: "stopped" });
        await driver.stop(uid, signal);
      }),
    reboot: (uid, signal) =>
      serialize(`instance ${uid}`, async () => {
        const { spec } = await get(uid);
        await records.put(uid, { spec, desired: "running" });
        await driver.stop(uid, signal);
        await run(spec, signal);
      }),
    resize: (uid, { cpus, memoryMib }, signal) =>
      serialize(`instance ${uid}`, async () => {
        const record = await get(uid);
        const spec = { ...record.spec, cpus, memoryMib };
        checkSpec(spec);
        await records.put(uid, { ...record, desired: "stopped" });
        await driver.stop(uid, signal);
        await records.put(uid, { spec, desired: "stopped" });
      }),
    powerOff: (uid, signal) =>
      serialize(`instance ${uid}`, async () => {
        await records.put(uid, { ...(await get(uid)), desired: "stopped" });
        await driver.powerOff(uid, signal);
      }),
    remove: (uid, signal) => serialize(`instance ${uid}`, async () => erase(uid, await records.find(uid), signal)),
    find: (uid) => driver.find(uid),
    list: async () => (await records.list()).map(({ spec }) => spec),
    readConsole: async (uid, maxBytes) => driver.readConsole((await get(uid)).spec.uid, maxBytes),
    enter,
    async allowDevice(uid, device) {
      await enter(uid);
      await driver.setDevice(uid, requireDevice(device), true);
    },
    async denyDevice(uid, device) {
      const { state } = await driver.find(uid);
      if (state === "running") await driver.setDevice(uid, requireDevice(device), false);
    },
    async restore(signal) {
      const all = await records.list();
      await driver.removeOthers(
        all.map(({ spec }) => spec.uid),
        signal,
      );
      const results = await Promise.all(
        all.map(async (record) => {
          const { uid } = record.spec;
          try {
            await serialize(`instance ${uid}`, () => settle(record, signal));
            return [];
          } catch (error) {
            return [{ uid, reason: describeError(error) }];
          }
        }),
      );
      return { failed: results.flat() };
    },
  };
}

function requireDevice(device: string): string {
  if (/^[0-9]+:[0-9]+$/.test(device)) return device;
  throw new Fault(hostsFaults.bad_instance, `"${device}" is not a device number; use major:minor, such as 7:3`);
}

/** Returns a specification as it would be read from a record. */
function plain(spec: InstanceSpec): InstanceSpec {
  return JSON.parse(JSON.stringify(spec)) as InstanceSpec;
}
