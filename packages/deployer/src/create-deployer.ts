import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { findConfiguration, ownConfigurations } from "./configurations.ts";
import { deployerFaults } from "./faults.ts";
import { awsKubernetes } from "./kubernetes/aws.ts";
import { awsNetwork } from "./network/aws.ts";
import { applyStack, checkStack, destroyStack, type Subject } from "./run/actions.ts";
import { withRun, type Run, type RunDeps } from "./run/open-run.ts";
import type { Stack } from "./stack.ts";
import { awsStorage } from "./storage/aws.ts";
import type { DeployedAccount, DeployerOutcome, DeployerTask, JsonObject } from "./task.ts";

/** What a deployer works with. */
export interface DeployerDeps extends RunDeps {
  /** Where configurations are; those of the product unless said. */
  readonly configurations?: string;
}

/** Does tasks of accounts and of what is built with Terraform. */
export interface Deployer {
  /** The types of tasks that it does. */
  readonly types: readonly string[];
  handle(task: DeployerTask): Promise<DeployerOutcome>;
}

const stacks: readonly Stack[] = [awsNetwork, awsKubernetes, awsStorage];

const actions: Readonly<Record<string, (task: DeployerTask, subject: Subject, run: Run) => Promise<JsonObject>>> = {
  apply: applyStack,
  destroy: destroyStack,
  check: checkStack,
};

/** Builds a deployer for the stacks that there are. */
export function createDeployer(deps: DeployerDeps): Deployer {
  const services = [...new Set(stacks.map(({ service }) => service))];
  const types = services.flatMap((service) => ["preflight", ...Object.keys(actions)].map((action) => `${service}.${action}`));
  return {
    types: ["account.verify", ...types],
    async handle(task) {
      try {
        return { outcome: "done", outputs: await work(deps, task) };
      } catch (error) {
        if (error instanceof Fault && error.code === terraformFaults.cancelled.code) return { outcome: "cancelled" };
        throw error;
      }
    },
  };
}

async function work(deps: DeployerDeps, task: DeployerTask): Promise<JsonObject> {
  const [service = "", action = ""] = task.task.type.split(".");
  const account = requireSimulated(task);
  if (service === "account") return { account_id: `simulated-${account.uid.slice(-12)}` };
  const stack = findStack(service, account.cloud);
  const version = task.payload.outputs["infra_version"];
  const configuration = findConfiguration(
    deps.configurations ?? ownConfigurations,
    stack.folder ?? service,
    account.cloud,
    typeof version === "string" ? version : undefined,
  );
  const act = actions[action];
  if (act === undefined) {
    // What would be refused later is refused before anything is made.
    stack.variables(task.payload.entity, account, task.payload);
    await deps.binaries.get("terraform", configuration.terraform, task.signal);
    return {};
  }
  const subject = { stack, configuration };
  return withRun(deps, task, { ...subject, account }, (run) => act(task, subject, run));
}

function findStack(service: string, cloud: string): Stack {
  const found = stacks.find((stack) => stack.service === service && stack.cloud === cloud);
  if (found !== undefined) return found;
  const clouds = stacks.filter((stack) => stack.service === service).map((stack) => stack.cloud);
  throw new Fault(deployerFaults.no_stack, `a ${service} can be built in ${clouds.join(", ")}, not in "${cloud}" yet`);
}

function requireSimulated({ payload }: DeployerTask): DeployedAccount {
  const { account, entity } = payload;
  if (account === null) throw new Fault(deployerFaults.bad_spec, `${entity.kind} "${entity.name}" has no account`);
  if (account.simulated) return account;
  throw new Fault(
    deployerFaults.no_credentials,
    `the account "${account.name}" is a real one; credentials come with the next release`,
  );
}
