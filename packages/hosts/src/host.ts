import { Fault } from "@cloudwright/platform";
import { hostsFaults } from "./faults.ts";
import { openFirewall, type Firewall } from "./firewall/firewall.ts";
import type { HostDeps } from "./host-deps.ts";
import { openImages, type Images } from "./images/images.ts";
import { createContainerDriver } from "./instances/container.ts";
import type { InstanceDriver, InstanceSpec } from "./instances/driver.ts";
import { openInstances, type Instances } from "./instances/instances.ts";
import { openNetworks, type Networks } from "./networks/networks.ts";
import type { Port } from "./networks/network.ts";
import type { Attachment } from "./volumes/volume.ts";
import { openVolumes, type Volumes } from "./volumes/volumes.ts";

/** An instance with its network and its security groups. */
export interface HostedInstance extends Omit<InstanceSpec, "port"> {
  /** Uid of the network. */
  readonly network: string;
  /** A fixed address. Default: the lowest free address of the network. */
  readonly address?: string;
  /** Uids of the security groups. If the list is empty, only the host can connect to the instance. */
  readonly groups: readonly string[];
}

/**
 * A Linux machine as a host, with its networks, firewall, images, instances and volumes. The methods coordinate several of these parts. For
 * everything else, callers use a part directly. Only one process may open a host.
 */
export interface Host {
  readonly networks: Networks;
  readonly firewall: Firewall;
  readonly images: Images;
  readonly instances: Omit<Instances, "create" | "start" | "reboot" | "remove" | "restore">;
  readonly volumes: Omit<Volumes, "attach" | "plugIn" | "restore" | "clean">;
  /** Creates an instance with its port and starts it. The firewall rules are in effect before the instance runs. */
  createInstance(spec: HostedInstance, signal?: AbortSignal): Promise<Port>;
  /** Starts a stopped instance and plugs its volumes in. */
  startInstance(uid: string, signal?: AbortSignal): Promise<void>;
  rebootInstance(uid: string, signal?: AbortSignal): Promise<void>;
  /** Changes which security groups protect an instance, without touching it. */
  setGroups(uid: string, groups: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Deletes an instance with its disk and its port. Its volumes are detached and kept. */
  removeInstance(uid: string, signal?: AbortSignal): Promise<void>;
  attachVolume(uid: string, instance: string, signal?: AbortSignal): Promise<Attachment>;
  /**
   * Restores everything that the records describe, after a restart of the agent or the machine. Returns one message for each part that
   * could not be restored.
   */
  restore(signal?: AbortSignal): Promise<readonly string[]>;
  /** Removes everything that the host created on the machine, including all data. The caller deletes the host's folder. */
  clean(signal?: AbortSignal): Promise<void>;
}

export interface HostOptions {
  readonly driver?: InstanceDriver;
  /** Allows instances of several projects, although containers do not isolate projects from each other. */
  readonly allowSharedHost?: boolean;
}

export async function openHost(deps: HostDeps, options: HostOptions = {}): Promise<Host> {
  const { driver = createContainerDriver(deps), allowSharedHost = false } = options;
  const networks = await openNetworks(deps);
  const firewall = await openFirewall(deps, () => networks.list());
  const images = await openImages(deps);
  const instances = await openInstances({ ...deps, images, driver, allowSharedHost });
  const volumes = await openVolumes(deps);

  const findLeader = async (uid: string): Promise<number | undefined> => {
    const found = await instances.find(uid);
    return found.state === "running" ? found.leader : undefined;
  };
  /** Creates the device nodes of an instance's volumes. Needed after each start, because each start creates a new /dev. */
  const plugIn = async (uid: string, signal: AbortSignal | undefined): Promise<void> => {
    const leader = await findLeader(uid);
    if (leader !== undefined) await volumes.plugIn(uid, leader, signal);
  };
  const listAttached = async (instance: string): Promise<string[]> =>
    (await volumes.list()).filter(({ attachedTo }) => attachedTo === instance).map(({ uid }) => uid);

  async function removeInstance(uid: string, signal?: AbortSignal): Promise<void> {
    const attached = await listAttached(uid);
    // A stopped instance has unmounted its volumes, so detaching them loses no data.
    if (attached.length > 0 && (await findLeader(uid)) !== undefined) await instances.stop(uid, signal);
    for (const volume of attached) await volumes.detach(volume, {}, signal);
    await instances.remove(uid, signal);
    await firewall.removePort(uid, signal);
    await networks.detach(uid, signal);
  }

  return {
    networks,
    firewall,
    images,
    instances,
    volumes,
    removeInstance,
    async createInstance({ network, address, groups, ...spec }, signal) {
      const { uid, name } = spec;
      const port = await networks.attach({ uid, network, name, ...(address === undefined ? {} : { address }) }, signal);
      await firewall.setPort({ uid, network, address: port.address, mac: port.mac, groups }, signal);
      await instances.create({ ...spec, port: pickPort(port) }, signal);
      await plugIn(uid, signal);
      return port;
    },
    async startInstance(uid, signal) {
      // An instance that stopped without a shutdown leaves its interfaces and routes in the namespace.
      if ((await findLeader(uid)) === undefined) {
        await networks.renew(uid, signal);
        await firewall.apply(signal);
      }
      await instances.start(uid, signal);
      await plugIn(uid, signal);
    },
    async rebootInstance(uid, signal) {
      await instances.reboot(uid, signal);
      await plugIn(uid, signal);
    },
    async setGroups(uid, groups, signal) {
      const port = (await networks.listPorts()).find((each) => each.uid === uid);
      if (port === undefined) throw new Fault(hostsFaults.unknown_port, `instance ${uid} is not connected with any network`);
      const { network, address, mac } = port;
      await firewall.setPort({ uid, network, address, mac, groups }, signal);
    },
    attachVolume: (uid, instance, signal) =>
      volumes.attach(uid, { uid: instance, leaderPid: () => findLeader(instance) }, signal),
    async restore(signal) {
      // The rules must exist before any port is connected.
      await firewall.restore(signal);
      await networks.restore(signal);
      await firewall.apply(signal);
      const { failed } = await instances.restore(signal);
      const { problems } = await volumes.restore(signal);
      const plugged = await Promise.allSettled((await instances.list()).map(({ uid }) => plugIn(uid, signal)));
      const reasons = plugged.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
      return [...failed.map(({ uid, reason }) => `instance ${uid}: ${reason}`), ...problems.map(String), ...reasons];
    },
    async clean(signal) {
      for (const { uid } of await instances.list()) await removeInstance(uid, signal);
      await volumes.clean(signal);
      await instances.restore(signal);
      await firewall.clean(signal);
      await networks.clean(signal);
    },
  };
}

function pickPort({ namespace, address, prefixLength, gateway, mac, dns }: Port): InstanceSpec["port"] {
  return { namespace, address, prefixLength, gateway, mac, dns };
}
