import { Fault, parseJson } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import { nameObject, prefix } from "../names.ts";
import type { Signal } from "./signal.ts";

export type LinkDeps = Pick<HostDeps, "run">;

/** An interface as `ip -json link` reports it. */
export interface Link {
  readonly ifname: string;
  readonly address?: string;
  readonly master?: string;
}

export const isOurLink = (name: string): boolean => new RegExp(`^${prefix}[bpev][0-9a-f]{10}$`).test(name);
export const isOurNamespace = (name: string): boolean => new RegExp(`^${prefix}n[0-9a-f]{10}$`).test(name);

/** Lists the interfaces of the host, or of a network namespace. */
export async function listLinks({ run }: LinkDeps, signal: Signal, namespace?: string): Promise<Link[]> {
  const where = namespace === undefined ? [] : ["-n", namespace];
  const { stdout } = await run("ip", [...where, "-json", "link", "show"], { signal });
  const links = parseJson(stdout);
  if (!Array.isArray(links)) throw new Fault(hostsFaults.tool_failed, "ip -json link show did not print a list");
  return links as Link[];
}

export async function hasLink(deps: LinkDeps, name: string, signal: Signal): Promise<boolean> {
  return (await listLinks(deps, signal)).some(({ ifname }) => ifname === name);
}

/** Deletes an interface if it exists. */
export async function deleteLink(deps: LinkDeps, name: string, signal: Signal): Promise<void> {
  if (!(await hasLink(deps, name, signal))) return;
  // The interface may disappear before the command runs, because the kernel deletes the interfaces of a deleted namespace in the
  // background.
  await deps.run("ip", ["link", "delete", name], { signal, accept: [1] });
  if (await hasLink(deps, name, signal)) throw new Fault(hostsFaults.tool_failed, `the interface ${name} could not be deleted`);
}

/** Runs several `ip` commands in one process, on the host or in a namespace. Stops at the first command that fails. */
export async function runIp({ run }: LinkDeps, commands: readonly string[], signal: Signal, namespace?: string): Promise<void> {
  const where = namespace === undefined ? [] : ["-n", namespace];
  await run("ip", [...where, "-batch", "-"], { input: `${commands.join("\n")}\n`, signal });
}

export interface BridgeSpec {
  readonly uid: string;
  /** Address of the gateway with prefix length, such as `10.0.0.1/24`. */
  readonly gateway: string;
  readonly mac: string;
  readonly mtu: number;
}

/** Creates the bridge of a network with its gateway address, or corrects an existing bridge. */
export async function ensureBridge(deps: LinkDeps, { uid, gateway, mac, mtu }: BridgeSpec, signal: Signal): Promise<void> {
  const name = nameObject("bridge", uid);
  const isThere = await hasLink(deps, name, signal);
  // The MAC is fixed, because a bridge otherwise changes its MAC when ports are added and removed. The bridge has no IPv6 address, because
  // IPv6 is not filtered. nf_call_iptables passes traffic within the bridge to the firewall. It is set per bridge, so the host's other
  // bridges do not change.
  const create = `link add name ${name} address ${mac} mtu ${mtu} type bridge stp_state 0 mcast_snooping 0 nf_call_iptables 1`;
  await runIp(
    deps,
    [
      ...(isThere ? [] : [create]),
      `link set dev ${name} address ${mac} mtu ${mtu} addrgenmode none type bridge nf_call_iptables 1`,
      `address replace ${gateway} dev ${name}`,
      `link set dev ${name} up`,
    ],
    signal,
  );
}
