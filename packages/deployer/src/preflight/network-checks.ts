import { overlaps as rangesOverlap, parseRange } from "@cloudwright/platform";
import { numberOf, objectOf, textOf, textsOf } from "../read-spec.ts";
import type { DeployedEntity } from "../task.ts";
import { isExisting, zonesOf, type Check, type Finding } from "./question.ts";

/** The zones are there. */
export const zonesExist: Check = async ({ view, entity, region }) => {
  const known = await view.listZones();
  if (isExisting(entity) || known.length === 0) return [];
  const missing = zonesOf(entity, region).filter((zone) => !known.includes(zone));
  if (missing.length === 0) return [];
  const help = `Choose of ${known.join(", ")}.`;
  return [{ field: "spec.zones", message: `${region} has no ${missing.join(", ")}, but ${known.join(", ")}`, help }];
};

/** There is room for one more VPC. */
export const vpcQuota: Check = async ({ view, entity }) => {
  if (isExisting(entity)) return [];
  const [{ vpcs: limit }, all] = await Promise.all([view.getLimits(), view.listVpcs()]);
  return findShortage("spec.region", "VPCs", limit, all.filter(({ owner }) => owner !== entity.uid).length, 1);
};

/** There is room for the addresses of gateways and load balancers. */
export const elasticIpQuota: Check = async ({ view, entity, region }) => {
  const wanted = natZonesOf(entity, region).length + numberOf(objectOf(entity.spec["aws"])["loadBalancerIps"]);
  if (isExisting(entity) || wanted === 0) return [];
  const [{ elasticIps: limit }, all] = await Promise.all([view.getLimits(), view.listElasticIps()]);
  return findShortage("spec.nat", "elastic IPs", limit, all.filter(({ owner }) => owner !== entity.uid).length, wanted);
};

/** There is room for a NAT gateway in each zone that is to have one. */
export const natQuota: Check = async ({ view, entity, region }) => {
  const zones = natZonesOf(entity, region);
  if (isExisting(entity) || zones.length === 0) return [];
  const [{ natGatewaysPerZone: limit }, all] = await Promise.all([view.getLimits(), view.listNatGateways()]);
  const others = all.filter(({ owner }) => owner !== entity.uid);
  return zones.flatMap((zone) =>
    findShortage("spec.nat", `NAT gateways in ${zone}`, limit, others.filter((each) => each.zone === zone).length, 1),
  );
};

const named = "Name a VPC of the account and its region, or a range.";
const apart = "Choose a range that shares no address with it.";

/** The range overlaps none of a network that this one is to be connected with. */
export const rangeIsFree: Check = async ({ view, entity }) => {
  const peers = textsOf(objectOf(entity.spec["aws"])["peers"]);
  if (isExisting(entity) || peers.length === 0) return [];
  const cidr = textOf(entity.spec["cidr"]) || "10.0.0.0/16";
  const vpcs = await view.listVpcs();
  return peers.flatMap((peer): Finding[] => {
    const ranges = peer.includes("/") ? [peer] : vpcs.find(({ id }) => id === peer)?.ranges;
    if (ranges === undefined) return [{ field: "spec.aws.peers", message: `the account has no VPC ${peer}`, help: named }];
    const taken = ranges.filter((range) => overlaps(range, cidr));
    return taken.map((range) => ({
      field: "spec.cidr",
      message: `${cidr} overlaps ${range === peer ? peer : `${range} of ${peer}`}`,
      help: apart,
    }));
  });
};

function natZonesOf(entity: DeployedEntity, region: string): string[] {
  const zones = zonesOf(entity, region).toSorted();
  const nat = textOf(entity.spec["nat"]);
  return nat === "per-zone" ? zones : nat === "single" ? zones.slice(0, 1) : [];
}

/** What is to be said when there is less room than is wanted. */
export function findShortage(field: string, what: string, limit: number, used: number, wanted: number): Finding[] {
  if (used + wanted <= limit) return [];
  const help = "Ask the cloud for a higher quota, free some, or ask for less.";
  return [{ field, message: `${wanted} more ${what} are needed; ${used} of ${limit} are in use`, help }];
}

/** Returns whether two ranges have an address in common. Text that is not a range has no address. */
export function overlaps(first: string, second: string): boolean {
  const [a, b] = [parseRange(first), parseRange(second)];
  return a !== undefined && b !== undefined && rangesOverlap(a, b);
}
