import type { OpenCredentialsResponseSchema, OpenStateResponseSchema } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import type { TaskInfo } from "@cloudwright/contract/gen/cloudwright/v1/deployer_pb.ts";
import { Fault, Secret } from "@cloudwright/platform";
import { taskClientFaults } from "../faults.ts";
import type { HandlerContext, StateEndpoint } from "../handler.ts";
import { readOpenedBackend, renderOpenedBackend } from "../opened-backend.ts";

const withState =
  /^inventory\.verify$|\.(preflight|look|preview|plan|apply|destroy|check|adopt|forget|access|addons|hostkeys|console)$/;

/**
 * Opens access to the entity's state, to be sent to a deployer with the task. Returns undefined if the task type needs no state. The result
 * contains a secret in clear text.
 */
export async function openStateFor(
  context: Pick<HandlerContext, "task" | "openState">,
): Promise<MessageInitShape<typeof OpenStateResponseSchema> | undefined> {
  if (!withState.test(context.task.type)) return undefined;
  const { password, backend, forgotten = [], secrets, lent, ...endpoint } = await context.openState();
  const own = {
    secrets: { ...secrets?.reveal() },
    lent: (lent?.reveal() ?? []).map((each) => ({ ...each, secrets: { ...each.secrets } })),
  };
  const access = { ...endpoint, password: password.reveal(), forgotten: [...forgotten], ...own };
  return backend === undefined ? access : { ...access, backend: renderOpenedBackend(backend) };
}

/** Returns the state access that the agent sent with the task. Throws if there is none. */
export function readStateAccess({ type, state }: Pick<TaskInfo, "type" | "state">): StateEndpoint {
  if (state === undefined) throw new Fault(taskClientFaults.no_state, `the agent did not send state access with ${type}`);
  const { address, lockAddress, unlockAddress, username, password, backend, forgotten, secrets, lent } = state;
  const own = {
    ...(Object.keys(secrets).length === 0 ? {} : { secrets: new Secret(secrets) }),
    ...(lent.length === 0 ? {} : { lent: new Secret(lent) }),
  };
  const access = { address, lockAddress, unlockAddress, username, password: new Secret(password), forgotten, ...own };
  return backend === undefined ? access : { ...access, backend: readOpenedBackend(backend) };
}

/**
 * Returns the account's spec, to be sent to a deployer with the task. It contains secrets in clear text. Returns undefined if the task
 * needs no credentials.
 */
export async function openCredentialsFor(
  context: Pick<HandlerContext, "payload" | "openCredentials">,
): Promise<MessageInitShape<typeof OpenCredentialsResponseSchema> | undefined> {
  const { account } = context.payload;
  if (account === undefined || account.simulated) return undefined;
  return { spec: (await context.openCredentials()).reveal() };
}

/** Returns the account's spec that the agent sent with the task. Throws if there is none. */
export function readCredentials({ type, credentials }: Pick<TaskInfo, "type" | "credentials">): Secret<JsonObject> {
  if (credentials?.spec === undefined) {
    throw new Fault(taskClientFaults.no_credentials, `the agent did not send credentials with ${type}`);
  }
  return new Secret(credentials.spec);
}
