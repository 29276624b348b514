import { listPlugInTaskTypes, parseTaskType, taskTypes, type PlugInTaskType } from "@cloudwright/contract";
import { Fault, withLeft } from "@cloudwright/platform";
import { actions, requirePlan, type ActionDeps } from "./actions.ts";
import { chooseExecutor, listExecutors, type ExecutorChoices } from "./choose-executor.ts";
import type { OpenCloud, VerifyAccount } from "./cloud.ts";
import { clusterWork } from "./cluster-work.ts";
import { requireAccount } from "./credentials.ts";
import type { ExecutorWork, ServiceExecutor } from "./executor/executor.ts";
import { createTaskSession } from "./executor/task-session.ts";
import { discoverClusters } from "./existing/discover-clusters.ts";
import { deployerFaults } from "./faults.ts";
import { instanceWork } from "./instance/instance-work.ts";
import { checkInventory } from "./inventory/inventory-work.ts";
import { manageImages } from "./images/manage-images.ts";
import { look } from "./preflight/look.ts";
import { provisionerOf } from "./provisioner.ts";
import { listLeft } from "./sweep/list-left.ts";
import type { DeployerOutcome, DeployerTask } from "./task.ts";
import { verifyAccount } from "./verify-account.ts";

export interface DeployerDeps extends ExecutorChoices, ActionDeps {
  readonly openCloud: OpenCloud;
  /** If absent, verifying a real account fails. */
  readonly verifyAccount?: VerifyAccount;
}

/** Runs tasks for accounts and for all entities that executors build. */
export interface Deployer {
  /** Task types that the deployer handles. */
  readonly types: readonly string[];
  /** Removes files that an earlier process left behind. Called once, after the agent has locked its directory. */
  open(): void;
  handle(task: DeployerTask): Promise<DeployerOutcome>;
}

/** Creates a deployer for the built-in services and those of plug-ins. */
export function createDeployer(deps: DeployerDeps): Deployer {
  const executors = listExecutors(deps);
  const services = [...new Set(executors.map(({ service }) => service))];
  const own = taskTypes.flatMap((name) => parseTaskType(name) ?? []);
  const types = new Map<string, PlugInTaskType>(
    [...services.flatMap(listPlugInTaskTypes), ...own].map((type) => [type.name, type]),
  );
  return {
    types: [...types.keys()],
    open: () => deps.warm?.open(),
    async handle(task) {
      try {
        return await handleTask(deps, { executors, types }, task);
      } catch (error) {
        if (isCancellation(error, task.signal)) return { outcome: "cancelled" };
        throw error;
      }
    },
  };
}

async function handleTask(
  deps: DeployerDeps,
  { executors, types }: { readonly executors: readonly ServiceExecutor[]; readonly types: ReadonlyMap<string, PlugInTaskType> },
  task: DeployerTask,
): Promise<DeployerOutcome> {
  const account = requireAccount(task);
  const type = types.get(task.task.type);
  if (type === undefined) throw new Fault(deployerFaults.no_stack, `no deployer handles tasks of type "${task.task.type}"`);
  const { service, action: name } = type;
  if (service === "inventory" && (name === "verify" || name === "findDrift")) return checkInventory(deps, task, account, name);
  const withoutExecutor = clusterWork[name] ?? instanceWork[name];
  if (withoutExecutor !== undefined) return withoutExecutor(deps, task, account);
  if (name === "manageImages") return manageImages(deps, task, account);
  if (name === "discover") return discoverClusters(deps, task, account);
  if (name === "verify") return { outcome: "done", outputs: await verifyAccount(deps, task, account) };
  const executor = chooseExecutor(executors, { service, cloud: account.cloud, provisioner: provisionerOf(task.payload.entity) });
  if (name === "listFindings") {
    const checkWords = (): void => executor.checkSpec({ task, account, action: "preflight" });
    const findings = await look(deps, task, { service, account, checkWords });
    return { outcome: "done", outputs: { findings: findings.map((each) => ({ ...each })) } };
  }
  const action = actions[name];
  if (action === undefined) throw new Fault(deployerFaults.no_stack, `no deployer handles tasks of type "${task.task.type}"`);
  // Checked early, so that a task without a plan does not open the state.
  if (action.action === "apply") requirePlan(task);
  const session = createTaskSession(deps, task, account);
  return withExecutor(executor, { task, account, action: action.action, session }, (opened) =>
    action.run({ ...opened, deps, service: executor }),
  );
}

/**
 * Runs `run` with an open executor, then closes the executor and the session. The executor or the cloud may replace a fault with one that
 * names the underlying cause.
 */
async function withExecutor(
  service: ServiceExecutor,
  work: ExecutorWork,
  run: (opened: ExecutorWork & { executor: ReturnType<ServiceExecutor["open"]> }) => Promise<DeployerOutcome>,
): Promise<DeployerOutcome> {
  try {
    const executor = service.open(work);
    let succeeded = false;
    try {
      const outcome = await run({ ...work, executor });
      succeeded = true;
      await executor.close(true);
      if (work.action === "destroy" && outcome.outcome === "done") service.forget?.(work.task.payload.entity.uid);
      return outcome;
    } finally {
      if (!succeeded) await executor.close(false);
    }
  } catch (error) {
    const cause = work.session.explain(error);
    if (!(cause instanceof Fault)) throw cause;
    const fault = service.explain?.(cause) ?? cause;
    if (work.action !== "destroy" || isCancellation(fault, work.task.signal)) throw fault;
    throw withLeft(fault, await listLeft(work));
  } finally {
    await work.session.close();
  }
}

/** A cancelled wait for a cluster rejects with the signal's reason. A cancelled executor may reject with a fault instead. */
function isCancellation(error: unknown, signal: AbortSignal): boolean {
  if (error instanceof Fault && error.code === deployerFaults.cancelled.code) return true;
  return signal.aborted && error === signal.reason;
}
