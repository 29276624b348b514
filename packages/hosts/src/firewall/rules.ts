import { Fault, parseAnyRange } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";

export const protocols = ["tcp", "udp", "icmp", "arp", "all"] as const;

/** A rule of a security group. Everything inbound that no rule allows is dropped. */
export interface Rule {
  /** By default `ingress`. If any group of an instance has an `egress` rule, all else outbound is dropped as well. */
  readonly direction?: "ingress" | "egress";
  /** `all` means every IP protocol. ARP is never included, so it needs a rule of its own. */
  readonly protocol: (typeof protocols)[number];
  /** First port, only for TCP and UDP. By default all ports are allowed. */
  readonly fromPort?: number;
  /** Last port. By default the same as `fromPort`. */
  readonly toPort?: number;
  /** Who may connect, or for `egress` the destination: an IPv4 range, or the instances of a group. */
  readonly source: { readonly cidr: string } | { readonly group: string };
}

export interface Group {
  readonly uid: string;
  readonly rules: readonly Rule[];
  /** Addresses of the group's instances on other hosts. Those on this host are added by themselves. */
  readonly remoteMembers?: readonly string[];
}

/** A port that the firewall protects. */
export interface ProtectedPort {
  /** Uid of the instance. */
  readonly uid: string;
  /** Uid of the network. */
  readonly network: string;
  readonly address: string;
  readonly mac: string;
  /** Uids of groups. Traffic is allowed if any of them allows it. Without a group, nothing inbound is allowed. */
  readonly groups: readonly string[];
}

const maxPort = 65_535;

/** Throws unless the firewall can enforce all rules of a group. */
export function checkGroup({ uid, rules, remoteMembers = [] }: Group): void {
  rules.forEach((rule, index) => checkRule(rule, `group ${uid}, rule ${index + 1}`));
  const bad = remoteMembers.find((address) => !isAddress(address));
  if (bad !== undefined) throw new Fault(hostsFaults.bad_rule, `group ${uid}: the member "${bad}" is not an IPv4 address`);
}

/** Throws unless the address and MAC of a port can be part of a ruleset. */
export function checkProtectedPort({ uid, address, mac }: ProtectedPort): void {
  if (!isAddress(address)) throw new Fault(hostsFaults.bad_port, `port ${uid}: "${address}" is not an IPv4 address`);
  if (!/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac))
    throw new Fault(hostsFaults.bad_port, `port ${uid}: "${mac}" is not a MAC address such as 02:00:00:00:00:01`);
}

function checkRule({ direction = "ingress", protocol, fromPort, toPort, source }: Rule, where: string): void {
  const reject = (problem: string): never => {
    throw new Fault(hostsFaults.bad_rule, `${where}: ${problem}`);
  };
  if (!["ingress", "egress"].includes(direction)) reject(`the direction "${direction}" is neither ingress nor egress`);
  if (!protocols.includes(protocol)) reject(`the protocol "${protocol}" is none of ${protocols.join(", ")}`);
  if (protocol !== "tcp" && protocol !== "udp" && (fromPort ?? toPort) !== undefined)
    reject(`the protocol ${protocol} has no ports; leave out fromPort and toPort, or choose tcp or udp`);
  if (fromPort === undefined && toPort !== undefined) reject("toPort needs a fromPort");
  for (const port of [fromPort, toPort])
    if (port !== undefined && (!Number.isInteger(port) || port < 1 || port > maxPort))
      reject(`port ${port} is not between 1 and ${maxPort}`);
  if (fromPort !== undefined && toPort !== undefined && fromPort > toPort)
    reject(`the ports ${fromPort} to ${toPort} are in the wrong order`);
  if ("cidr" in source && parseAnyRange(source.cidr)?.bits !== 32)
    reject(`"${source.cidr}" is not an IPv4 range such as 10.0.0.0/8; IPv6 is always dropped`);
  if (!("cidr" in source) && (typeof source.group !== "string" || source.group === ""))
    reject("the source needs a cidr or a group");
}

function isAddress(text: string): boolean {
  return !text.includes("/") && parseAnyRange(text)?.bits === 32;
}
