import type { FieldViolation } from "@cloudwright/platform";
import type { Network, NetworkSpec } from "../../gen/cloudwright/v1/network_pb.ts";
import { cloudRules } from "../clouds/rules.ts";
import { containsRange, overlaps, parseRange, type AddressRange } from "../cidr.ts";
import { defaultNetworkCidr } from "./network.ts";

/** Rejects an address range that is too large or too small, and subnets that overlap or are outside the range. */
export function checkNetwork({ spec }: Network): FieldViolation[] {
  if (spec === undefined) return [];
  const ofCloud = cloudRules.flatMap((rules) => rules.checkNetwork?.(spec) ?? []);
  if (spec.existing !== undefined) return [...checkExisting(spec), ...ofCloud];
  const text = spec.cidr || defaultNetworkCidr;
  const range = parseRange(text);
  if (range === undefined) return [];
  if (range.prefix < 8 || range.prefix > 28) {
    return [{ field: "spec.cidr", message: `${text} has prefix length ${range.prefix}; use 8 to 28` }];
  }
  const violations: FieldViolation[] = [];
  const seen: { field: string; text: string; range: AddressRange }[] = [];
  for (const group of ["public", "private", "intra"] as const) {
    for (const [index, subnet] of (spec.subnets?.[group] ?? []).entries()) {
      const field = `spec.subnets.${group}[${index}]`;
      const subnetRange = parseRange(subnet);
      if (subnetRange === undefined) continue;
      if (!containsRange(range, subnetRange)) {
        violations.push({ field, message: `${subnet} is outside the network's range ${text}` });
      }
      const other = seen.find((earlier) => overlaps(earlier.range, subnetRange));
      if (other !== undefined) violations.push({ field, message: `${subnet} overlaps ${other.text} (${other.field})` });
      seen.push({ field, text: subnet, range: subnetRange });
    }
  }
  return violations.length === 0 ? ofCloud : violations;
}

/** Rejects all settings that apply only to new networks, because the platform never changes an existing network. */
function checkExisting({ cidr, zones, subnets, nat, cloud }: NetworkSpec): FieldViolation[] {
  const settings: readonly (readonly [string, boolean])[] = [
    ["spec.cidr", cidr !== ""],
    ["spec.zones", zones.length > 0],
    ["spec.subnets", [subnets?.public, subnets?.private, subnets?.intra].some((ranges) => (ranges ?? []).length > 0)],
    ["spec.nat", nat !== "" && nat !== "none"],
    ...cloudRules.flatMap((rules) => rules.listNetworkSettings(cloud)),
  ];
  const message = "cannot be set for an existing network, which is never changed";
  const refused = settings.flatMap(([field, isSet]) => (isSet ? [{ field, message }] : []));
  if (refused.length === 0) return [];
  return [...refused, { field: "spec.existing", message: "cannot be combined with the settings of a new network" }];
}
