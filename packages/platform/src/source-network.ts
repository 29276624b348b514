import { isIPv6 } from "node:net";

/**
 * Returns the network under which requests from a source address are counted: the IPv4 address itself or the IPv6 /64. A single subscriber
 * usually controls a whole /64.
 */
export function sourceNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const bare = address.replace(/%.*/s, "");
  if (!isIPv6(bare)) return address;
  const [head = "", tail] = bare.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array.from({ length: Math.max(0, gap) }, () => "0"), ...last];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}
