import { Fault } from "@cloudwright/platform";
import { withCluster } from "../access/open-cluster.ts";
import type { OpenCloud } from "../cloud.ts";
import { deployerFaults } from "../faults.ts";
import { textOf } from "../read-spec.ts";
import type { DeployedAccount, DeployerTask } from "../task.ts";
import { listApisInUse } from "./list-apis-in-use.ts";
import { findRemovedInUse, listRemovedApis } from "./removed-apis.ts";

const shown = 20;

/**
 * Refuses a version below the one that runs, and one that removes versions of the API that objects in the cluster are written with: after the
 * upgrade nobody could write them so again. Whoever knows better asks with `removed-apis` among what the change may do.
 */
export async function checkUpgrade(
  deps: { readonly openCloud: OpenCloud },
  task: DeployerTask,
  account: DeployedAccount,
): Promise<void> {
  const { entity, outputs, allow = [] } = task.payload;
  const [from, to] = [minorOf(textOf(outputs["version"])), minorOf(textOf(entity.spec["version"]))];
  if (from === undefined || to === undefined) return;
  if (to < from) {
    const message = `${entity.name} runs 1.${from}, and no control plane goes back to 1.${to}`;
    throw new Fault(deployerFaults.downgrade, message);
  }
  const removed = listRemovedApis(from, to);
  if (removed.length === 0 || allow.includes("removed-apis")) return;
  const used = await withCluster(deps, task, account, async ({ client }) =>
    findRemovedInUse(removed, await listApisInUse(client, removed, task.signal)),
  );
  if (used.length === 0) return;
  const more = used.length > shown ? ` and ${used.length - shown} more` : "";
  const message = `1.${to} removes versions of the API that are in use in ${entity.name}: ${used.slice(0, shown).join(", ")}${more}`;
  throw new Fault(deployerFaults.removed_apis, message);
}

function minorOf(version: string): number | undefined {
  const minor = /^v?1\.(?<minor>\d+)/.exec(version)?.groups?.["minor"];
  return minor === undefined ? undefined : Number(minor);
}
