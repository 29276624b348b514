import { Fault } from "@cloudwright/platform";
import type { Cloud, OpenCloud } from "../cloud.ts";
import { describeRun } from "../credentials.ts";
import type { DeployedAccount, DeployerTask, StateAccess } from "../task.ts";

/** The connections of one task. Each is opened when it is first needed, and only once. */
export interface TaskSession {
  /** Opens the endpoint for the entity's state and plans. */
  openEndpoint(): Promise<StateAccess>;
  /** Opens the account's cloud. */
  openCloud(): Promise<Cloud>;
  /** Returns the cause that the cloud knows for a failure, or the error itself. */
  explain(error: unknown): unknown;
  close(): Promise<void>;
}

/** Prepares the connections of a task. */
export function createTaskSession(
  { openCloud }: { readonly openCloud: OpenCloud },
  task: DeployerTask,
  account: DeployedAccount,
): TaskSession {
  let endpoint: Promise<StateAccess> | undefined;
  let opening: Promise<Cloud> | undefined;
  let cloud: Cloud | undefined;
  const openEndpoint = (): Promise<StateAccess> => (endpoint ??= task.openState());
  const open = async (): Promise<Cloud> => {
    cloud = await openCloud(account, await openEndpoint(), describeRun(task));
    return cloud;
  };
  return {
    openEndpoint,
    openCloud: () => (opening ??= open()),
    explain: (error) => (error instanceof Fault ? (cloud?.explain?.(error) ?? error) : error),
    close: async () => cloud?.close(),
  };
}
