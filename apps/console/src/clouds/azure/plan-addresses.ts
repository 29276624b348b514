import { containsRange, overlaps, parseRange, renderRange, subrangeOf, type Ipv4Range } from "@cloudwright/contract/cidr";
import { getCloud } from "@cloudwright/contract/clouds";
import {
  parseWhole,
  placeRange,
  shareOfFree,
  type AddressPlan,
  type AddressUse,
  type PlannedRange,
} from "../../kinds/network/address-plan.ts";
import type { AddressInput } from "../cloud-view.ts";

const uses: readonly AddressUse[] = [
  { role: "nodes", text: "nodes", tone: "good" },
  { role: "pods", text: "pods", tone: "busy" },
  { role: "API server", text: "API servers", tone: "sim" },
];

/** Computes the subnet for nodes and, if requested, the subnets for pods and API servers. Each subnet spans all zones. */
export function planAddresses({ cidr, settings }: AddressInput): AddressPlan {
  const whole = parseWhole(cidr, 29);
  if ("problem" in whole) return whole;
  const { reservedAddresses, reservedRanges } = getCloud("azure").network;
  const taken = reservedRanges.find((each) => overlaps(getRange(each), whole));
  if (taken !== undefined) return { problem: `Overlaps with ${taken}, which Azure or AKS reserves. Choose another range.` };
  const first = (path: string): string => {
    const value = settings[path];
    return typeof value === "string" ? value : Array.isArray(value) ? String(value[0] ?? "") : "";
  };
  const podRange = first("azure.podSubnetCidr");
  const apiRange = first("subnets.intra");
  const wanted: readonly (readonly [role: string, isWanted: boolean, given: string, bits: number, index: number])[] = [
    ["nodes", true, first("subnets.private"), 2, 0],
    ["pods", settings["azure.podSubnet"] === true || podRange !== "", podRange, 1, 1],
    ["API server", settings["azure.apiServerSubnet"] === true || apiRange !== "", apiRange, 4, 4],
  ];
  const found: { readonly role: string; readonly range: Ipv4Range }[] = [];
  for (const [role, isWanted, given, bits, index] of wanted) {
    if (!isWanted) continue;
    if (given === "" && whole.prefix > 24)
      return {
        problem: "Too small to divide into subnets. Use a prefix length of at most 24, or enter the ranges of the subnets.",
      };
    const range = given === "" ? subrangeOf(whole, bits, index) : parseRange(given);
    if (range === undefined)
      return { problem: `The range of the ${role} subnet is "${given}". Enter a range such as 10.0.0.0/18.` };
    if (!containsRange(whole, range))
      return { problem: `The range of the ${role} subnet, ${renderRange(range)}, is not inside ${renderRange(whole)}.` };
    const other = found.find((each) => overlaps(each.range, range));
    if (other !== undefined)
      return {
        problem: `The range of the ${role} subnet, ${renderRange(range)}, overlaps with that of the ${other.role} subnet.`,
      };
    found.push({ role, range });
  }
  const ranges = found.map(({ role, range }): PlannedRange => placeRange(whole, range, { role, zone: "" }, reservedAddresses));
  return { uses: uses.filter(({ role }) => ranges.some((range) => range.role === role)), ranges, free: shareOfFree(ranges) };
}

function getRange(text: string): Ipv4Range {
  const range = parseRange(text);
  if (range === undefined) throw new Error(`${text} is not a range`);
  return range;
}
