import type { AwsApi } from "../api.ts";

const mostAtOnce = 50;

/**
 * Which of the actions the holder of an ARN may not do, by AWS's own simulation of its policies; nothing is called. Undefined when whoever asks may not
 * ask that: then it is only found out by doing.
 */
export async function listDeniedActions(api: AwsApi, arn: string, actions: readonly string[]): Promise<string[] | undefined> {
  const source = toPrincipal(arn);
  // The root of an account may do everything, and cannot be asked about.
  if (source === undefined) return [];
  return api.call("say what is allowed", async (clients) => {
    const { SimulatePrincipalPolicyCommand } = await import("@aws-sdk/client-iam");
    const client = await clients.iam();
    const denied: string[] = [];
    for (let from = 0; from < actions.length; from += mostAtOnce) {
      const ActionNames = actions.slice(from, from + mostAtOnce);
      try {
        const { EvaluationResults = [] } = await client.send(
          new SimulatePrincipalPolicyCommand({ PolicySourceArn: source, ActionNames }),
        );
        denied.push(
          ...EvaluationResults.flatMap(({ EvalActionName, EvalDecision }) =>
            EvalDecision === "allowed" || EvalActionName === undefined ? [] : [EvalActionName],
          ),
        );
      } catch (error) {
        const { name = "" } = error as { readonly name?: string };
        if (/^(AccessDenied|InternalFailure|NotImplemented|UnknownError)/.test(name)) return undefined;
        throw error;
      }
    }
    return denied;
  });
}

/** Policies belong to users and roles: of a session its role; undefined for the root of an account. */
export function toPrincipal(arn: string): string | undefined {
  const assumed = /^arn:(?<partition>[^:]+):sts::(?<account>\d+):assumed-role\/(?<role>[^/]+)\//.exec(arn)?.groups;
  if (assumed !== undefined) return `arn:${assumed["partition"]}:iam::${assumed["account"]}:role/${assumed["role"]}`;
  return arn.endsWith(":root") ? undefined : arn;
}
