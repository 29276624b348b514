import { Fault, parseAnyRange, parseRange, renderAddress, type Ipv4Range } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { hostsFaults } from "../faults.ts";

/** The addresses of a network. The first usable address is the gateway's. The others are for instances. */
export interface AddressPlan {
  readonly range: Ipv4Range;
  readonly prefixLength: number;
  readonly gateway: string;
  /** Maximum number of instances in the network. */
  readonly capacity: number;
}

/**
 * Allowed prefix lengths. In a larger network, the search for a free address would take too long. A smaller one has no room for a gateway
 * and an instance.
 */
const allowedPrefixes = { shortest: 8, longest: 30 } as const;
/** Ranges with a special meaning. Instances with addresses in these ranges would be unreachable. */
const reserved = ["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3"].map((text) => parseRange(text) as Ipv4Range);

/** Plans the addresses of a network. Throws if the range cannot be used. */
export function planAddresses({ uid, cidr }: { readonly uid: string; readonly cidr: string }): AddressPlan {
  const range = parseRange(cidr);
  if (range === undefined)
    throw new Fault(hostsFaults.bad_network, `network ${uid}: "${cidr}" is not an IPv4 range; use one such as 10.20.0.0/24`);
  const { shortest, longest } = allowedPrefixes;
  if (range.prefix < shortest || range.prefix > longest)
    throw new Fault(
      hostsFaults.bad_network,
      `network ${uid}: the prefix length of ${cidr} must be from /${shortest} to /${longest}`,
    );
  const clash = reserved.find((one) => one.first <= range.last && range.first <= one.last);
  if (clash !== undefined)
    throw new Fault(
      hostsFaults.bad_network,
      `network ${uid}: ${cidr} overlaps ${renderAddress(clash)}/${clash.prefix}, which is reserved; choose another range`,
    );
  const size = Number(range.last - range.first) + 1;
  return { range, prefixLength: range.prefix, gateway: renderAddress(range, 1), capacity: size - 3 };
}

/** Returns the lowest free address for an instance. Throws if there is none. */
export function chooseAddress(network: { readonly uid: string; readonly cidr: string }, taken: ReadonlySet<string>): string {
  const { range, capacity } = planAddresses(network);
  for (let offset = 2; offset < capacity + 2; offset += 1) {
    const address = renderAddress(range, offset);
    if (!taken.has(address)) return address;
  }
  throw new Fault(
    hostsFaults.addresses_exhausted,
    `network ${network.uid} has no free address: ${network.cidr} has room for ${capacity} instances`,
  );
}

/** Throws if an instance of the network cannot have the address. */
export function requireUsable(network: { readonly uid: string; readonly cidr: string }, address: string): void {
  const { range, gateway, capacity } = planAddresses(network);
  const wanted = address.includes("/") || address.includes(":") ? undefined : parseAnyRange(address)?.first;
  if (wanted !== undefined && wanted > range.first + 1n && wanted < range.last) return;
  const [first, last] = [renderAddress(range, 2), renderAddress(range, capacity + 1)];
  throw new Fault(
    hostsFaults.bad_port,
    `"${address}" is not a usable address for instances of network ${network.uid}; use ${first} to ${last} (${gateway} is the gateway)`,
  );
}

/** Returns the MAC address of a port or a gateway. It is derived from the uid and marked as locally administered. */
export function deriveMac(uid: string): string {
  const digits = createHash("sha256").update(`mac:${uid}`).digest("hex");
  return ["02", ...Array.from({ length: 5 }, (_, index) => digits.slice(2 * index, 2 * index + 2))].join(":");
}
