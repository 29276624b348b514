import { planRanges } from "@cloudwright/contract/clouds/gcp/network-ranges";
import { getCloud } from "@cloudwright/contract/clouds";
import { parseRange } from "@cloudwright/contract/cidr";
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
  { role: "nodes", text: "nodes: primary range", tone: "good" },
  { role: "Services", text: "Services: secondary range", tone: "sim" },
  { role: "pods", text: "pods: secondary range", tone: "busy" },
];

/** Computes the ranges of the subnet: a primary range for nodes, and secondary ranges for pods and Services. */
export function planAddresses({ cidr, settings }: AddressInput): AddressPlan {
  const whole = parseWhole(cidr, 29);
  if ("problem" in whole) return whole;
  const text = (path: string): string => (typeof settings[path] === "string" ? settings[path] : "");
  const own = settings["subnets.private"];
  const spec = { cidr, subnets: { private: Array.isArray(own) ? own.map(String) : [], public: [], intra: [] } };
  const gcp = { podCidr: text("gcp.podCidr"), serviceCidr: text("gcp.serviceCidr") };
  const planned = planRanges(spec as never, gcp as never);
  if ("message" in planned) return { problem: `${nameOf(planned.field)} ${planned.message}.` };
  const { reservedAddresses } = getCloud("gcp").network;
  const place = (role: string, range: string, reserved: number): PlannedRange[] => {
    const parsed = parseRange(range);
    return parsed === undefined ? [] : [placeRange(whole, parsed, { role, zone: "" }, reserved)];
  };
  const ranges = [
    ...place("nodes", planned.machines, reservedAddresses),
    ...place("Services", planned.services, 0),
    ...place("pods", planned.pods, 0),
  ];
  return { uses, ranges, free: shareOfFree(ranges) };
}

function nameOf(field: string): string {
  if (field.startsWith("spec.subnets")) return "The range for nodes";
  if (field === "spec.gcp.podCidr") return "The range for pods";
  return field === "spec.gcp.serviceCidr" ? "The range for Services" : "The address range";
}
