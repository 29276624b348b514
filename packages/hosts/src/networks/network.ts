import { Fault, parseAnyRange } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";
import { planAddresses } from "./address-plan.ts";

/** A network of instances on this host, and optionally on other hosts of the same account. */
export interface Network {
  readonly uid: string;
  /** IPv4 range. The first usable address is the gateway's, which belongs to the host. */
  readonly cidr: string;
  /** Domain of the instances' names, such as `prod.internal`. */
  readonly domain?: string;
  /** True if instances can open connections to the outside, with the host's address as their source. If false, the network is isolated. */
  readonly nat: boolean;
  /** Connects the instances by Open vSwitch, whose flows also enforce the rules between them. Default: a bridge of the kernel. */
  readonly switch?: "ovs" | undefined;
  /** Connects the network to the same network on other hosts. Callers must then choose the addresses of ports themselves. */
  readonly vxlan?: Vxlan;
}

export interface Vxlan {
  /** VXLAN network identifier, from 1 to 16777215. It is the same on all hosts. */
  readonly id: number;
  /** IPv4 addresses of the other hosts. */
  readonly peers: readonly string[];
}

/** A request to connect an instance to a network. */
export interface PortSpec {
  /** Uid of the instance. */
  readonly uid: string;
  /** Uid of the network. */
  readonly network: string;
  /** Host name of the instance, unique in its network. */
  readonly name: string;
  /** A fixed address. Default: the lowest free address of the network. */
  readonly address?: string;
}

/** The host's record of a port. */
export interface PortRecord extends PortSpec {
  readonly address: string;
}

/** An existing port, with everything that is needed to configure the instance. */
export interface Port extends PortRecord {
  readonly prefixLength: number;
  readonly gateway: string;
  readonly mac: string;
  readonly mtu: number;
  /** Name of the network namespace in /run/netns. It contains the instance's interface, `host0`. */
  readonly namespace: string;
  /** Addresses of name servers. */
  readonly dns: readonly string[];
  readonly domain: string | undefined;
}

/** Returns the MTU of a network. VXLAN adds 50 bytes to each packet. */
export const mtuOf = ({ vxlan }: Network): number => (vxlan === undefined ? 1500 : 1450);

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Throws if the specification of a network is not valid. */
export function checkNetwork(network: Network): void {
  planAddresses(network);
  const { uid, domain, vxlan } = network;
  if (domain !== undefined && (domain.length > 190 || !domain.split(".").every((part) => label.test(part))))
    throw new Fault(
      hostsFaults.bad_network,
      `network ${uid}: "${domain}" is not a valid domain; use at most 190 characters, in parts separated by dots, each with at most 63 lower-case letters, digits and dashes, without a dash at its start or end`,
    );
  if (vxlan === undefined) return;
  if (network.switch !== undefined)
    throw new Fault(hostsFaults.bad_network, `network ${uid}: VXLAN requires a bridge; omit the switch "${network.switch}"`);
  if (!Number.isInteger(vxlan.id) || vxlan.id < 1 || vxlan.id > 0xff_ff_ff)
    throw new Fault(hostsFaults.bad_network, `network ${uid}: the VXLAN id ${vxlan.id} must be an integer from 1 to 16777215`);
  const bad = vxlan.peers.find((peer) => peer.includes("/") || parseAnyRange(peer)?.bits !== 32);
  if (bad !== undefined)
    throw new Fault(
      hostsFaults.bad_network,
      `network ${uid}: the peer "${bad}" is not an IPv4 address; use one such as 192.0.2.10`,
    );
}

/** Throws if the host name of an instance is not valid. */
export function checkHostName({ uid, name }: PortSpec): void {
  if (label.test(name)) return;
  throw new Fault(
    hostsFaults.bad_port,
    `port ${uid}: "${name}" is not a valid host name; use at most 63 lower-case letters, digits and dashes, without a dash at the start or end`,
  );
}
