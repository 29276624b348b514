import { Fault } from "@cloudwright/platform";
import type { CloudRun } from "./cloud.ts";
import { deployerFaults } from "./faults.ts";
import { textOf } from "./read-spec.ts";
import type { DeployedAccount, DeployerTask } from "./task.ts";

/** The account of a task, refused when it is a real one of a cloud whose credentials cannot be handed to a run yet. */
export function requireAccount({ payload }: Pick<DeployerTask, "payload">): DeployedAccount {
  const { account, entity } = payload;
  if (account === null) throw new Fault(deployerFaults.bad_spec, `${entity.kind} "${entity.name}" has no account`);
  if (account.simulated || account.cloud === "aws") return account;
  throw new Fault(
    deployerFaults.no_credentials,
    `the account "${account.name}" is a real one of ${account.cloud}; of real accounts those of aws can be used`,
  );
}

/** What a cloud is given of a task. */
export function describeRun(task: Pick<DeployerTask, "task" | "payload" | "openCredentials">): CloudRun {
  const { entity, parents } = task.payload;
  const regions = [entity, ...parents].map(({ spec }) => textOf(spec["region"]));
  return {
    taskUid: task.task.uid,
    region: regions.find((region) => region !== "") ?? "",
    openCredentials: () => task.openCredentials(),
  };
}
