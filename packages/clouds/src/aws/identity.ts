import { Fault } from "@cloudwright/platform";
import { cloudsFaults } from "../faults.ts";
import type { AwsApi } from "./api.ts";

/** Who credentials are. */
export interface AwsIdentity {
  readonly accountId: string;
  readonly arn: string;
}

/** Asks AWS whose credentials these are, a call that needs no permission, and refuses those of another account than is expected. */
export async function verifyAwsAccount(api: AwsApi, name: string, expected: string | undefined): Promise<AwsIdentity> {
  const { Account: accountId = "", Arn: arn = "" } = await api.call("say who we are", async (clients) => {
    const { GetCallerIdentityCommand } = await import("@aws-sdk/client-sts");
    return (await clients.sts()).send(new GetCallerIdentityCommand({}));
  });
  if (expected !== undefined && expected !== accountId) {
    const message = `the account "${name}" is to be ${expected}, but its credentials belong to ${accountId} (${arn})`;
    throw new Fault(cloudsFaults.wrong_account, message);
  }
  return { accountId, arn };
}
