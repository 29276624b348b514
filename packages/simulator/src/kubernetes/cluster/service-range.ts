import { parseRange, renderAddress, type Ipv4Range } from "@cloudwright/platform";
import { getContents } from "../../managed-kubernetes.ts";

/** Returns the address range of a cluster's Services: the given range if it is a valid IPv4 range, and the cloud's default otherwise. */
export function getServiceRange(cloud: string | undefined, given: string | undefined): Ipv4Range {
  const { serviceRange } = getContents(cloud);
  const range = parseRange(given ?? "") ?? parseRange(serviceRange);
  if (range === undefined) throw new Error(`the default Service address range is invalid: ${serviceRange}`);
  return range;
}

/** Returns the address of the `kubernetes` Service, which is always the first address of the range. */
export function apiAddressOf(range: Ipv4Range): string {
  return renderAddress(range, 1);
}

/** Returns the address of the `kube-dns` Service. By convention, all managed services use the tenth address of the range. */
export function dnsAddressOf(range: Ipv4Range): string {
  return renderAddress(range, 10);
}

/**
 * Returns a free Service address, or undefined if the range is full. As in Kubernetes, the lowest 16 to 256 addresses (depending on the
 * size of the range) are used last, because users choose fixed addresses from them.
 */
export function findFreeAddress(range: Ipv4Range, used: ReadonlySet<string>): string | undefined {
  const size = 2 ** (32 - range.prefix);
  const lower = Math.min(Math.max(16, size / 16), 256);
  for (const [from, to] of [
    [lower, size - 1],
    [2, Math.min(lower, size - 1)],
  ] as const) {
    for (let offset = from; offset < to; offset += 1) {
      if (offset % 256 === 0) continue;
      const address = renderAddress(range, offset);
      if (!used.has(address)) return address;
    }
  }
  return undefined;
}
