import { defaultNetworkCidr } from "@cloudwright/contract";
import { overlaps as rangesOverlap, parseRange } from "@cloudwright/platform";
import { zonesOf, type Check, type Finding, type Question } from "./question.ts";

/** Checks that the network's zones exist in the region. */
export const zonesExist: Check<"Network"> = async (question) => {
  const { view, entity, region } = question;
  const known = await view.listZones();
  if (entity.spec.existing !== undefined || known.length === 0) return [];
  const missing = zonesOf(entity.spec, question).filter((zone) => !known.includes(zone));
  if (missing.length === 0) return [];
  const message = `${missing.join(", ")} ${missing.length === 1 ? "is not a zone" : "are not zones"} of ${region}`;
  return [{ field: "spec.zones", message, help: `Choose from ${known.join(", ")}.` }];
};

/** Checks that the quota allows one more network. */
export const networkQuota: Check<"Network"> = async (question) => {
  const { view, entity, cloud } = question;
  if (entity.spec.existing !== undefined) return [];
  const [{ networks: limit }, all] = await Promise.all([view.getLimits(), view.listNetworks()]);
  const used = all.filter(({ owner }) => owner !== entity.uid).length;
  return findShortage(question, "spec.region", `${cloud.terms.network}s`, { limit, used, wanted: 1 });
};

/** Checks that the quota allows one more internet gateway. Every new network has one. */
export const internetGatewayQuota: Check<"Network"> = async (question) => {
  const { view, entity } = question;
  if (entity.spec.existing !== undefined) return [];
  const [{ internetGateways: limit }, all] = await Promise.all([view.getLimits(), view.listInternetGateways()]);
  const used = all.filter(({ owner }) => owner !== entity.uid).length;
  return findShortage(question, "spec.region", "internet gateways", { limit, used, wanted: 1 });
};

/** Creates a check of the public IP quota. It covers the NAT gateways and the additional addresses that `countMore` returns. */
export function createPublicIpQuota(countMore: (question: Question<"Network">) => number): Check<"Network"> {
  return async (question) => {
    const { view, entity, cloud } = question;
    const wanted = natZonesOf(question).length + countMore(question);
    if (entity.spec.existing !== undefined || wanted === 0) return [];
    const [{ publicIps: limit }, all] = await Promise.all([view.getLimits(), view.listPublicIps()]);
    const used = all.filter(({ owner }) => owner !== entity.uid).length;
    return findShortage(question, "spec.nat", pluralOf(cloud.terms.publicIp), { limit, used, wanted });
  };
}

/** Checks the NAT gateway quota of each zone that needs a gateway. */
export const natQuota: Check<"Network"> = async (question) => {
  const { view, entity } = question;
  const zones = natZonesOf(question);
  if (entity.spec.existing !== undefined || zones.length === 0) return [];
  const [{ natGatewaysPerZone: limit }, all] = await Promise.all([view.getLimits(), view.listNatGateways()]);
  const others = all.filter(({ owner }) => owner !== entity.uid);
  return zones.flatMap((zone) => {
    const used = others.filter((each) => each.zone === zone).length;
    return findShortage(question, "spec.nat", `NAT gateways in ${zone}`, { limit, used, wanted: 1 });
  });
};

/**
 * Warns if the range overlaps another network of the account. Clouds allow overlapping ranges, but overlapping networks cannot be peered,
 * and traffic cannot be routed between them.
 */
export const rangeIsApart: Check<"Network"> = async ({ view, entity, cloud }) => {
  if (entity.spec.existing !== undefined) return [];
  const cidr = entity.spec.cidr || defaultNetworkCidr;
  const others = (await view.listNetworks()).filter(({ owner }) => owner !== entity.uid);
  const taken = others.flatMap(({ id, ranges }) =>
    ranges.filter((range) => overlaps(range, cidr)).map((range) => `${range} of ${id}`),
  );
  if (taken.length === 0) return [];
  const more = taken.length > mostNamed ? ` and ${taken.length - mostNamed} more` : "";
  const message = `${cidr} overlaps ${taken.slice(0, mostNamed).join(", ")}${more} in the same account`;
  const help = `Choose another range if the ${cloud.terms.network}s may ever be connected.`;
  return [{ severity: "should", field: "spec.cidr", message, help }];
};

const mostNamed = 3;

function natZonesOf(question: Question<"Network">): string[] {
  const zones = zonesOf(question.entity.spec, question).toSorted();
  const { nat } = question.entity.spec;
  return nat === "per-zone" ? zones : nat === "single" ? zones.slice(0, 1) : [];
}

/** Returns the plural of a cloud's term: `elastic IPs`, `static IP addresses`. */
export function pluralOf(term: string): string {
  return `${term}${term.endsWith("s") ? "es" : "s"}`;
}

/** A quota: its limit, the amount in use, and the additional amount needed. */
export interface Demand {
  readonly limit: number;
  readonly used: number;
  readonly wanted: number;
}

/** Returns a finding if the quota is too low. */
export function findShortage(
  { cloud, region }: Pick<Question, "cloud" | "region">,
  field: string,
  what: string,
  { limit, used, wanted }: Demand,
): Finding[] {
  if (used + wanted <= limit) return [];
  const { commands } = cloud;
  const raise =
    commands === undefined
      ? "Request a higher quota from the cloud"
      : `Run \`${commands.showQuotas(region)}\` to see the quotas and \`${commands.raiseQuota}\` to request a higher one`;
  // Deleting resources or a smaller request does not help if the cloud grants nothing at all.
  if (limit <= 0) {
    const help = `${raise}, or choose a region or machine type for which the account has a quota.`;
    return [{ field, message: `the quota for ${what} is 0, but the request needs ${wanted}`, help }];
  }
  const help = `${raise}, delete unused resources, or reduce the request.`;
  return [{ field, message: `the quota for ${what} is too low: ${used} of ${limit} in use, ${wanted} more needed`, help }];
}

/** Returns whether two ranges overlap. Returns false if either range is invalid. */
export function overlaps(first: string, second: string): boolean {
  const [a, b] = [parseRange(first), parseRange(second)];
  return a !== undefined && b !== undefined && rangesOverlap(a, b);
}
