import { access } from "node:fs/promises";
import { nameObject } from "../names.ts";
import { hasLink, isOurLink, runIp, type BridgeSpec, type LinkDeps } from "./links.ts";
import type { Signal } from "./signal.ts";

/** The kernel's own implementation of Open vSwitch. Without it, the switch forwards packets in a process. */
const kernelModule = "/sys/module/openvswitch";
/** The socket of a running Open vSwitch. */
const databaseSocket = "/run/openvswitch/db.sock";

/** Returns whether Open vSwitch runs on this machine. */
export const hasOpenVswitch = (): Promise<boolean> => exists(databaseSocket);

/** Runs a transaction of Open vSwitch. Fails instead of waiting if its processes do not run. */
async function change({ run }: LinkDeps, args: readonly string[], signal: Signal): Promise<string> {
  return (await run("ovs-vsctl", ["--timeout=20", ...args], { signal })).stdout;
}

/**
 * Creates the switch of a network with its gateway address, or corrects an existing one. A switch without flows drops all packets, so a new
 * network is isolated from the start.
 */
export async function ensureSwitch(deps: LinkDeps, { uid, gateway, mac, mtu }: BridgeSpec, signal: Signal): Promise<void> {
  const name = nameObject("bridge", uid);
  const datapath = (await isInKernel()) ? "system" : "netdev";
  // Ports need the program. Its absence is reported before anything is created.
  if (datapath === "netdev") await deps.run("ethtool", ["--version"], { signal });
  const create = ["--may-exist", "add-br", name];
  const bridge = ["set", "bridge", name, `datapath_type=${datapath}`, "fail_mode=secure", `other_config:hwaddr="${mac}"`];
  const port = ["set", "interface", name, `mtu_request=${mtu}`];
  const ensure = ["--", ...create, "--", ...bridge, "--", ...port];
  await change(deps, ensure, signal);
  // Open vSwitch does not notice that somebody deleted the interface of a switch.
  if (!(await hasLink(deps, name, signal))) {
    await change(deps, ["del-br", name], signal);
    await change(deps, ensure, signal);
  }
  await runIp(
    deps,
    [`link set dev ${name} addrgenmode none`, `address replace ${gateway} dev ${name}`, `link set dev ${name} up`],
    signal,
  );
}

interface SwitchedPort {
  readonly network: string;
  /** The host's end of the pair. */
  readonly outer: string;
  /** The instance's end of the pair. */
  readonly inner: string;
  readonly namespace: string;
}

/** Connects the interface of a port to the switch of its network. */
export async function connectToSwitch(
  deps: LinkDeps,
  { network, outer, inner, namespace }: SwitchedPort,
  signal: Signal,
): Promise<void> {
  // The kernel must not answer ARP requests on the interface, because only the switch decides what passes.
  await runIp(deps, [`link set dev ${outer} arp off up`], signal);
  if (!(await isInKernel())) {
    // The kernel leaves checksums to the network card. Packets that a process forwards never reach one.
    const offload = ["ethtool", "--offload", inner, "tx", "off"];
    await deps.run("nsenter", [`--net=/run/netns/${namespace}`, ...offload], { signal });
  }
  await change(deps, ["--may-exist", "add-port", nameObject("bridge", network), outer], signal);
}

/** Disconnects all interfaces from the switch of a network, except the given ones. Open vSwitch remembers interfaces that no longer exist. */
export async function keepConnected(deps: LinkDeps, network: string, kept: readonly string[], signal: Signal): Promise<void> {
  for (const link of await listConnected(deps, network, signal))
    if (!kept.includes(link)) await change(deps, ["--if-exists", "del-port", link], signal);
}

/** Returns the interfaces that are connected to the switch of a network. Empty if the switch does not exist. */
export async function listConnected(deps: LinkDeps, network: string, signal: Signal): Promise<string[]> {
  if (!(await hasOpenVswitch())) return [];
  const args = ["--timeout=20", "list-ports", nameObject("bridge", network)];
  return lines((await deps.run("ovs-vsctl", args, { signal, accept: [1] })).stdout).filter(isOurLink);
}

/** Deletes our switches, except the given ones. Does nothing if Open vSwitch does not run. */
export async function deleteOtherSwitches(deps: LinkDeps, kept: readonly string[], signal: Signal): Promise<void> {
  if (!(await hasOpenVswitch())) return;
  const names = new Set(kept.map((uid) => nameObject("bridge", uid)));
  const found = lines(await change(deps, ["list-br"], signal)).filter((name) => isOurLink(name) && !names.has(name));
  for (const name of found) await change(deps, ["--if-exists", "del-br", name], signal);
}

const isInKernel = (): Promise<boolean> => exists(kernelModule);
const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "");

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
