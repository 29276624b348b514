import type { AdoptionPurpose } from "../../stack.ts";
import type { DeployedEntity } from "../../task.ts";
import { listLogTypes } from "./current-variables.ts";

/**
 * Returns the Terraform address of a cluster resource that cannot carry tags. The address is derived from the tagged resource that the
 * untagged one belongs to.
 */
export function findUntaggedPart(
  type: string,
  names: readonly string[],
  tagged: ReadonlyMap<string, string>,
  isLogGroupNeeded: () => boolean,
): string | undefined {
  const owner = (of: string): string | undefined =>
    names
      .map((id) => tagged.get(id))
      .find((address) => address?.startsWith(`${of}.`))
      ?.replace(of, type);
  switch (type) {
    case "aws_iam_role_policy_attachment":
      return findAttachment(owner("aws_iam_role"), names);
    case "aws_iam_role_policy":
      return owner("aws_iam_role");
    case "aws_kms_alias":
      return owner("aws_kms_key");
    case "aws_sqs_queue_policy":
      return owner("aws_sqs_queue");
    case "aws_cloudwatch_event_target":
      return owner("aws_cloudwatch_event_rule");
    case "aws_eks_access_policy_association":
      return findAssociation(names, tagged);
    case "aws_cloudwatch_log_group":
      return isLogGroupNeeded() ? `${logGroup}["made"]` : undefined;
    default:
      return undefined;
  }
}

/**
 * Returns whether to adopt the cluster's log group. EKS creates the group, without tags, when a log type is enabled and the group does not
 * exist. Configurations that manage the group adopt it, and so do deletions. v0.1.0 does not manage the group: if it were adopted, the next
 * apply would delete the logs.
 */
export function needsLogGroup(
  entity: DeployedEntity<"Cluster">,
  declares: (name: string) => boolean,
  { outputs, isRemoval }: AdoptionPurpose,
): boolean {
  return isRemoval || (declares(logGroup) && listLogTypes(entity, outputs).length > 0);
}

const logGroup = "aws_cloudwatch_log_group.cluster";

const perPolicy = /\.(nodes|karpenter_nodes)\[/;

/** A node role has one attachment per policy, keyed by policy name. Other roles have a single attachment. */
function findAttachment(address: string | undefined, names: readonly string[]): string | undefined {
  if (address === undefined || !perPolicy.test(address)) return address;
  const policy = names.find((name) => name.startsWith("arn:"))?.split("/");
  return `${address.replace(/\[.*/s, "")}[${JSON.stringify(policy?.at(-1) ?? "")}]`;
}

/** An association has the same key as the access entry of its principal. The key depends on the configuration version. */
function findAssociation(names: readonly string[], tagged: ReadonlyMap<string, string>): string | undefined {
  // The association's own id contains the principal as well, between number signs.
  const principal = names.find((name) => /^arn:[^#]*:(role|user)\/[^#]*$/.test(name));
  if (principal === undefined) return undefined;
  const key = `[${JSON.stringify(principal)}]`;
  const entry = [...tagged.values()].find((address) => address.startsWith("aws_eks_access_entry.") && address.endsWith(key));
  return (entry ?? `aws_eks_access_entry.this${key}`).replace("aws_eks_access_entry", "aws_eks_access_policy_association");
}
