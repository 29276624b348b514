import { findAccount } from "@cloudwright/contract";
import { cloudNames, findCloud, getCloud } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import type { CloudRun } from "./cloud.ts";
import { deployerFaults } from "./faults.ts";
import { textOf } from "./read-spec.ts";
import type { DeployedAccount, DeployerTask } from "./task.ts";

/** Returns the task's account. Throws if the account is real and this release does not support real accounts in its cloud. */
export function requireAccount({ payload }: Pick<DeployerTask, "payload">): DeployedAccount {
  const { account, entity } = payload;
  if (account === undefined) throw new Fault(deployerFaults.bad_spec, `${entity.kind} "${entity.name}" has no account`);
  if (account.simulated || findCloud(account.cloud)?.isSupported === true) return account;
  const supported = cloudNames.filter((name) => getCloud(name).isSupported).join(", ");
  const message = `the account "${account.name}" is a real account in ${account.cloud}; this release supports real accounts only in ${supported}`;
  throw new Fault(deployerFaults.no_credentials, message);
}

export function describeRun(task: Pick<DeployerTask, "task" | "payload" | "openCredentials">): CloudRun {
  const { entity, parents, outputs } = task.payload;
  const verified = findAccount([{ ...entity, outputs }, ...parents]);
  const regions = [entity, ...parents].map(({ spec }) => findRegion(spec));
  return {
    taskUid: task.task.uid,
    region: regions.find((region) => region !== "") ?? "",
    accountId: textOf(verified?.outputs["account_id"]),
    openCredentials: () => task.openCredentials(),
  };
}

/** Returns the region in a spec, or an empty string. For clusters that the platform did not create, the region is in `spec.existing`. */
function findRegion(spec: DeployerTask["payload"]["entity"]["spec"]): string {
  if ("region" in spec) return spec.region;
  const existing = "existing" in spec ? spec.existing : undefined;
  return typeof existing === "object" ? existing.region : "";
}
