import { Fault } from "@cloudwright/platform";
import type { Cloud, OpenCloud } from "../cloud.ts";
import { describeRun } from "../credentials.ts";
import type { DeployedAccount, DeployerTask, StateAccess } from "../task.ts";

/** A task's connections. Each one is opened on first use and then reused. */
export interface TaskSession {
  /** Opens the endpoint that stores the entity's state and plans. */
  openEndpoint(): Promise<StateAccess>;
  openCloud(): Promise<Cloud>;
  /** Returns a fault that names the underlying cause, or the error itself if the cause is unknown. */
  explain(error: unknown): unknown;
  close(): Promise<void>;
}

/** Creates a session without opening any connection. */
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
