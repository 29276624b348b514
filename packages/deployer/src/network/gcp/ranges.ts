import type { GcpNetwork } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";
import { containsRange, Fault, overlaps, parseRange, renderRange, subrangeOf, type Ipv4Range } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity } from "../../task.ts";

const defaultRange = "10.0.0.0/16";

/** The address ranges of a network. */
export interface NetworkRanges {
  readonly cidr: string;
  readonly machines: string;
  readonly pods: string;
  readonly services: string;
}

interface Part {
  readonly field: string;
  readonly text: string;
  /** Shortest and longest prefix that Google Cloud accepts. */
  readonly prefixes: readonly [number, number];
}

/**
 * Returns the address ranges from the spec. Missing ranges are computed: the upper half of the network's range is for pods, the first
 * sixteenth for machines and the fifth one for Services. Throws if a range is invalid or if ranges overlap.
 */
export function planRanges({ name, spec }: DeployedEntity<"Network">, gcp: GcpNetwork): NetworkRanges {
  const cidr = spec.cidr || defaultRange;
  const fail = (problem: string): Fault => new Fault(deployerFaults.bad_spec, `${problem} (${name})`);
  const whole = readRange({ field: "spec.cidr", text: cidr, prefixes: [8, 29] }, fail);
  const [machines = "", ...more] = spec.subnets?.private ?? [];
  const unused = (["public", "intra"] as const).find((role) => (spec.subnets?.[role] ?? []).length > 0);
  if (unused !== undefined || more.length > 0) {
    const field = unused === undefined ? "spec.subnets.private[1]" : `spec.subnets.${unused}`;
    throw fail(`${field} is set, but a network in Google Cloud has one subnet, in spec.subnets.private`);
  }
  const isComputed = [machines, gcp.podCidr, gcp.serviceCidr].includes("");
  if (isComputed && whole.prefix > 20)
    throw fail(
      `spec.cidr is ${cidr}, which is too small to compute the address ranges of the subnet; use a prefix length of at most 20, or set spec.subnets.private, spec.gcp.podCidr and spec.gcp.serviceCidr`,
    );
  const compute = (bits: number, index: number): string => renderRange(subrangeOf(whole, bits, index));
  // Services can have at most 65536 addresses.
  const serviceBits = Math.max(4, 16 - whole.prefix);
  const parts: readonly Part[] = [
    { field: "spec.subnets.private[0]", text: machines || compute(4, 0), prefixes: [8, 29] },
    { field: "spec.gcp.podCidr", text: gcp.podCidr || compute(1, 1), prefixes: [9, 24] },
    {
      field: "spec.gcp.serviceCidr",
      text: gcp.serviceCidr || compute(serviceBits, 4 * 2 ** (serviceBits - 4)),
      prefixes: [16, 28],
    },
  ];
  const ranges = parts.map((part) => readRange(part, fail));
  const [first, pods, services] = ranges as [Ipv4Range, Ipv4Range, Ipv4Range];
  if (!containsRange(whole, first)) throw fail(`spec.subnets.private[0] is ${machines}, which is not inside spec.cidr, ${cidr}`);
  for (const [index, range] of ranges.entries()) {
    const other = ranges.findIndex((each, place) => place < index && overlaps(each, range));
    if (other < 0) continue;
    throw fail(`${parts[index]?.field} ${parts[index]?.text} overlaps ${parts[other]?.field} ${parts[other]?.text}`);
  }
  return { cidr, machines: renderRange(first), pods: renderRange(pods), services: renderRange(services) };
}

function readRange({ field, text, prefixes: [shortest, longest] }: Part, fail: (problem: string) => Fault): Ipv4Range {
  const range = parseRange(text);
  if (range === undefined) throw fail(`${field} is "${text}"; use an address range such as 10.0.0.0/16`);
  if (range.prefix >= shortest && range.prefix <= longest) return range;
  throw fail(`${field} is ${text}; Google Cloud supports prefix lengths from ${shortest} to ${longest}`);
}
