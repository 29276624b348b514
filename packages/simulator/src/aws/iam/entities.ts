import type { CloudRecord } from "../../inventory/inventory.ts";
import type { HookContext } from "../../provider/definition.ts";
import { accountOf } from "../place.ts";
import type { Refusal } from "../refusal.ts";
import type { Reference } from "../resource.ts";

/** Returns IAM's error for a name that is already taken. */
export function alreadyExists(message: string): Refusal {
  return { code: "EntityAlreadyExists", message, status: 409 };
}

/** Returns IAM's error for the deletion of an entity that is still in use. */
export function deleteConflict(message: string): Refusal {
  return { code: "DeleteConflict", message, status: 409 };
}

/** Returns IAM's error for an exhausted quota. */
export function limitExceeded(quota: string): (limit: number) => Refusal {
  return (limit) => ({ code: "LimitExceeded", message: `Cannot exceed quota for ${quota}: ${limit}`, status: 409 });
}

/** Creates a reference to a role by its name. */
export function ofRole(path: string, tie: Reference["tie"]): Reference {
  const missing = (name: string): Refusal => ({
    code: "NoSuchEntity",
    message: `The role with name ${name} cannot be found.`,
    status: 404,
  });
  return { path, to: ["aws_iam_role"], missing, tie };
}

/** Finds a role by its ARN. A role in another account cannot be inspected and is reported as "elsewhere". */
export async function findRole(arn: string, context: HookContext): Promise<"elsewhere" | CloudRecord | undefined> {
  const { account, name } = /^arn:[a-z-]+:iam::(?<account>\d{12}):role\/(?:.*\/)?(?<name>[^/]+)$/.exec(arn)?.groups ?? {};
  if (account === undefined || name === undefined) return undefined;
  return account === accountOf(context.tenant) ? context.find({ type: "aws_iam_role", id: name }) : "elsewhere";
}

/** Returns IAM's errors for a malformed policy document. */
export function refuseDocument(text: string): readonly Refusal[] {
  if (text === "") return [];
  try {
    const document = JSON.parse(text) as unknown;
    if (typeof document !== "object" || document === null) return [malformed("This policy contains invalid Json")];
    return "Statement" in document ? [] : [malformed("Syntax errors in policy.")];
  } catch {
    return [malformed("This policy contains invalid Json")];
  }
}

function malformed(message: string): Refusal {
  return { code: "MalformedPolicyDocument", message };
}
