import { Fault } from "@cloudwright/platform";
import { terraformFaults, type ResourceImport } from "@cloudwright/terraform";
import { join } from "node:path";
import { deployerFaults } from "../../faults.ts";
import { defaultProvisioner } from "../../provisioner.ts";
import type { Stack } from "../../stack.ts";
import type { ExecutorAction, ExecutorWork, OpenedExecutor, ServiceExecutor } from "../executor.ts";
import { findLost } from "./adopt.ts";
import { applyStack } from "./apply.ts";
import { destroyStack } from "./destroy.ts";
import { readState } from "../state-lock.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { findExternalBackend } from "./external-backend.ts";
import { findStackDrift } from "./find-drift.ts";
import { renderVariables } from "./guard-stack.ts";
import { openRun, type OpenedRun, type RunDeps, type RunMode } from "./open-run.ts";
import { planStack } from "./plan.ts";
import { adoptFound, forgetResource, listStored, probeResource, requireDeclared } from "./repair.ts";
import type { Run } from "./run.ts";
import { chooseSubject, type Subject } from "./subject.ts";
import { withoutSpec } from "./without-spec.ts";

export interface TerraformDeps extends RunDeps {
  /** Folders of configurations that take precedence over the built-in ones. */
  readonly configurations?: readonly string[];
}

/** Creates an executor that builds a stack with Terraform. Its state document is the Terraform state. */
export function createTerraformExecutor(deps: TerraformDeps, stack: Stack): ServiceExecutor {
  const choose = (work: Omit<ExecutorWork, "session">): Subject => chooseSubject(deps.configurations ?? [], stack, work);
  return {
    name: "terraform",
    provisioner: defaultProvisioner,
    service: stack.service,
    cloud: stack.cloud,
    ...(stack.poolOf === undefined ? {} : { isolatesPools: true }),
    checkSpec: (work) => checkSpec(work, choose(work)),
    open: (work) => openExecutor(deps, work, choose(work)),
    describeChange: (change) => stack.describeChange?.(change),
    explain: (fault) =>
      fault.code === terraformFaults.cancelled.code
        ? new Fault(deployerFaults.cancelled, fault.message, { cause: fault })
        : explainRefusal(fault),
    forget: (entityUid) => deps.warm?.drop(entityUid),
  };
}

function checkSpec({ task, account }: Pick<ExecutorWork, "task" | "account">, { stack, configuration }: Subject): void {
  renderVariables(stack, task, account, configuration.version);
}

function openExecutor(deps: TerraformDeps, work: ExecutorWork, chosen: Subject): OpenedExecutor {
  const { task, session, action } = work;
  let subject = chosen;
  let opened: OpenedRun | undefined;
  let imports: readonly ResourceImport[] = [];
  const open = async (): Promise<Run> => {
    opened ??= await openRun(deps, session, task, subject, modeOf(action, task.payload.formerSpec !== undefined));
    return opened.run;
  };
  const close = async (succeeded: boolean): Promise<void> => {
    const closing = opened;
    opened = undefined;
    await closing?.close(succeeded);
  };
  /** If work that needs only the state fails because of an invalid spec, retries it without the spec. */
  const despiteSpec = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    try {
      return await attempt();
    } catch (error) {
      const bare = withoutSpec(task, subject, error);
      if (bare === undefined) throw error;
      await close(false);
      subject = bare;
      return attempt();
    }
  };
  /** Runs `use` with an empty state in a directory of its own. The state and the directory are discarded afterwards. */
  const withEmptyState = async <Result>(use: (run: Run) => Promise<Result>): Promise<Result> => {
    const aside = { ...task, directory: join(task.directory, "probe"), resumed: false };
    // A warm directory cannot be used here, because it is initialised for the entity's own state.
    const { warm: _warm, ...cold } = deps;
    const probe = await openRun(cold, session, aside, subject, { startsEmpty: true, mayStayWarm: false, observes: false });
    try {
      return await use(probe.run);
    } finally {
      await probe.close(true);
    }
  };
  return {
    async preflight() {
      checkSpec(work, subject);
      await deps.binaries.get("terraform", subject.configuration.terraform, task.signal);
    },
    async adopt() {
      ({ imports } = await findLost(task, subject, await open()));
      return imports.map(({ address }) => address);
    },
    plan: async () => planStack(task, subject, await open(), imports),
    apply: async (takeSavedPlan) => applyStack(task, subject, await open(), takeSavedPlan),
    destroy: (beforeRemoval = async () => undefined) =>
      despiteSpec(async () => {
        const run = await open();
        await beforeRemoval();
        await destroyStack(task, subject, run);
      }),
    async listResources() {
      const endpoint = await session.openEndpoint();
      const isExternal = findExternalBackend(deps, subject, task, endpoint) !== undefined;
      // Only Terraform can read a state in an external backend.
      if (isExternal) return despiteSpec(async () => listStored(await open()));
      return listStored({ readState: () => readState(endpoint) });
    },
    findDrift: async () => findStackDrift(task, subject, await open()),
    adoptResource: (resource) =>
      despiteSpec(async () => {
        requireDeclared(subject.configuration, resource.address);
        // Nothing is written before the resource has been checked, so a killed agent never leaves another entity's resource in the state.
        const found = await withEmptyState((probe) => probeResource(task, probe, resource));
        return adoptFound(task, await open(), resource, found);
      }),
    forgetResource: (resource) => despiteSpec(async () => forgetResource(task, await open(), resource)),
    close,
  };
}

const writesState: ReadonlySet<ExecutorAction> = new Set(["apply", "destroy", "adoptResource", "forgetResource"]);

/**
 * Actions whose variables must reflect the cloud's current state. If the cloud has changed since the plan was made, the apply rejects the
 * plan and a new one is made.
 */
const observing: ReadonlySet<ExecutorAction> = new Set(["plan", "preview", "apply"]);

/** The directory of a run that does not write the state can be reused. A preview of a new entity starts from an empty state. */
function modeOf(action: ExecutorAction, exists: boolean): RunMode {
  const startsEmpty = action === "preview" && !exists;
  return { startsEmpty, mayStayWarm: !startsEmpty && !writesState.has(action), observes: observing.has(action) };
}
