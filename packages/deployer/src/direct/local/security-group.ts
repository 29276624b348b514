import type { SecurityGroupRule } from "@cloudwright/contract/gen/cloudwright/v1/security_group_pb.ts";
import { Fault } from "@cloudwright/platform";
import type { Blueprint } from "../../executor/in-process/blueprint.ts";
import { deployerFaults } from "../../faults.ts";
import { textOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { openTypes } from "../open-types.ts";

const type = "local_security_group";
const address = `${type}.this`;

/** Rules of the firewall on the user's machine. They are enforced outside the instances and take effect without touching them. */
export const localSecurityGroupBlueprint: Blueprint<"SecurityGroup"> = {
  service: "securitygroup",
  cloud: "local",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, [type]),
  resources: (entity, _account, around) => [
    { type, name: "this", attributes: { rules: entity.spec.rules.map((rule) => renderRule(rule, entity, around)), ready: true } },
  ],
  outputs: (attributesOf) => ({ group_id: textOf(attributesOf(address)["id"]) }),
};

function renderRule(
  { direction, protocol, fromPort, toPort, cidr, group }: SecurityGroupRule,
  entity: DeployedEntity<"SecurityGroup">,
  around: Surroundings,
): JsonObject {
  return {
    direction: direction || "ingress",
    protocol,
    from_port: fromPort,
    to_port: toPort || fromPort,
    cidr,
    group: group === "" ? "" : findGroupId(group, entity, around),
  };
}

/** Returns the id of the group that a rule names. Groups can refer to each other, so the other group may not have been built yet. */
function findGroupId(group: string, { name, uid }: DeployedEntity<"SecurityGroup">, { references }: Surroundings): string {
  if (group === "self") return renderId(uid);
  const found = references.find((reference) => reference.field === "rules.group" && reference.name === group);
  if (found !== undefined) return renderId(found.uid);
  throw new Fault(deployerFaults.bad_spec, `a rule of ${name} names the security group "${group}", which does not exist`);
}

/** Renders the id that the host gives to the group of an entity. */
function renderId(entityUid: string): string {
  return `${entityUid}-this`;
}
