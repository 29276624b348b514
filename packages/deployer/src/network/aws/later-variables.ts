import { toJson } from "@bufbuild/protobuf";
import { getCloud } from "@cloudwright/contract/clouds";
import { AwsNetworkSchema, type AwsNetwork } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";
import { Fault, overlaps } from "@cloudwright/platform";
import { findOrigin, isAtLeast } from "../../configuration-origin.ts";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, Json, JsonObject } from "../../task.ts";
import { awsOf } from "./aws-of.ts";
import { parseRange } from "./plan-subnets.ts";
import type { NetworkPlace } from "./zones.ts";

type Network = DeployedEntity<"Network">;

/** The inputs, besides the spec, that determine the variables. `outputs` comes from the last apply. */
interface Around extends NetworkPlace {
  readonly region: string;
  readonly version: string;
  readonly outputs: JsonObject;
}

const since = "v1.1.0";
const current = "v1.2.0";
/** The version that introduced each field of `spec.aws`. Fields that are not listed have existed since v1.0.0. */
const introduced: Readonly<Record<string, string>> = {
  natZone: since,
  controlPlanePeerCidrs: since,
  secondaryCidrs: since,
  publicIpsOnLaunch: since,
  ipv6: current,
};

/** Renders the variables that network/aws v1.1.0 and later versions added. Throws if the spec needs them but the version does not have them. */
export function renderLater(entity: Network, around: Around): JsonObject {
  const { version, outputs, cidr } = around;
  const aws = awsOf(entity.spec);
  const extra = Object.keys(toJson(AwsNetworkSchema, aws) as object).find(
    (field) => !isAtLeast(version, introduced[field] ?? version),
  );
  if (extra !== undefined) {
    const fix = `set spec.infra.version to ${introduced[extra] ?? current} to upgrade it`;
    const message = `configuration ${version} of ${entity.name} does not support spec.aws.${extra}; ${fix}`;
    throw new Fault(deployerFaults.not_supported, message);
  }
  if (!isAtLeast(version, since)) return {};
  checkSecondary(entity, cidr, aws);
  return {
    nat_zone: findNatZone(entity, around, aws.natZone),
    secondary_cidr_ranges: aws.secondaryCidrs,
    controlplane_peer_cidrs: aws.controlPlanePeerCidrs,
    // Networks created with an earlier version assign public IP addresses at launch. An upgrade must not change this behaviour.
    public_ips_on_launch: aws.publicIpsOnLaunch ?? !isAtLeast(findOrigin(outputs, version), since),
    ...(isAtLeast(version, current) ? renderCurrent(entity, around, aws) : {}),
  };
}

function renderCurrent({ name }: Network, around: Around, { ipv6 }: AwsNetwork): JsonObject {
  const range = around.outputs["ipv6_cidr"];
  if (!ipv6 && typeof range === "string" && range !== "") {
    const message = `spec.aws.ipv6 of ${name} cannot be turned off, because the subnets use ${range}; create another network instead`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  const local = Object.keys(around.zones).find((zone) => !/^[a-h]$/.test(zone.slice(around.region.length)));
  if (ipv6 && local !== undefined) {
    const message = `spec.aws.ipv6 of ${name} is set, but ${local} in spec.zones is a local zone, which has no IPv6`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  // If the routes move to other gateways, this run keeps the current gateways, and the next run deletes them.
  return { ipv6, former_nat_zones: listFormerZones(around) };
}

function checkSecondary({ name }: Network, cidr: string, { secondaryCidrs }: AwsNetwork): void {
  const known = [parseRange(cidr)];
  for (const [index, text] of secondaryCidrs.entries()) {
    const [range, at] = [parseRange(text), `spec.aws.secondaryCidrs[${index}] of ${name} is ${text}`];
    if (range.prefix < 16 || range.prefix > 28)
      throw new Fault(deployerFaults.bad_spec, `${at}; AWS supports prefix lengths from 16 to 28`);
    if (known.some((other) => overlaps(other, range)))
      throw new Fault(deployerFaults.bad_spec, `${at}, which overlaps with another range of the network`);
    known.push(range);
  }
}

/**
 * Returns the requested zone of the single NAT gateway, or its current zone, so that adding zones does not move the gateway. Null lets the
 * configuration choose.
 */
function findNatZone({ name, spec }: Network, { region, zones, outputs }: Around, requested: string): string | null {
  const isPossible = createZoneFilter(zones);
  if (requested !== "") {
    const zone = getCloud("aws").regions.renderZone(region, requested);
    if (hasPublicSubnet(zones, zone)) return zone;
    const message = `spec.aws.natZone of ${name} is "${requested}", but the network has no public subnet in ${zone}`;
    throw new Fault(
      deployerFaults.bad_spec,
      spec.zones.length === 0 ? message : `${message}; its zones are ${spec.zones.join(", ")}`,
    );
  }
  const known = outputs["nat_zones"];
  if (Array.isArray(known)) return known.find(isPossible) ?? null;
  // v1.0.0 placed the gateway in the first suitable zone and did not report which one.
  const [before, addresses] = [outputs["zones"], outputs["nat_public_ips"]];
  const hadNat = Array.isArray(addresses) && addresses.length > 0;
  return hadNat && Array.isArray(before) ? (before.filter(isPossible).toSorted()[0] ?? null) : null;
}

/** Returns the zones of the NAT gateways that the routes use now. A gateway cannot be kept if the public subnet of its zone is removed. */
function listFormerZones({ zones, outputs }: Around): string[] {
  const known = outputs["nat_zones"];
  return Array.isArray(known) ? known.filter(createZoneFilter(zones)) : [];
}

/** Creates a filter for zones that can have a NAT gateway. */
function createZoneFilter(zones: NetworkPlace["zones"]): (zone: Json) => zone is string {
  return (zone): zone is string => typeof zone === "string" && hasPublicSubnet(zones, zone);
}

function hasPublicSubnet(zones: NetworkPlace["zones"], zone: string): boolean {
  return zones[zone]?.public !== undefined;
}
