import { Fault, parseAnyRange } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";
import { planAddresses } from "./address-plan.ts";

/** A network of instances on this host, and optionally on other hosts of the same account. */
export interface Network {
  readonly uid: string;
  /** IPv4 range. Its first usable address is the gateway, which the host holds. */
  readonly cidr: string;
  /** Domain of the instances' names, such as `prod.internal`. */
  readonly domain?: string;
  /** Whether instances reach the outside, behind the host's address. Without it, nothing enters or leaves the network. */
  readonly nat: boolean;
  /** Connects the network with the same network on other hosts. Callers then choose the addresses of ports themselves. */
  readonly vxlan?: Vxlan;
}

export interface Vxlan {
  /** Network identifier on the wire, the same on all hosts. From 1 to 16777215. */
  readonly id: number;
  /** IPv4 addresses of the other hosts. */
  readonly peers: readonly string[];
}

/** What a caller asks for to connect an instance with a network. */
export interface PortSpec {
  /** Uid of the instance. */
  readonly uid: string;
  /** Uid of the network. */
  readonly network: string;
  /** Host name of the instance, unique in its network. */
  readonly name: string;
  /** A fixed address. By default the lowest free one is chosen. */
  readonly address?: string;
}

/** What the host remembers of a port. */
export interface PortRecord extends PortSpec {
  readonly address: string;
}

/** A port that exists, with everything needed to configure the instance. */
export interface Port extends PortRecord {
  readonly prefixLength: number;
  readonly gateway: string;
  readonly mac: string;
  readonly mtu: number;
  /** Name of the network namespace under /run/netns. The instance's interface in it is `host0`. */
  readonly namespace: string;
  /** Addresses of name servers. */
  readonly dns: readonly string[];
  readonly domain: string | undefined;
}

/** VXLAN adds 50 bytes to each packet. */
export const mtuOf = ({ vxlan }: Network): number => (vxlan === undefined ? 1500 : 1450);

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Throws unless the specification of a network is usable. */
export function checkNetwork(network: Network): void {
  planAddresses(network);
  const { uid, domain, vxlan } = network;
  if (domain !== undefined && (domain.length > 190 || !domain.split(".").every((part) => label.test(part))))
    throw new Fault(
      hostsFaults.bad_network,
      `network ${uid}: "${domain}" is not a domain; allowed are lower-case letters, digits and "-", in parts separated by "."`,
    );
  if (vxlan === undefined) return;
  if (!Number.isInteger(vxlan.id) || vxlan.id < 1 || vxlan.id > 0xff_ff_ff)
    throw new Fault(hostsFaults.bad_network, `network ${uid}: the VXLAN id ${vxlan.id} must be an integer from 1 to 16777215`);
  const bad = vxlan.peers.find((peer) => peer.includes("/") || parseAnyRange(peer)?.bits !== 32);
  if (bad !== undefined) throw new Fault(hostsFaults.bad_network, `network ${uid}: the peer "${bad}" is not an IPv4 address`);
}

/** Throws unless an instance can have the name. */
export function checkHostName({ uid, name }: PortSpec): void {
  if (label.test(name)) return;
  throw new Fault(
    hostsFaults.bad_port,
    `port ${uid}: "${name}" is not a host name; allowed are up to 63 lower-case letters, digits and "-", which is neither first nor last`,
  );
}
