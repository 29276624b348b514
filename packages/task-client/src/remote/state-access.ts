import type { OpenCredentialsResponseSchema, OpenStateResponseSchema } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import type { TaskInfo } from "@cloudwright/contract/gen/cloudwright/v1/deployer_pb.ts";
import { Fault, Secret } from "@cloudwright/platform";
import { taskClientFaults } from "../faults.ts";
import type { HandlerContext, StateDoor } from "../handler.ts";

const withState = /\.(preflight|look|preview|plan|apply|destroy|check|access|addons)$/;

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

/** The account's spec with its secrets in clear, that goes to a deployer with the task; undefined where nothing is proven to any cloud. */
export async function openCredentialsFor(
  context: Pick<HandlerContext, "payload" | "openCredentials">,
): Promise<MessageInitShape<typeof OpenCredentialsResponseSchema> | undefined> {
  const { account } = context.payload;
  if (account === undefined || account.simulated) return undefined;
  return { spec: (await context.openCredentials()).reveal() };
}

/** The account's spec that came with a task. */
export function readCredentials({ type, credentials }: Pick<TaskInfo, "type" | "credentials">): Secret<JsonObject> {
  if (credentials?.spec === undefined) {
    throw new Fault(taskClientFaults.no_credentials, `the agent has sent no credentials with ${type}`);
  }
  return new Secret(credentials.spec);
}
