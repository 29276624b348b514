import type { MachineAccess } from "@cloudwright/clouds";
import type { TaskSession } from "../executor/task-session.ts";
import { requireEntity, type DeployerTask } from "../task.ts";
import { getClaimedHost, listInstanceKeys, readInventorySecrets, renderMachine } from "./machine-access.ts";

interface OpenedTask {
  readonly task: Pick<DeployerTask, "payload">;
  readonly session: Pick<TaskSession, "openEndpoint">;
}

/** Returns how to log in to the machine that the task's instance has claimed. */
export async function openClaimedMachine({ task, session }: OpenedTask): Promise<MachineAccess> {
  const { inventory, host } = getClaimedHost(requireEntity(task, "Instance"), task.payload);
  return renderMachine(inventory, host, readInventorySecrets(await session.openEndpoint()), listInstanceKeys(task.payload));
}
