import { Fault } from "@cloudwright/platform";
import { giveToken } from "./access/give-token.ts";
import { reachCluster } from "./access/reach-cluster.ts";
import { installAddOns, type AddOnDeps } from "./addons/install-add-ons.ts";
import { checkOverrides, taggingAttributes, terraformFaults } from "@cloudwright/terraform";
import type { OpenView, VerifyAccount } from "./cloud.ts";
import { chooseConfiguration, findBuiltConfiguration } from "./executor/terraform/choose-configuration.ts";
import { listConfigurations, ownConfigurations, type Configuration } from "./executor/terraform/configurations.ts";
import { describeRun, requireAccount } from "./credentials.ts";
import { deployerFaults } from "./faults.ts";
import { renderVariables } from "./executor/terraform/guard-stack.ts";
import { readInfraWishes, type InfraWishes } from "./executor/terraform/infra-settings.ts";
import { awsKubernetes } from "./kubernetes/aws/stack.ts";
import { checkUpgrade } from "./kubernetes/check-upgrade.ts";
import { awsNetwork } from "./network/aws/stack.ts";
import { look } from "./preflight/look.ts";
import { lookAhead } from "./preflight/look-ahead.ts";
import { applyStack, requirePlan } from "./executor/terraform/apply.ts";
import { checkStack } from "./executor/terraform/find-drift.ts";
import { destroyStack } from "./executor/terraform/destroy.ts";
import { destroyCluster } from "./sweep/destroy-cluster.ts";
import { explainRefusal } from "./executor/terraform/explain-refusal.ts";
import { withRun, type Run, type RunDeps, type Subject } from "./executor/terraform/open-run.ts";
import { planStack } from "./executor/terraform/plan.ts";
import { previewStack } from "./executor/terraform/preview.ts";
import { withoutSpec } from "./executor/terraform/without-spec.ts";
import type { Stack } from "./stack.ts";
import { awsStorage } from "./storage/aws/stack.ts";
import type { DeployedAccount, DeployerOutcome, DeployerTask, JsonObject } from "./task.ts";

/** What a deployer works with. */
export interface DeployerDeps extends RunDeps, AddOnDeps {
  /** Stacks from outside of the product; one of the same service and cloud takes the place of the product's own. */
  readonly stacks?: readonly Stack[];
  /** Folders of configurations from outside of the product, looked into before its own. */
  readonly configurations?: readonly string[];
  /** Without it no real account is good. */
  readonly verifyAccount?: VerifyAccount;
  /** Without it nothing is looked at ahead but the entity's own words. */
  readonly openView?: OpenView;
}

/** Does tasks of accounts and of what is built with Terraform. */
export interface Deployer {
  /** The types of tasks that it does. */
  readonly types: readonly string[];
  /** Called once the agent's directory is its own: removes what an earlier life was killed in. */
  open(): void;
  handle(task: DeployerTask): Promise<DeployerOutcome>;
}

const ownStacks: readonly Stack[] = [awsNetwork, awsKubernetes, awsStorage];

interface Action {
  readonly act: (task: DeployerTask, subject: Subject, run: Run, deps: DeployerDeps) => Promise<DeployerOutcome>;
  /** It builds what the entity asks for, in the version that it asks for; the others deal with what was built. */
  readonly builds: boolean;
  /** Its working directory may stay. One that changes the state has its own, where an unsaved state is found again. */
  readonly warm: boolean;
}

const actions: Readonly<Record<string, Action>> = {
  plan: { act: toEnd(planStack), builds: true, warm: true },
  preview: { act: preview, builds: true, warm: true },
  apply: { act: toEnd(applyStack), builds: true, warm: false },
  destroy: { act: destroy, builds: false, warm: false },
  check: { act: toEnd(checkStack), builds: false, warm: true },
};

function toEnd(act: (task: DeployerTask, subject: Subject, run: Run) => Promise<JsonObject>): Action["act"] {
  return async (task, subject, run) => ({ outcome: "done", outputs: await act(task, subject, run) });
}

/** What a change would do, and what would keep it from being done. */
async function preview(task: DeployerTask, subject: Subject, run: Run, deps: DeployerDeps): Promise<DeployerOutcome> {
  const { stack, account } = subject;
  const findings = await look(deps, task, { service: stack.service, account });
  const outputs = await previewStack(task, subject, run);
  return { outcome: "done", outputs: { ...outputs, findings: findings.map((each) => ({ ...each })) } };
}

/** What runs in a cluster has made things in the cloud that no state knows. */
async function destroy(task: DeployerTask, subject: Subject, run: Run, deps: DeployerDeps): Promise<DeployerOutcome> {
  if (subject.stack.service === "cluster") return destroyCluster(deps, task, subject, run);
  return { outcome: "done", outputs: await destroyStack(task, subject, run) };
}

/** What is done in a cluster that a run has built. */
const clusterWork: Readonly<
  Record<string, (deps: AddOnDeps, task: DeployerTask, account: DeployedAccount) => Promise<DeployerOutcome>>
> = {
  "cluster.access": async (deps, task, account) => ({ outcome: "done", outputs: await reachCluster(deps, task, account) }),
  "cluster.addons": installAddOns,
  "cluster.token": async (deps, task, account) => ({ outcome: "done", outputs: await giveToken(deps, task, account) }),
};

