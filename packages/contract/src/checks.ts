import type { Message } from "@bufbuild/protobuf";
import type { FieldViolation } from "@cloudwright/platform";
import type { Cluster } from "../gen/cloudwright/v1/cluster_pb.ts";
import type { Environment } from "../gen/cloudwright/v1/environment_pb.ts";
import type { Network, NetworkSpec } from "../gen/cloudwright/v1/network_pb.ts";
import type { Project } from "../gen/cloudwright/v1/project_pb.ts";
import { containsRange, overlaps, parseRange, type AddressRange } from "./cidr.ts";

export const defaultNetworkCidr = "10.0.0.0/16";
export const defaultPodCidr = "192.168.0.0/16";
export const defaultServiceCidr = "10.96.0.0/12";

/** Annotations may hold this much together; every list and every watcher carries them. */
const maxAnnotationCharacters = 256 * 1024;

/** What people attach to an entity has a bound. */
export function checkSize(
  message: Message & { metadata?: { annotations?: Readonly<Record<string, string>> } },
): FieldViolation[] {
  let size = 0;
  for (const [name, value] of Object.entries(message.metadata?.annotations ?? {})) size += name.length + value.length;
  if (size <= maxAnnotationCharacters) return [];
  return [
    { field: "metadata.annotations", message: `hold ${size} characters together; at most ${maxAnnotationCharacters} are kept` },
  ];
}

/** Time zones are those this machine knows. */
export function checkWindows({ spec }: Project | Environment): FieldViolation[] {
  return (spec?.maintenanceWindows ?? []).flatMap(({ timeZone }, index) =>
    timeZone === "" || isTimeZone(timeZone)
      ? []
      : [
          {
            field: `spec.maintenanceWindows[${index}].timeZone`,
            message: `"${timeZone}" is not a time zone such as Europe/Berlin`,
          },
        ],
  );
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

/** Subnets lie in the network's range and do not overlap; ranges have a usable size; where the network exists, nothing is to be made. */
export function checkNetwork({ spec }: Network): FieldViolation[] {
  if (spec === undefined) return [];
  if (spec.existing !== undefined) return checkExisting(spec);
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
        violations.push({ field, message: `${subnet} does not lie in the network's range ${text}` });
      }
      const other = seen.find((earlier) => overlaps(earlier.range, subnetRange));
      if (other !== undefined) violations.push({ field, message: `${subnet} overlaps ${other.text} (${other.field})` });
      seen.push({ field, text: subnet, range: subnetRange });
    }
  }
  return violations;
}

/** In a network that exists nothing is made or changed, so nothing can be asked for. */
function checkExisting({ cidr, zones, subnets, nat, cloud }: NetworkSpec): FieldViolation[] {
  const aws = cloud.case === "aws" ? cloud.value : undefined;
  const asked: readonly (readonly [string, boolean])[] = [
    ["spec.cidr", cidr !== ""],
    ["spec.zones", zones.length > 0],
    ["spec.subnets", [subnets?.public, subnets?.private, subnets?.intra].some((ranges) => (ranges ?? []).length > 0)],
    ["spec.nat", nat !== "" && nat !== "none"],
    ["spec.aws.loadBalancerIps", (aws?.loadBalancerIps ?? 0) > 0],
    ["spec.aws.flowLogs", aws?.flowLogs === true],
    ["spec.aws.interfaceEndpoints", (aws?.interfaceEndpoints ?? []).length > 0],
    ["spec.aws.aclRules", (aws?.aclRules ?? []).length > 0],
  ];
  const message = "cannot be asked for in a network that exists: nothing of it is changed";
  const refused = asked.flatMap(([field, isAsked]) => (isAsked ? [{ field, message }] : []));
  if (refused.length === 0) return [];
  return [...refused, { field: "spec.existing", message: "cannot stand beside what a network that is made has" }];
}

/** Pod and service ranges do not overlap. */
export function checkCluster({ spec }: Cluster): FieldViolation[] {
  const networking = spec?.networking;
  if (networking === undefined) return [];
  const podText = networking.podCidr || defaultPodCidr;
  const serviceText = networking.serviceCidr || defaultServiceCidr;
  const pod = parseRange(podText);
  const service = parseRange(serviceText);
  if (pod === undefined || service === undefined || !overlaps(pod, service)) return [];
  return [{ field: "spec.networking", message: `pod range ${podText} overlaps service range ${serviceText}` }];
}
