import type { HookContext } from "../../provider/definition.ts";
import { textOf } from "../../values/read-value.ts";
import type { Refusal } from "../refusal.ts";
import type { Reference } from "../resource.ts";
import { findRole } from "../iam/entities.ts";

/** Returns EKS's error for an invalid parameter. */
export function badParameter(message: string, ...path: readonly string[]): Refusal {
  return { code: "InvalidParameterException", message, ...(path.length === 0 ? {} : { path }) };
}

/** Returns EKS's error for a name that is already taken, or for a resource with a change in progress. */
export function inUse(message: string): Refusal {
  return { code: "ResourceInUseException", message, status: 409 };
}

/** Returns EKS's error for an exhausted quota. */
export function limitExceeded(message: string): Refusal {
  return { code: "ResourceLimitExceededException", message };
}

/** Creates a reference to a cluster by its name. */
export function ofCluster(tie: Reference["tie"]): Reference {
  const missing = (name: string): Refusal => ({
    code: "ResourceNotFoundException",
    message: `No cluster found for name: ${name}.`,
    status: 404,
  });
  return { path: "cluster_name", to: ["aws_eks_cluster"], missing, tie };
}

/** Creates a reference to subnets that contain the resource's network interfaces. The reference blocks the deletion of the subnets. */
export function inSubnets(path: string): Reference {
  return { path, to: ["aws_subnet"], missing: (id) => badParameter(`The subnet ID '${id}' does not exist`), tie: "holds" };
}

/** Returns an error if a role is missing or does not trust the service. Roles in other accounts are not checked. */
export async function refuseRole(
  arn: string,
  principal: string,
  context: HookContext,
  say: (arn: string) => Refusal,
): Promise<readonly Refusal[]> {
  const role = await findRole(arn, context);
  if (role === "elsewhere") return [];
  return textOf(role?.attributes["assume_role_policy"]).includes(principal) ? [] : [say(arn)];
}
