import { toJson } from "@bufbuild/protobuf";
import { AwsNetworkSchema } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, Json } from "../../task.ts";
import { renderTags } from "../../render-tags.ts";
import { awsOf } from "./aws-of.ts";
import { findPlace, getRegion } from "./zones.ts";

/** Renders the variables for network/aws/v0.1.0. This version supports neither existing networks nor the fields of `spec.aws`. */
export function renderFirstVariables(entity: DeployedEntity<"Network">): Readonly<Record<string, Json>> {
  const { name, project, uid, spec } = entity;
  const later = Object.keys(toJson(AwsNetworkSchema, awsOf(spec)) as object).map((field) => `aws.${field}`);
  const [extra] = [...(spec.existing === undefined ? [] : ["existing"]), ...later];
  if (extra !== undefined) {
    const fix = "set spec.infra.version to v1.0.0 to upgrade it";
    throw new Fault(deployerFaults.not_supported, `configuration v0.1.0 of ${name} does not support spec.${extra}; ${fix}`);
  }
  const region = getRegion(entity);
  const { cidr, zones } = findPlace(entity, region);
  return {
    name,
    region,
    cidr,
    zones: { ...zones },
    nat: spec.nat || "none",
    owner: { project, entity: uid },
    tags: renderTags("aws", entity),
  };
}
