import type { FieldViolation } from "@cloudwright/platform";
import type { SecurityGroup, SecurityGroupRule } from "../../gen/cloudwright/v1/security_group_pb.ts";
import { findTerraformSettings } from "./find-terraform-settings.ts";
import { securityGroup } from "./security-group.ts";

const selfWord = securityGroup.references[1].selfWord;

/** Rejects rules that cannot match any traffic or do not say where it comes from. */
export function checkSecurityGroup({ metadata, spec }: SecurityGroup): FieldViolation[] {
  const isReserved = metadata?.name === selfWord;
  const message = `must not be "${selfWord}", because rules use this word for their own group`;
  return [
    ...(isReserved ? [{ field: "metadata.name", message }] : []),
    ...(spec?.rules ?? []).flatMap((rule, index) => checkRule(rule, `spec.rules[${index}]`)),
    ...findTerraformSettings(spec?.infra),
  ];
}

function checkRule(rule: SecurityGroupRule, at: string): FieldViolation[] {
  return [...checkPorts(rule, at), ...checkPeer(rule, at)];
}

function checkPorts({ protocol, fromPort, toPort }: SecurityGroupRule, at: string): FieldViolation[] {
  const hasPorts = protocol === "tcp" || protocol === "udp";
  if (!hasPorts && fromPort === 0 && toPort === 0) return [];
  if (!hasPorts) {
    const message = `must not be set, because the protocol ${protocol} has no ports; remove the ports, or choose tcp or udp`;
    return [{ field: `${at}.${fromPort === 0 ? "toPort" : "fromPort"}`, message }];
  }
  if (fromPort === 0 && toPort !== 0) return [{ field: `${at}.fromPort`, message: `is required if toPort is set` }];
  if (toPort === 0 || fromPort <= toPort) return [];
  return [{ field: `${at}.toPort`, message: `is ${toPort}, which is lower than fromPort ${fromPort}; swap the two ports` }];
}

function checkPeer({ direction, cidr, group }: SecurityGroupRule, at: string): FieldViolation[] {
  if ((cidr === "") !== (group === "")) return [];
  const peer = direction === "egress" ? "destination" : "source";
  if (cidr === "") return [{ field: at, message: `must have a ${peer}: set cidr, for example 0.0.0.0/0, or group` }];
  return [{ field: `${at}.group`, message: `must not be combined with cidr; use a separate rule for each ${peer}` }];
}
