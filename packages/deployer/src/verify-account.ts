import { Fault } from "@cloudwright/platform";
import type { VerifyAccount } from "./cloud.ts";
import { describeRun } from "./credentials.ts";
import { deployerFaults } from "./faults.ts";
import type { DeployedAccount, DeployerTask, JsonObject } from "./task.ts";

/** Verifies an account's credentials with its cloud. Simulated accounts do not need credentials and are always valid. */
export async function verifyAccount(
  deps: { readonly verifyAccount?: VerifyAccount },
  task: DeployerTask,
  account: DeployedAccount,
): Promise<JsonObject> {
  if (account.simulated) return { account_id: `simulated-${account.uid.slice(-12)}`, identity: "simulated" };
  if (deps.verifyAccount === undefined) {
    throw new Fault(deployerFaults.no_credentials, `this agent cannot verify the account "${account.name}"`);
  }
  const { accountId, identity } = await deps.verifyAccount(account, describeRun(task));
  return { account_id: accountId, identity };
}
