import { subrangeOf } from "@cloudwright/contract/cidr";
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
  { role: "public", text: "public: load balancers", tone: "busy" },
  { role: "private", text: "private: workers", tone: "good" },
  { role: "intra", text: "intra: control planes", tone: "sim" },
];
const places = 8;

/**
 * Computes the same subnets as the platform. The upper half is for workers, the lower half for load balancers and control planes. A
 * zone's slot depends only on its letter, so adding a zone does not move the others.
 */
export function planAddresses({ cidr, zones }: AddressInput): AddressPlan {
  const whole = parseWhole(cidr, 23);
  if ("problem" in whole) return whole;
  const letters = zones.map((zone) => zone.charCodeAt(zone.length - 1) - 97);
  const stranger = letters.findIndex((letter) => letter < 0 || letter >= places);
  if (stranger !== -1)
    return { problem: `The zone "${zones[stranger] ?? ""}" is not supported. Use a zone whose name ends in a to h.` };
  const { reservedAddresses } = getCloud("aws").network;
  const divide = (role: string, zone: string, bits: number, index: number): PlannedRange =>
    placeRange(whole, subrangeOf(whole, bits, index), { role, zone }, reservedAddresses);
  const ranges = zones.flatMap((zone, index): PlannedRange[] => {
    const letter = letters[index] ?? 0;
    return [
      divide("public", zone, 5, letter),
      divide("intra", zone, 5, places + letter),
      divide("private", zone, 4, places + letter),
    ];
  });
  return { uses, ranges, free: shareOfFree(ranges) };
}
