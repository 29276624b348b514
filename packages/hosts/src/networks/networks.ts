import { Fault } from "@cloudwright/platform";
import { join } from "node:path";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import { nameObject } from "../names.ts";
import { openRecords } from "../records.ts";
import { chooseAddress, deriveMac, planAddresses, requireUsable } from "./address-plan.ts";
import { deleteLink, ensureBridge, hasLink, isOurLink, isOurNamespace, listLinks } from "./links.ts";
import { openNameServers } from "./name-servers.ts";
import { checkHostName, checkNetwork, mtuOf, type Network, type Port, type PortRecord, type PortSpec } from "./network.ts";
import { deleteNamespace, deletePort, ensurePort, listNamespaces } from "./port-links.ts";
import { gatewayMac, renderNetworkRules, renderNoNetworkRules } from "./render-network-rules.ts";
import { listRoutes, requireBridgeFilter, requireFreeRange, type Route } from "./requirements.ts";
import { openRouting } from "./routing.ts";
import { createSerializer } from "../serialize.ts";
import type { Signal } from "./signal.ts";
import { deleteOtherSwitches, ensureSwitch, keepConnected } from "./switches.ts";
import { ensureVxlan } from "./vxlan.ts";

/** The networks of a host, and the ports that connect instances to them. Every operation can be repeated. */
export interface Networks {
  /** Creates a network or changes its settings. The range of a network can never change. */
  ensure(network: Network, signal?: Signal): Promise<void>;
  /** Deletes a network. Throws if the network has ports. */
  remove(uid: string, signal?: Signal): Promise<void>;
  list(): Promise<Network[]>;
  /** Returns whether the network exists in the kernel, and not only in the records. */
  isUp(uid: string, signal?: Signal): Promise<boolean>;
  /** Lists the ranges that the host itself routes. A network cannot overlap them. */
  listRoutes(signal?: Signal): Promise<Route[]>;
  /** Creates the port of an instance. An existing port keeps its address. */
  attach(port: PortSpec, signal?: Signal): Promise<Port>;
  /**
   * Recreates the namespace of a port. Needed after an instance stopped without a shutdown, because it may have left interfaces or routes
   * there.
   */
  renew(uid: string, signal?: Signal): Promise<Port>;
  /** Deletes a port and frees its address. The instance must be stopped. */
  detach(uid: string, signal?: Signal): Promise<void>;
  listPorts(): Promise<Port[]>;
  /**
   * Restores all networks and ports after a reboot of the host, with the same addresses. Removes the platform's kernel objects that have no
   * record.
   */
  restore(signal?: Signal): Promise<void>;
  /** Removes all networks and ports from the kernel, and restores the host's IP forwarding setting. Keeps the records. */
  clean(signal?: Signal): Promise<void>;
}

interface NetworkRecord {
  readonly network: Network;
  /** True if the settings of the record have been applied to the network and its ports. */
  readonly isSettled: boolean;
}

/** Serializer key: changes to networks and addresses run one at a time. */
const registry = "registry";

