import type { OpenStateResponseSchema } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { TaskInfo } from "@cloudwright/contract/gen/cloudwright/v1/deployer_pb.ts";
import { Fault, Secret } from "@cloudwright/platform";
import { taskClientFaults } from "../faults.ts";
import type { HandlerContext, StateDoor } from "../handler.ts";

const withState = /\.(plan|apply|destroy|check)$/;

/** The access to the entity's state that goes to a deployer with the task; undefined for work without a state. It holds a secret in clear. */
export async function openStateFor(
  context: Pick<HandlerContext, "task" | "openState">,
): Promise<MessageInitShape<typeof OpenStateResponseSchema> | undefined> {
  if (!withState.test(context.task.type)) return undefined;
  const { password, ...door } = await context.openState();
  return { ...door, password: password.reveal() };
}

/** The access that came with a task. */
export function readStateAccess({ type, state }: Pick<TaskInfo, "type" | "state">): StateDoor {
  if (state === undefined) throw new Fault(taskClientFaults.no_state, `the agent has sent no access to a state with ${type}`);
  const { address, lockAddress, unlockAddress, username, password } = state;
  return { address, lockAddress, unlockAddress, username, password: new Secret(password) };
}
