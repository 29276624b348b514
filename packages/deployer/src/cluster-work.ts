import type { TaskAction } from "@cloudwright/contract";
import { requestToken } from "./access/request-token.ts";
import { reachCluster } from "./access/reach-cluster.ts";
import { installAddOns, type AddOnDeps } from "./addons/install-add-ons.ts";
import type { DeployedAccount, DeployerOutcome, DeployerTask } from "./task.ts";

type ClusterWork = (deps: AddOnDeps, task: DeployerTask, account: DeployedAccount) => Promise<DeployerOutcome>;

/** Task actions that use the Kubernetes API of an existing cluster and need no executor. */
export const clusterWork: Readonly<Partial<Record<TaskAction, ClusterWork>>> = {
  access: async (deps, task, account) => ({ outcome: "done", outputs: await reachCluster(deps, task, account) }),
  addOns: installAddOns,
  token: async (deps, task, account) => ({ outcome: "done", outputs: await requestToken(deps, task, account) }),
};