export async function openNetworks(deps: HostDeps): Promise<Networks> {
  const { run, directory } = deps;
  const records = await openRecords<NetworkRecord>(join(directory, "networks"));
  const ports = await openRecords<PortRecord>(join(directory, "ports"));
  const routing = await openRouting(join(directory, "routing"));
  const names = await openNameServers(deps);
  const serialize = createSerializer();
  const portDeps = { run, serialize };

  const listNetworks = async (): Promise<Network[]> => (await records.list()).map(({ network }) => network);
  /** Lists the networks that use Open vSwitch, without the given one. */
  const listSwitched = async (without?: string): Promise<string[]> =>
    (await listNetworks()).flatMap(({ uid, switch: kind }) => (kind === "ovs" && uid !== without ? [uid] : []));

  async function getNetwork(uid: string): Promise<Network> {
    const record = await records.find(uid);
    if (record !== undefined) return record.network;
    throw new Fault(hostsFaults.unknown_network, `network ${uid} does not exist on this host`);
  }

  async function describePort(port: PortRecord): Promise<Port> {
    const network = await getNetwork(port.network);
    const { prefixLength, gateway } = planAddresses(network);
    const [mac, namespace] = [deriveMac(port.uid), nameObject("namespace", port.uid)];
    return { ...port, prefixLength, gateway, mac, mtu: mtuOf(network), namespace, dns: [gateway], domain: network.domain };
  }

  /** Loads the rules of all networks. A host without networks has none, so that nothing of ours stays on it. */
  async function applyRules(signal: Signal): Promise<void> {
    const all = await listNetworks();
    if (all.length === 0) return clearRules(signal);
    const input = renderNetworkRules({ networks: all, hostRoutes: await routing.enable() });
    await run("nft", ["-f", "-"], { input, signal });
  }

  async function clearRules(signal: Signal): Promise<void> {
    await run("nft", ["-f", "-"], { input: renderNoNetworkRules(), signal });
    await routing.reset();
  }

  async function buildNetwork(network: Network, signal: Signal): Promise<void> {
    const { uid } = network;
    const { gateway, prefixLength } = planAddresses(network);
    const mtu = mtuOf(network);
    const bridge = { uid, gateway: `${gateway}/${prefixLength}`, mac: gatewayMac(uid), mtu };
    await (network.switch === "ovs" ? ensureSwitch : ensureBridge)(deps, bridge, signal);
    await ensureVxlan(deps, network, mtu, signal);
    await names.ensure(network, gateway, signal);
  }

  /** Creates or corrects the port that a record describes. Throws if the port was detached in the meantime. */
  const buildPort = (uid: string, signal: Signal, isAnew = false): Promise<Port> =>
    serialize(`port ${uid}`, async () => {
      const record = await ports.find(uid);
      if (record === undefined) throw new Fault(hostsFaults.unknown_port, `port ${uid} does not exist on this host`);
      const port = await describePort(record);
      if (isAnew) await deletePort(portDeps, uid, signal);
      const network = await getNetwork(port.network);
      await ensurePort(portDeps, port, network, signal);
      await names.publish(network, port);
      return port;
    });

  /** Disconnects a deleted port from its switch, which would otherwise look for it for ever. */
  async function forgetPort({ uid, network }: PortRecord, signal: Signal): Promise<void> {
    const others = (await ports.list()).filter((port) => port.network === network && port.uid !== uid);
    await keepConnected(deps, network, others.map((port) => nameObject("port", port.uid)), signal); // prettier-ignore
  }

  /** Records the address of a port before anything uses it, so that no other port can get the same address. */
  async function reserve(spec: PortSpec): Promise<void> {
    checkHostName(spec);
    const network = await getNetwork(spec.network);
    if (spec.address !== undefined) requireUsable(network, spec.address);
    const all = await ports.list();
    const existing = all.find(({ uid }) => uid === spec.uid);
    if (existing !== undefined && (existing.network !== spec.network || (spec.address ?? existing.address) !== existing.address))
      throw new Fault(
        hostsFaults.port_changed,
        `port ${spec.uid} has the address ${existing.address} in network ${existing.network}; detach the port before requesting another network or address`,
      );
    const others = all.filter(({ uid, network: at }) => uid !== spec.uid && at === spec.network);
    const namesake = others.find(({ name }) => name === spec.name);
    if (namesake !== undefined)
      throw new Fault(
        hostsFaults.name_taken,
        `port ${spec.uid}: name "${spec.name}" is already used by instance ${namesake.uid}; choose another name`,
      );
    const taken = new Map(others.map(({ address, uid }) => [address, uid]));
    if (spec.address !== undefined && taken.has(spec.address))
      throw new Fault(
        hostsFaults.address_taken,
        `port ${spec.uid}: address ${spec.address} is already used by instance ${taken.get(spec.address)}; choose another address or omit it`,
      );
    const address = existing?.address ?? spec.address ?? chooseAddress(network, new Set(taken.keys()));
    if (existing?.name !== spec.name)
      await ports.put(spec.uid, { uid: spec.uid, network: spec.network, name: spec.name, address });
  }

  async function removeOrphans(networks: readonly Network[], kept: readonly PortRecord[], signal: Signal): Promise<void> {
    const bridges = networks.map(({ uid }) => nameObject("bridge", uid));
    const tunnels = networks.flatMap(({ uid, vxlan }) => (vxlan === undefined ? [] : [nameObject("vxlan", uid)]));
    const links = new Set([...bridges, ...tunnels, ...kept.map(({ uid }) => nameObject("port", uid))]);
    const namespaces = new Set(kept.map(({ uid }) => nameObject("namespace", uid)));
    await names.keepOnly(
      networks.map(({ uid }) => uid),
      kept,
    );
    const switched = networks.flatMap(({ uid, switch: kind }) => (kind === "ovs" ? [uid] : []));
    await deleteOtherSwitches(deps, switched, signal);
    for (const uid of switched) await keepConnected(deps, uid, [...links], signal);
    for (const { ifname } of await listLinks(deps, signal))
      if (isOurLink(ifname) && !links.has(ifname)) await deleteLink(deps, ifname, signal);
    for (const name of await listNamespaces())
      if (isOurNamespace(name) && !namespaces.has(name)) await deleteNamespace(portDeps, name, signal);
  }

  return {
    ensure: (network, signal) =>
      serialize(registry, async () => {
        checkNetwork(network);
        const known = await records.find(network.uid);
        if (known === undefined) await requireFreeRange(deps, network, await listNetworks(), signal);
        else if (known.network.cidr !== network.cidr)
          throw new Fault(
            hostsFaults.network_changed,
            `network ${network.uid} has the range ${known.network.cidr}, which cannot be changed to ${network.cidr}`,
          );
        await requireBridgeFilter(deps, signal);
        const wasUp = await hasLink(deps, nameObject("bridge", network.uid), signal);
        const isSame = known?.isSettled === true && JSON.stringify(known.network) === JSON.stringify(network);
        if (!isSame) await records.put(network.uid, { network, isSettled: false });
        // The rules come first, so that a new network is isolated from the start.
        await applyRules(signal);
        await buildNetwork(network, signal);
        if (isSame && wasUp) return;
        // Settings such as the domain or the MTU also affect existing ports. Ports of a deleted bridge must be connected again.
        for (const port of await ports.list()) if (port.network === network.uid) await buildPort(port.uid, signal);
        await records.put(network.uid, { network, isSettled: true });
      }),
    remove: (uid, signal) =>
      serialize(registry, async () => {
        const users = (await ports.list()).filter(({ network }) => network === uid);
        const { switch: kind } = (await records.find(uid))?.network ?? {};
        if (users.length > 0)
          throw new Fault(
            hostsFaults.network_in_use,
            `network ${uid} still has the instances ${users.map(({ uid: user, name }) => `${name} (${user})`).join(", ")}`,
          );
        await names.remove(uid);
        if (kind === "ovs") await deleteOtherSwitches(deps, await listSwitched(uid), signal);
        for (const link of ["vxlan", "bridge"] as const) await deleteLink(deps, nameObject(link, uid), signal);
        await records.delete(uid);
        await applyRules(signal);
      }),
    list: listNetworks,
    isUp: (uid, signal) => hasLink(deps, nameObject("bridge", uid), signal),
    listRoutes: (signal) => listRoutes(deps, signal),
    async attach(spec, signal) {
      await serialize(registry, () => reserve(spec));
      return buildPort(spec.uid, signal);
    },
    renew: (uid, signal) => buildPort(uid, signal, true),
    detach: (uid, signal) =>
      serialize(`port ${uid}`, async () => {
        const record = await ports.find(uid);
        if (record !== undefined) await names.withdraw(record);
        await deletePort(portDeps, uid, signal);
        const network = record === undefined ? undefined : await records.find(record.network);
        if (record !== undefined && network?.network.switch === "ovs") await forgetPort(record, signal);
        // The record is deleted last, so that the address becomes free only when nothing uses it.
        await ports.delete(uid);
      }),
    listPorts: async () => Promise.all((await ports.list()).map(describePort)),
    restore: (signal) =>
      serialize(registry, async () => {
        const [networks, all] = [await listNetworks(), await ports.list()];
        if (networks.length > 0) await requireBridgeFilter(deps, signal);
        await applyRules(signal);
        await removeOrphans(networks, all, signal);
        for (const network of networks) await buildNetwork(network, signal);
        for (const { uid } of all) await buildPort(uid, signal);
      }),
    clean: (signal) =>
      serialize(registry, async () => {
        await removeOrphans([], [], signal);
        await clearRules(signal);
      }),
  };
}
