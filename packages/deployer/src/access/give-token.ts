import { Fault, Secret } from "@cloudwright/platform";
import type { OpenCloud } from "../cloud.ts";
import { describeRun } from "../credentials.ts";
import { deployerFaults } from "../faults.ts";
import type { DeployedAccount, DeployerTask, JsonObject, StateAccess } from "../task.ts";
import { accessNamespace, accountOf, renderAccessObjects } from "./access-objects.ts";
import { requireAddress, useCluster } from "./open-cluster.ts";

/** The task stands in no line of an entity with a state, and a real cloud asks for none. */
const noState: StateAccess = { address: "", lockAddress: "", unlockAddress: "", username: "", password: new Secret("") };

/** Asks a cluster for a token of a role, and hands it over; only when it ends is told. The account that it is of is made where it is missing. */
export async function giveToken(
  { openCloud }: { readonly openCloud: OpenCloud },
  task: DeployerTask,
  account: DeployedAccount,
): Promise<JsonObject> {
  const { access } = task.payload;
  if (access === undefined) throw new Fault(deployerFaults.bad_spec, "the task does not say whom the token is for");
  const address = requireAddress(task);
  const cloud = await openCloud(account, noState, describeRun(task));
  try {
    return await useCluster(cloud, address, async ({ client }) => {
      task.progress(10, `ask ${new URL(address.endpoint).host} for a token of role ${access.role}`);
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
