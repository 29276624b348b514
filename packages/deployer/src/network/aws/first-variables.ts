import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { objectOf, textOf } from "../../read-spec.ts";
import type { DeployedEntity, Json } from "../../task.ts";
import { findPlace, getRegion } from "./zones.ts";

/** The variables of network/aws/v0.1.0, which knows neither networks that exist nor anything of spec.aws. */
export function renderFirstVariables(entity: DeployedEntity): Readonly<Record<string, Json>> {
  const { name, project, uid, labels, spec } = entity;
  const asked = Object.entries(objectOf(spec["aws"])).filter(
    ([, value]) => Boolean(value) && !(Array.isArray(value) && value.length === 0),
  );
  const [extra] = [...(spec["existing"] === undefined ? [] : ["existing"]), ...asked.map(([field]) => `aws.${field}`)];
  if (extra !== undefined) {
    const way = "upgrade it by spec.infra.version: v1.0.0";
    throw new Fault(deployerFaults.not_supported, `spec.${extra} of ${name} cannot be built with its version v0.1.0; ${way}`);
  }
  const region = getRegion(entity);
  const { cidr, zones } = findPlace(entity, region);
  return {
    name,
    region,
    cidr,
    zones: { ...zones },
    nat: textOf(spec["nat"]) || "none",
    owner: { project, entity: uid },
    tags: { ...labels },
  };
}
