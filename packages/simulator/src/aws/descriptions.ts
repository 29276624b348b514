import type { CompactBlock, CompactSchema, CompactType } from "../schema/compact-schema.ts";

/**
 * Attributes named `description`, keyed by type. The published data behind schema.json lacks them because all descriptions were stripped.
 */
const descriptions: Readonly<Record<string, string>> = {
  aws_ami: "o string",
  aws_cloudwatch_event_rule: "o string",
  aws_default_security_group: "c string",
  aws_ebs_snapshot: "o string",
  aws_ec2_transit_gateway: "o string",
  aws_iam_policy: "o string",
  aws_iam_role: "o string",
  aws_iam_service_linked_role: "o string",
  aws_kms_key: "oc string",
  aws_launch_template: "o string",
  aws_network_interface: "o string",
  aws_secretsmanager_secret: "o string",
  aws_security_group: "o string",
  aws_security_group_rule: "o string",
  aws_ssm_parameter: "o string",
  aws_vpc_security_group_egress_rule: "o string",
  aws_vpc_security_group_ingress_rule: "o string",
};

/** Adds the missing `description` attributes to a schema. */
export function addDescriptions(schema: CompactSchema): CompactSchema {
  const resources = Object.entries(schema.resources ?? {}).map(([name, type]): [string, CompactType] => {
    const flags = descriptions[name];
    const of = flags === undefined ? type.of : withDescription(type.of, flags);
    return [name, { ...type, of }];
  });
  return { ...schema, resources: Object.fromEntries(resources) };
}

function withDescription(of: CompactBlock, flags: string): CompactBlock {
  // Inline rules of a security group also have a description.
  const parts = Object.entries(of).map(([name, part]) => [
    name,
    typeof part === "string" && (name === "ingress" || name === "egress")
      ? part.replace("cidr_blocks=list(string),from_port", "cidr_blocks=list(string),description=string,from_port")
      : part,
  ]);
  return { ...(Object.fromEntries(parts) as CompactBlock), description: flags };
}
