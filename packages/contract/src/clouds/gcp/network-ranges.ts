import type { FieldViolation } from "@cloudwright/platform";
import type { GcpNetwork, NetworkSpec } from "../../../gen/cloudwright/v1/network_pb.ts";
import { containsRange, overlaps, parseRange, renderRange, subrangeOf, type Ipv4Range } from "../../cidr.ts";

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
  /** The shortest and the longest prefix length that Google Cloud accepts. */
  readonly prefixes: readonly [number, number];
}

/**
 * Returns the address ranges from a spec, or why they are invalid. Missing ranges are computed: the upper half of the network's range is
 * for pods, the first sixteenth for machines and the fifth sixteenth for Services.
 */
export function planRanges(spec: NetworkSpec, gcp: GcpNetwork): NetworkRanges | FieldViolation {
  const cidr = spec.cidr || defaultRange;
  const whole = readRange({ field: "spec.cidr", text: cidr, prefixes: [8, 29] });
  if ("message" in whole) return whole;
  const [machines = "", ...more] = spec.subnets?.private ?? [];
  const unused = (["public", "intra"] as const).find((role) => (spec.subnets?.[role] ?? []).length > 0);
  if (unused !== undefined || more.length > 0) {
    const field = unused === undefined ? "spec.subnets.private[1]" : `spec.subnets.${unused}`;
    return { field, message: "is set, but a network in Google Cloud has one subnet; set its range in spec.subnets.private" };
  }
  if ([machines, gcp.podCidr, gcp.serviceCidr].includes("") && whole.prefix > 20) {
    const fix = "use a prefix length of at most 20, or set spec.subnets.private, spec.gcp.podCidr and spec.gcp.serviceCidr";
    return { field: "spec.cidr", message: `is ${cidr}, which is too small to divide into the subnet's address ranges; ${fix}` };
  }
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
  const ranges: Ipv4Range[] = [];
  for (const part of parts) {
    const range = readRange(part);
    if ("message" in range) return range;
    const twin = ranges.findIndex((other) => overlaps(other, range));
    const { field, text } = parts[twin] ?? { field: "", text: "" };
    if (twin >= 0) return { field: part.field, message: `is ${part.text}, which overlaps ${field}, ${text}` };
    if (ranges.length === 0 && !containsRange(whole, range))
      return { field: part.field, message: `is ${part.text}, which is not inside spec.cidr, ${cidr}` };
    ranges.push(range);
  }
  const [first = "", pods = "", services = ""] = ranges.map(renderRange);
  return { cidr, machines: first, pods, services };
}

function readRange({ field, text, prefixes: [shortest, longest] }: Part): Ipv4Range | FieldViolation {
  const range = parseRange(text);
  if (range === undefined) return { field, message: `is "${text}"; use an address range such as 10.0.0.0/16` };
  if (range.prefix >= shortest && range.prefix <= longest) return range;
  return { field, message: `is ${text}; Google Cloud supports prefix lengths from ${shortest} to ${longest}` };
}