/** Builds a deployer for the product's stacks and those that are given to it. */
export function createDeployer(deps: DeployerDeps): Deployer {
  const stacks = [...(deps.stacks ?? []), ...ownStacks];
  const services = [...new Set([...ownStacks, ...stacks].map(({ service }) => service))];
  const types = services.flatMap((service) =>
    ["preflight", "look", ...Object.keys(actions)].map((action) => `${service}.${action}`),
  );
  return {
    types: ["account.verify", ...types, ...Object.keys(clusterWork)],
    open: () => deps.warm?.open(),
    async handle(task) {
      try {
        const inCluster = clusterWork[task.task.type];
        if (inCluster !== undefined) return await inCluster(deps, task, requireAccount(task));
        return await work(deps, stacks, task);
      } catch (error) {
        // Whoever waits for a cluster is stopped by the signal itself, a run by whoever has started its programs.
        if (task.signal.aborted && error === task.signal.reason) return { outcome: "cancelled" };
        if (error instanceof Fault && error.code === terraformFaults.cancelled.code) return { outcome: "cancelled" };
        throw explainRefusal(error);
      }
    },
  };
}

async function work(deps: DeployerDeps, stacks: readonly Stack[], task: DeployerTask): Promise<DeployerOutcome> {
  const [service = "", name = ""] = task.task.type.split(".");
  const account = requireAccount(task);
  if (service === "account") return { outcome: "done", outputs: await verify(deps, task, account) };
  const stack = findStack(stacks, service, account.cloud);
  const choose = (): Subject => chooseSubject(deps, stack, task, account);
  const checkWords = (subject: Subject): void => void renderVariables(stack, task, account, subject.configuration.version);
  if (name === "look") {
    const findings = await look(deps, task, { service, account, checkWords: () => checkWords(choose()) });
    return { outcome: "done", outputs: { findings: findings.map((each) => ({ ...each })) } };
  }
  const subject = choose();
  const action = actions[name];
  if (action === undefined) {
    // What would be refused later is refused before anything is made.
    checkWords(subject);
    await deps.binaries.get("terraform", subject.configuration.terraform, task.signal);
    await lookAhead(deps, task, service, account);
    if (service === "cluster") await checkUpgrade(deps, task, account);
    return { outcome: "done", outputs: {} };
  }
  if (name === "apply") requirePlan(task);
  const unbuilt = name === "preview" && task.payload.formerSpec === undefined;
  const how = { warm: action.warm && !unbuilt, unbuilt };
  const runOn = (of: Subject): Promise<DeployerOutcome> => withRun(deps, task, of, how, (run) => action.act(task, of, run, deps));
  const end = await runOn(subject).catch((error: unknown) => {
    const bare = name === "destroy" ? withoutSpec(task, subject, error) : undefined;
    if (bare === undefined) throw error;
    return runOn(bare);
  });
  if (name === "destroy" && end.outcome === "done") deps.warm?.drop(task.payload.entity.uid);
  return end;
}

/** The configuration that a task is about, and how it is to be built; an upgrade of it is explicit. */
function chooseSubject(deps: DeployerDeps, stack: Stack, task: DeployerTask, account: DeployedAccount): Subject {
  const { service, folder } = stack;
  const name = task.task.type.split(".")[1] ?? "";
  const { entity, outputs } = task.payload;
  const wishes = name === "destroy" ? forRemoval(readInfraWishes(entity)) : readInfraWishes(entity);
  const known = listConfigurations([...(deps.configurations ?? []), ownConfigurations], folder ?? service, account.cloud);
  const current = outputs["infra_version"];
  const wish = { current: typeof current === "string" ? current : undefined, wanted: wishes.version };
  const choose = actions[name]?.builds === false ? findBuiltConfiguration : chooseConfiguration;
  const configuration = choose(`a ${service} in the cloud "${account.cloud}"`, known, wish);
  refuseOverrides(configuration, wishes);
  return { stack, configuration, account, wishes };
}

async function verify(deps: DeployerDeps, task: DeployerTask, account: DeployedAccount): Promise<JsonObject> {
  if (account.simulated) return { account_id: `simulated-${account.uid.slice(-12)}`, identity: "simulated" };
  if (deps.verifyAccount === undefined)
    throw new Fault(deployerFaults.no_credentials, `"${account.name}" cannot be verified here`);
  const { accountId, identity } = await deps.verifyAccount(account, describeRun(task));
  return { account_id: accountId, identity };
}

// How it was to be built does not matter to what goes, and what Terraform does not take must not keep it from going.
function forRemoval(wishes: InfraWishes): InfraWishes {
  return { ...wishes, ignore: [], overrides: undefined };
}

function findStack(stacks: readonly Stack[], service: string, cloud: string): Stack {
  const found = stacks.find((stack) => stack.service === service && stack.cloud === cloud);
  if (found !== undefined) return found;
  const clouds = new Set(stacks.filter((stack) => stack.service === service).map((stack) => stack.cloud));
  throw new Fault(deployerFaults.no_stack, `a ${service} can be built in ${[...clouds].join(", ")}, not in "${cloud}" yet`);
}

// The API has checked them; what is stored may be older than the rules, and this is where they run.
function refuseOverrides({ providers }: Configuration, { overrides }: InfraWishes): void {
  if (overrides === undefined) return;
  const names = Object.keys(providers).map((source) => source.split("/").at(-1) ?? source);
  const problems = checkOverrides(overrides, { providers: names, reserved: taggingAttributes });
  if (problems.length === 0) return;
  const fields = problems.map(({ path, message }) => ({ field: `spec.infra.overrides.${path}`, message }));
  const [first] = fields;
  throw new Fault(deployerFaults.bad_overrides, `${first?.field ?? ""}: ${first?.message ?? ""}`, { fields });
}
