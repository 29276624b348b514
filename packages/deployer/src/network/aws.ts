import { Fault } from "@cloudwright/platform";
import { pickOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../faults.ts";
import type { Stack } from "../stack.ts";
import type { DeployedEntity, Json, JsonObject } from "../task.ts";
import { parseRange, planSubnets, type ZoneRanges } from "./plan-subnets.ts";

const defaultRange = "10.0.0.0/16";
const roles = ["public", "private", "intra"] as const;

/** A network in AWS: a VPC with public, private and intra subnets in each zone. */
export const awsNetwork: Stack = {
  service: "network",
  cloud: "aws",
  variables(entity) {
    const { spec } = entity;
    if (spec["existing"] !== undefined) {
      throw new Fault(deployerFaults.not_supported, `${entity.name} is to use a network that exists, which is not possible yet`);
    }
    const region = textOf(spec["region"]);
    if (!/^[a-z]{2}(-[a-z]+)+-\d+$/.test(region)) {
      throw new Fault(deployerFaults.bad_spec, `spec.region of ${entity.name} is "${region}", not one such as eu-west-1`);
    }
    const cidr = textOf(spec["cidr"]) || defaultRange;
    const { prefix } = parseRange(cidr);
    if (prefix < 16 || prefix > 28) {
      throw new Fault(deployerFaults.bad_spec, `spec.cidr of ${entity.name} is ${cidr}; AWS takes prefixes of 16 to 28`);
    }
    refuseExtras(entity);
    return {
      name: entity.name,
      region,
      cidr,
      zones: findZones(entity, region, cidr),
      nat: textOf(spec["nat"]) || "none",
      owner: { project: entity.project, entity: entity.uid },
      tags: { ...entity.labels },
    };
  },
  environment: () => ({}),
  status(outputs) {
    const wanted = {
      network_id: "text",
      public_subnet_ids: "texts",
      private_subnet_ids: "texts",
      intra_subnet_ids: "texts",
    } as const;
    const { values, problems } = pickOutputs(outputs, wanted);
    if (problems.length > 0) {
      const said = problems.map(({ field, message }) => `${field} ${message}`).join(", ");
      throw new Fault(deployerFaults.bad_outputs, `the network's outputs are not as they should be: ${said}`);
    }
    return values;
  },
  // An association goes by the name of its subnet.
  findUntagged({ type, names }, tagged) {
    const subnet = names.map((id) => tagged.get(id)).find((address) => address?.startsWith("aws_subnet."));
    return type === "aws_route_table_association" && subnet !== undefined ? subnet.replace("aws_subnet", type) : undefined;
  },
};

function findZones({ name, spec }: DeployedEntity, region: string, cidr: string): Record<string, ZoneRanges> {
  const asked = textsOf(spec["zones"]).map((zone) => (/^[a-z]$/.test(zone) ? region + zone : zone));
  const zones = asked.length > 0 ? asked : ["a", "b", "c"].map((letter) => region + letter);
  const stranger = zones.find((zone) => !zone.startsWith(region));
  if (stranger !== undefined) throw new Fault(deployerFaults.bad_spec, `the zone "${stranger}" of ${name} is not in ${region}`);
  const subnets = objectOf(spec["subnets"]);
  const given = roles.filter((role) => textsOf(subnets[role]).length > 0);
  if (given.length === 0) return planSubnets(cidr, zones);
  const tooMany = given.find((role) => textsOf(subnets[role]).length > zones.length);
  if (tooMany !== undefined) {
    throw new Fault(deployerFaults.bad_spec, `${name} has more ${tooMany} subnets than its ${zones.length} zones`);
  }
  return Object.fromEntries(
    zones.map((zone, index) => {
      const ranges = given.flatMap((role) => {
        const range = textsOf(subnets[role])[index];
        return range === undefined ? [] : [[role, range] as const];
      });
      return [zone, Object.fromEntries(ranges)];
    }),
  );
}

function refuseExtras({ name, spec }: DeployedEntity): void {
  const unknown = Object.entries(objectOf(spec["aws"])).find(
    ([extra, value]) => extra !== "peers" && Boolean(value) && !(Array.isArray(value) && value.length === 0),
  );
  if (unknown !== undefined) {
    throw new Fault(deployerFaults.not_supported, `spec.aws.${unknown[0]} of ${name} cannot be built yet`);
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
