import type { TaskAction } from "@cloudwright/contract";
import { requestToken } from "./access/request-token.ts";
import { reachCluster } from "./access/reach-cluster.ts";
import { installAddOns, type AddOnDeps } from "./addons/install-add-ons.ts";
import { runGates } from "./gates/run-gates.ts";
import type { DeployedAccount, DeployerOutcome, DeployerTask } from "./task.ts";

type ClusterWork = (deps: AddOnDeps, task: DeployerTask, account: DeployedAccount) => Promise<DeployerOutcome>;

/** Task actions that use the Kubernetes API of an existing cluster and do not need an executor. */
export const clusterWork: Readonly<Partial<Record<TaskAction, ClusterWork>>> = {
  access: async (deps, task, account) => ({ outcome: "done", outputs: await reachCluster(deps, task, account) }),
  addOns: installAddOns,
  token: async (deps, task, account) => ({ outcome: "done", outputs: await requestToken(deps, task, account) }),
  gates: async (deps, task, account) => ({ outcome: "done", outputs: await runGates(deps, task, account) }),
};
