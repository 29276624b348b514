import { isEntityOf } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { withCluster } from "../access/open-cluster.ts";
import type { OpenCloud } from "../cloud.ts";
import { deployerFaults } from "../faults.ts";
import type { Finding } from "../preflight/question.ts";
import { textOf } from "../read-spec.ts";
import type { DeployedAccount, DeployerTask } from "../task.ts";
import { listApisInUse } from "./list-apis-in-use.ts";
import { findRemovedInUse, listRemovedApis } from "./removed-apis.ts";

const shown = 20;

/**
 * Throws if the requested version is older than the running one, or if the requested version removes API versions that objects in the
 * cluster still use. Adding `removed-apis` to the task's `allow` list skips the second check.
 */
export async function checkUpgrade(
  deps: { readonly openCloud: OpenCloud },
  task: DeployerTask,
  account: DeployedAccount,
): Promise<void> {
  const findings = await findUpgradeObstacles(deps, task, account);
  const [first] = findings;
  if (first === undefined) return;
  if (first.code === deployerFaults.downgrade.code)
    throw new Fault(deployerFaults.downgrade, first.message, { fields: findings });
  const more = findings.length > shown ? ` and ${findings.length - shown} more` : "";
  const said = findings.slice(0, shown).map(({ message }) => message);
  const message = `${task.payload.entity.name} cannot be upgraded: ${said.join("; ")}${more}`;
  throw new Fault(deployerFaults.removed_apis, message, { fields: findings });
}

/** Returns the problems that prevent an upgrade to the requested version. Each object that uses a removed API is a separate finding. */
export async function findUpgradeObstacles(
  deps: { readonly openCloud: OpenCloud },
  task: DeployerTask,
  account: DeployedAccount,
): Promise<readonly Finding[]> {
  const { entity, outputs, allow } = task.payload;
  if (!isEntityOf(entity, "Cluster")) return [];
  const [from, to] = [minorOf(textOf(outputs["version"])), minorOf(entity.spec.version)];
  if (from === undefined || to === undefined) return [];
  const field = "spec.version";
  if (to < from) {
    // The cloud has upgraded the cluster automatically, and the run leaves its version unchanged.
    if (outputs["upgraded_by_cloud"] === true) return [];
    const { code, help } = deployerFaults.downgrade;
    return [{ field, message: `${entity.name} runs 1.${from} and cannot be downgraded to 1.${to}`, help, code }];
  }
  const removed = listRemovedApis(from, to);
  if (removed.length === 0 || allow.includes("removed-apis")) return [];
  const used = await withCluster(deps, task, account, async ({ client }) =>
    findRemovedInUse(removed, await listApisInUse(client, removed, task.signal)),
  );
  const { code, help } = deployerFaults.removed_apis;
  return used.map((object) => ({ field, message: `${object} uses an API that 1.${to} removes`, help, code }));
}

function minorOf(version: string): number | undefined {
  const minor = /^v?1\.(?<minor>\d+)/.exec(version)?.groups?.["minor"];
  return minor === undefined ? undefined : Number(minor);
}
