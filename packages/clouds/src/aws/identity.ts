import { Fault } from "@cloudwright/platform";
import type { AccountIdentity } from "../account-view.ts";
import { cloudsFaults } from "../faults.ts";
import type { AwsApi } from "./api.ts";

/**
 * Returns the identity behind the credentials. The call requires no IAM permissions. Throws if the account ID differs from `expected`.
 */
export async function verifyAwsAccount(api: AwsApi, name: string, expected: string | undefined): Promise<AccountIdentity> {
  const { Account: accountId = "", Arn: identity = "" } = await api.call("identify the caller", async (clients) => {
    const { GetCallerIdentityCommand } = await import("@aws-sdk/client-sts");
    return (await clients.sts()).send(new GetCallerIdentityCommand({}));
  });
  if (expected !== undefined && expected !== accountId) {
    const message = `account "${name}" expects the AWS account ${expected}, but its credentials belong to ${accountId} (${identity})`;
    throw new Fault(cloudsFaults.wrong_account, message);
  }
  return { accountId, identity };
}
