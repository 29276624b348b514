import type { HookContext } from "../../provider/definition.ts";
import { textOf } from "../../values/read-value.ts";
import type { Refusal } from "../refusal.ts";
import type { Reference } from "../resource.ts";
import { findRole } from "../iam/entities.ts";

/** What EKS says to a value that it does not take. */
export function badParameter(message: string, ...path: readonly string[]): Refusal {
  return { code: "InvalidParameterException", message, ...(path.length === 0 ? {} : { path }) };
}

/** What EKS says when something of that name is there, or at work. */
export function inUse(message: string): Refusal {
  return { code: "ResourceInUseException", message, status: 409 };
}

/** What EKS says when an account has as many as it may have. */
export function limitExceeded(message: string): Refusal {
  return { code: "ResourceLimitExceededException", message };
}

/** Belongs to a cluster. */
export function ofCluster(tie: Reference["tie"]): Reference {
  const missing = (name: string): Refusal => ({
    code: "ResourceNotFoundException",
    message: `No cluster found for name: ${name}.`,
    status: 404,
  });
  return { path: "cluster_name", to: ["aws_eks_cluster"], missing, tie };
}

/** Lies in subnets, which its interfaces hold. */
export function inSubnets(path: string): Reference {
  return { path, to: ["aws_subnet"], missing: (id) => badParameter(`The subnet ID '${id}' does not exist`), tie: "holds" };
}

/** Why a role cannot be used: it is not there, or does not trust the service. Roles of other accounts are not looked at. */
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
