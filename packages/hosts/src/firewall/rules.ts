import { Fault, parseAnyRange } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";

export const protocols = ["tcp", "udp", "icmp", "arp", "all"] as const;

/** A rule of a security group. Inbound traffic that no rule allows is dropped. */
export interface Rule {
  /**
   * Default: `ingress`. If any group of an instance has an `egress` rule, outbound traffic that no `egress` rule allows is dropped, too.
   */
  readonly direction?: "ingress" | "egress";
  /** `all` means every IP protocol. It does not include ARP, which needs a rule of its own. */
  readonly protocol: (typeof protocols)[number];
  /** First port of the range, only for TCP and UDP. Default: all ports. */
  readonly fromPort?: number;
  /** Last port of the range. Default: `fromPort`. */
  readonly toPort?: number;
  /** For `ingress`, the allowed source. For `egress`, the allowed destination. Either an IPv4 range or the instances of a group. */
  readonly source: { readonly cidr: string } | { readonly group: string };
}

export interface Group {
  readonly uid: string;
  readonly rules: readonly Rule[];
  /** Addresses of the group's instances on other hosts. Instances on this host are added automatically. */
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
  /** Uids of the groups. Traffic is allowed if any of these groups allows it. Without a group, no inbound traffic is allowed. */
  readonly groups: readonly string[];
}

const maxPort = 65_535;

/** Throws if the firewall cannot enforce a rule of the group. */
export function checkGroup({ uid, rules, remoteMembers = [] }: Group): void {
  rules.forEach((rule, index) => checkRule(rule, `group ${uid}, rule ${index + 1}`));
  const bad = remoteMembers.find((address) => !isAddress(address));
  if (bad !== undefined)
    throw new Fault(hostsFaults.bad_rule, `group ${uid}: remoteMembers contains "${bad}"; use IPv4 addresses such as 10.0.0.5`);
}

/** Throws if the address or the MAC of a port is not valid. Both become part of the ruleset. */
export function checkProtectedPort({ uid, address, mac }: ProtectedPort): void {
  if (!isAddress(address))
    throw new Fault(hostsFaults.bad_port, `port ${uid}: "${address}" is not an IPv4 address; use one such as 10.0.0.5`);
  if (!/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac))
    throw new Fault(
      hostsFaults.bad_port,
      `port ${uid}: "${mac}" is not a MAC address; use lower-case digits such as 02:00:00:00:00:0a`,
    );
}

function checkRule({ direction = "ingress", protocol, fromPort, toPort, source }: Rule, where: string): void {
  const reject = (problem: string): never => {
    throw new Fault(hostsFaults.bad_rule, `${where}: ${problem}`);
  };
  if (!["ingress", "egress"].includes(direction)) reject(`the direction "${direction}" is not valid; use ingress or egress`);
  if (!protocols.includes(protocol)) reject(`the protocol "${protocol}" is not supported; use one of ${protocols.join(", ")}`);
  if (protocol !== "tcp" && protocol !== "udp" && (fromPort ?? toPort) !== undefined)
    reject(`the protocol ${protocol} has no ports; omit fromPort and toPort, or use tcp or udp`);
  if (fromPort === undefined && toPort !== undefined) reject("toPort requires fromPort; add fromPort or omit toPort");
  for (const port of [fromPort, toPort])
    if (port !== undefined && (!Number.isInteger(port) || port < 1 || port > maxPort))
      reject(`port ${port} is not valid; use a whole number from 1 to ${maxPort}`);
  if (fromPort !== undefined && toPort !== undefined && fromPort > toPort)
    reject(`fromPort ${fromPort} is greater than toPort ${toPort}; swap them`);
  if ("cidr" in source && parseAnyRange(source.cidr)?.bits !== 32)
    reject(`"${source.cidr}" is not an IPv4 range; use one such as 10.0.0.0/8 (IPv6 is always dropped)`);
  if (!("cidr" in source) && (typeof source.group !== "string" || source.group === ""))
    reject("the source is missing; set cidr or group");
}

function isAddress(text: string): boolean {
  return !text.includes("/") && parseAnyRange(text)?.bits === 32;
}
