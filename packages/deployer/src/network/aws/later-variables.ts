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

/** What the variables depend on besides the spec. `outputs` comes from the last apply. */
interface Around extends NetworkPlace {
  readonly region: string;
  readonly version: string;
  readonly outputs: JsonObject;
}

const since = "v1.1.0";
const fields = ["natZone", "controlPlanePeerCidrs", "secondaryCidrs", "publicIpsOnLaunch"];

/** Renders the variables that network/aws v1.1.0 added. Throws if the spec needs them but the version does not have them. */
export function renderLater(entity: Network, around: Around): JsonObject {
  const { version, outputs, cidr } = around;
  const aws = awsOf(entity.spec);
  if (!isAtLeast(version, since)) {
    const extra = Object.keys(toJson(AwsNetworkSchema, aws) as object).find((field) => fields.includes(field));
    if (extra === undefined) return {};
    const fix = `set spec.infra.version to ${since} to upgrade it`;
    const message = `configuration ${version} of ${entity.name} does not support spec.aws.${extra}; ${fix}`;
    throw new Fault(deployerFaults.not_supported, message);
  }
  checkSecondary(entity, cidr, aws);
  return {
    nat_zone: findNatZone(entity, around, aws.natZone),
    secondary_cidr_ranges: aws.secondaryCidrs,
    controlplane_peer_cidrs: aws.controlPlanePeerCidrs,
    // Networks created with an earlier version assign public IP addresses at launch. An upgrade must not change that.
    public_ips_on_launch: aws.publicIpsOnLaunch ?? !isAtLeast(findOrigin(outputs, version), since),
  };
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
  const hasPublicSubnet = (zone: string): boolean => zones[zone]?.public !== undefined;
  const isPossible = (zone: Json): zone is string => typeof zone === "string" && hasPublicSubnet(zone);
  if (requested !== "") {
    const zone = getCloud("aws").regions.renderZone(region, requested);
    if (hasPublicSubnet(zone)) return zone;
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
