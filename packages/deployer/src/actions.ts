import { isPayloadOf, nextRunOutput, type TaskAction, type TaskRepair } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import type { AddOnDeps } from "./addons/install-add-ons.ts";
import { previewAddOns } from "./addons/preview-add-ons.ts";
import type { OpenView } from "./cloud.ts";
import { describePlan } from "./executor/describe-plan.ts";
import { describePreview } from "./executor/describe-preview.ts";
import type { Executor, ExecutorAction, ExecutorWork, RepairResult, ServiceExecutor } from "./executor/executor.ts";
import { addAuthors } from "./executor/find-authors.ts";
import { findOrigin } from "./configuration-origin.ts";
import { findNextRun } from "./executor/next-run.ts";
import { deliverPlan, takePlan } from "./executor/plan-endpoint.ts";
import { renderProblems } from "./executor/pool-problem.ts";
import { deployerFaults } from "./faults.ts";
import { previewUpgrade } from "./gates/preview-upgrade.ts";
import { checkUpgrade } from "./kubernetes/check-upgrade.ts";
import { look } from "./preflight/look.ts";
import { lookAhead } from "./preflight/look-ahead.ts";
import { textOf } from "./read-spec.ts";
import { destroyCluster } from "./sweep/destroy-cluster.ts";
import { previewRemoval } from "./sweep/preview-removal.ts";
import type { DeployerOutcome, DeployerTask, JsonObject } from "./task.ts";

export interface ActionDeps extends AddOnDeps {
  /** Opens a read-only view of an account for preflight checks. Without it, only the entity's own spec is checked. */
  readonly openView?: OpenView;
}

/** Everything that an action needs to run. */
export interface ActionWork extends ExecutorWork {
  readonly deps: ActionDeps;
  readonly service: ServiceExecutor;
  readonly executor: Executor;
}

/** Implements a task action on top of any executor. */
interface Action {
  readonly action: ExecutorAction;
  run(work: ActionWork): Promise<DeployerOutcome>;
}

/** Task actions that need an executor. */
export const actions: Readonly<Partial<Record<TaskAction, Action>>> = {
  preflight: { action: "preflight", run: runPreflight },
  plan: { action: "plan", run: runPlan },
  preview: { action: "preview", run: runPreview },
  apply: { action: "apply", run: runApply },
  destroy: { action: "destroy", run: runDestroy },
  findDrift: { action: "findDrift", run: runFindDrift },
  adoptResource: { action: "adoptResource", run: runAdoptResource },
  forgetResource: { action: "forgetResource", run: runForgetResource },
};

/** Checks for anything that could prevent a build, before any resource is created. */
async function runPreflight({ deps, task, account, service, executor }: ActionWork): Promise<DeployerOutcome> {
  await executor.preflight();
  if (service.isForeign === true) return { outcome: "done", outputs: {} };
  const isApart = service.isolatesPools === true && Object.keys(task.payload.outputs).length > 0;
  const warnings = await lookAhead(deps, task, service.service, account, { isApart });
  if (service.service === "cluster") await checkUpgrade(deps, task, account);
  return { outcome: "done", outputs: warnings.length === 0 ? {} : { findings: warnings.map((each) => ({ ...each })) } };
}

/** Adopts orphaned resources, makes a plan and stores it on the control plane for review. The agent does not keep a copy. */
async function runPlan({ task, session, executor }: ActionWork): Promise<DeployerOutcome> {
  await executor.adopt();
  const plan = await executor.plan();
  const described = describePlan(plan);
  task.progress(90, "storing the plan");
  const parcel = await plan.save();
  const upgrade = plan.upgradedFrom === undefined ? {} : { upgradedFrom: plan.upgradedFrom };
  await deliverPlan(await session.openEndpoint(), task.task.uid, { ...described, ...plan.base, ...upgrade, parcel }, task.signal);
  return { outcome: "done", outputs: { plan: task.task.uid, counts: described.counts } };
}

