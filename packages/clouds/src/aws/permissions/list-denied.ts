import type { AwsApi } from "../api.ts";

const actionsPerCall = 50;

/**
 * Lists the actions that an identity is not allowed to perform. Uses the IAM policy simulator, so no action is performed. Returns undefined
 * if the identity is not allowed to call the simulator.
 */
export async function listDeniedActions(api: AwsApi, arn: string, actions: readonly string[]): Promise<string[] | undefined> {
  const source = toPrincipal(arn);
  // The root user may do everything, and the IAM policy simulator does not support root users.
  if (source === undefined) return [];
  return api.call("simulate policies", async (clients) => {
    const { SimulatePrincipalPolicyCommand } = await import("@aws-sdk/client-iam");
    const client = await clients.iam();
    const denied: string[] = [];
    for (let from = 0; from < actions.length; from += actionsPerCall) {
      const ActionNames = actions.slice(from, from + actionsPerCall);
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

/** Returns the user or role whose policies apply. A session resolves to its role, and the root user to undefined. */
export function toPrincipal(arn: string): string | undefined {
  const assumed = /^arn:(?<partition>[^:]+):sts::(?<account>\d+):assumed-role\/(?<role>[^/]+)\//.exec(arn)?.groups;
  if (assumed !== undefined) return `arn:${assumed["partition"]}:iam::${assumed["account"]}:role/${assumed["role"]}`;
  return arn.endsWith(":root") ? undefined : arn;
}
