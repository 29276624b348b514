import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "./faults.ts";
import type { DeployedAccount, DeployerTask } from "./task.ts";

/** The account of a task, refused when it is a real one: this release has no way to hand its credentials to a run. */
export function requireSimulated({ payload }: Pick<DeployerTask, "payload">): DeployedAccount {
  const { account, entity } = payload;
  if (account === null) throw new Fault(deployerFaults.bad_spec, `${entity.kind} "${entity.name}" has no account`);
  if (account.simulated) return account;
  throw new Fault(
    deployerFaults.no_credentials,
    `the account "${account.name}" is a real one; credentials come with the next release`,
  );
}