/** Reports the changes that a spec would cause and the problems that would prevent them. Discards the plan. */
async function runPreview({ deps, task, account, service, session, executor }: ActionWork): Promise<DeployerOutcome> {
  if (task.payload.deletion) {
    const stored = await executor.listResources?.();
    const { forgotten } = await session.openEndpoint();
    const { items, findings } = await previewRemoval(await session.openCloud(), task, { clock: deps.clock, stored, forgotten });
    return {
      outcome: "done",
      outputs: { items: items.map((item) => ({ ...item })), findings: findings.map((each) => ({ ...each })) },
    };
  }
  const findings =
    service.isForeign === true
      ? ((await executor.findMissingRights?.()) ?? [])
      : await look(deps, task, { service: service.service, account });
  const { changes } = await executor.plan();
  const { payload } = task;
  const items = [
    ...describePreview(changes, (change) => service.describeChange?.(change)),
    ...(isPayloadOf(payload, "Cluster") && service.isForeign !== true
      ? [
          ...previewAddOns(account.cloud, payload.formerSpec, payload.entity.spec),
          ...previewUpgrade(textOf(payload.outputs["version"]), payload.entity.spec),
        ]
      : []),
  ];
  return {
    outcome: "done",
    outputs: { items: items.map((item) => ({ ...item })), findings: findings.map((each) => ({ ...each })) },
  };
}

async function runApply({ task, session, executor }: ActionWork): Promise<DeployerOutcome> {
  const planUid = requirePlan(task);
  const {
    status,
    version,
    lockFile,
    problems = [],
  } = await executor.apply(async () => {
    task.progress(8, "fetching the plan");
    return takePlan(await session.openEndpoint(), planUid, task.signal);
  });
  const { outputs: former } = task.payload;
  const { [nextRunOutput]: _request, ...values } = status;
  const next = findNextRun(status, former);
  if (next !== undefined) task.log(`the operation continues with another run, which will ${next}`);
  const request = next === undefined ? {} : { [nextRunOutput]: next };
  for (const { pool, fault } of problems) task.log(`the node pool ${pool} could not be built: ${fault.message}`);
  const outputs: JsonObject = {
    ...values,
    ...request,
    ...renderProblems(problems),
    infra_version: version,
    infra_origin: findOrigin(former, version),
  };
  return { outcome: "done", outputs: lockFile === undefined ? outputs : { ...outputs, lock_file: lockFile } };
}

/**
 * Removes the entity's resources. Clusters need a separate procedure, because their workloads can create resources that no executor knows
 * about.
 */
async function runDestroy(work: ActionWork): Promise<DeployerOutcome> {
  if (work.service.service === "cluster") return destroyCluster(work.deps, work);
  await work.executor.destroy();
  return { outcome: "done", outputs: {} };
}

async function runFindDrift({ executor, task, session }: ActionWork): Promise<DeployerOutcome> {
  const drift = await addAuthors(task, () => session.openCloud(), await executor.findDrift());
  return { outcome: "done", outputs: drift as unknown as JsonObject };
}

async function runAdoptResource({ task, service, executor }: ActionWork): Promise<DeployerOutcome> {
  const repair = requireRepair(task);
  if (executor.adoptResource === undefined) throw cannotRepair(service);
  if (repair.id === "")
    throw new Fault(deployerFaults.bad_repair, `the task does not say which resource to adopt as ${repair.address}`);
  return finishRepair(task, await executor.adoptResource(repair));
}

async function runForgetResource({ task, service, executor }: ActionWork): Promise<DeployerOutcome> {
  if (executor.forgetResource === undefined) throw cannotRepair(service);
  return finishRepair(task, await executor.forgetResource(requireRepair(task)));
}

function cannotRepair({ name, service, cloud }: ServiceExecutor): Fault {
  const message = `the executor ${name} for ${service} in ${cloud} can neither adopt nor forget a single resource`;
  return new Fault(deployerFaults.not_supported, message);
}

function requireRepair({ payload, task }: Pick<DeployerTask, "payload" | "task">): TaskRepair {
  if (payload.repair !== undefined && payload.repair.address !== "") return payload.repair;
  throw new Fault(deployerFaults.bad_repair, `the task ${task.type} does not name a resource`);
}

function finishRepair({ log }: Pick<DeployerTask, "log">, { message, isChanged, adopted }: RepairResult): DeployerOutcome {
  log(message);
  return { outcome: "done", outputs: { message, changed: isChanged, ...adopted } };
}

/** Returns the plan uid from an apply task. Throws if the task does not name a plan. */
export function requirePlan({ payload }: Pick<DeployerTask, "payload">): string {
  if (payload.plan !== undefined && payload.plan !== "") return payload.plan;
  throw new Fault(deployerFaults.no_plan, `the apply task for ${payload.entity.name} does not name a plan`);
}
