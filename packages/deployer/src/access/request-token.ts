import { Fault, Secret } from "@cloudwright/platform";
import type { OpenCloud } from "../cloud.ts";
import { describeRun } from "../credentials.ts";
import { deployerFaults } from "../faults.ts";
import type { DeployedAccount, DeployerTask, JsonObject, StateAccess } from "../task.ts";
import { accessNamespace, accountOf, renderAccessObjects } from "./access-objects.ts";
import { requireAddress, useCluster } from "./open-cluster.ts";

/** Token tasks have no Terraform state, and opening a real cloud does not require one. */
const noState: StateAccess = { address: "", lockAddress: "", unlockAddress: "", username: "", password: new Secret("") };

/**
 * Requests a token from the cluster and passes it to `task.keepToken`. The outputs contain only the token's expiry time. Creates the
 * service account if it is missing.
 */
export async function requestToken(
  { openCloud }: { readonly openCloud: OpenCloud },
  task: DeployerTask,
  account: DeployedAccount,
): Promise<JsonObject> {
  const { access } = task.payload;
  if (access === undefined) throw new Fault(deployerFaults.bad_spec, "the task does not specify the token's role");
  const address = requireAddress(task);
  const cloud = await openCloud(account, noState, describeRun(task));
  try {
    return await useCluster(cloud, address, async ({ client }) => {
      task.progress(10, `requesting a token with the ${access.role} role from ${new URL(address.endpoint).host}`);
      for (const object of renderAccessObjects(access.role)) await client.apply(object, { signal: task.signal });
      const wanted = { namespace: accessNamespace, name: accountOf(access.role) };
      const { token, expiresAt } = await client.createToken(wanted, access.ttlSeconds, task.signal);
      await task.keepToken(token, expiresAt);
      return { expires_at: expiresAt.toISOString() };
    });
  } finally {
    await cloud.close();
  }
}
