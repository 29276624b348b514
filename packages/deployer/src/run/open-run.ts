import { Fault, systemClock } from "@cloudwright/platform";
import {
  createHttpBackend,
  getValue,
  openTerraform,
  type Binaries,
  type CommandOutcome,
  type Terraform,
} from "@cloudwright/terraform";
import { join } from "node:path";
import type { Cloud, OpenCloud } from "../cloud.ts";
import type { Configuration } from "../configurations.ts";
import { deployerFaults } from "../faults.ts";
import type { Stack } from "../stack.ts";
import type { DeployedAccount, DeployerTask, StateAccess } from "../task.ts";
import { createProgress } from "./follow-progress.ts";
import { releaseOwnLock } from "./state-lock.ts";

/** What every run works with. */
export interface RunDeps {
  readonly binaries: Binaries;
  readonly openCloud: OpenCloud;
}

/** A working directory that is ready, on the entity's own state. */
export interface Run {
  readonly terraform: Terraform;
  readonly cloud: Cloud;
  readonly door: StateAccess;
}

/** Opens the state and the cloud, initialises, lets `work` do its part, and leaves nothing behind. */
export async function withRun<Result>(
  deps: RunDeps,
  task: DeployerTask,
  what: { readonly stack: Stack; readonly configuration: Configuration; readonly account: DeployedAccount },
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  const { stack, configuration, account } = what;
  const { payload, signal, log, spawn } = task;
  const binary = await deps.binaries.get("terraform", configuration.terraform, signal);
  const door = await task.openState();
  if (task.resumed) await releaseOwnLock(door);
  const cloud = await deps.openCloud(account);
  try {
    const terraform = openTerraform(
      { spawn },
      {
        binary,
        directory: join(task.directory, "stack"),
        configuration: { from: configuration.folder },
        variables: stack.variables(payload.entity, account, payload),
        environment: stack.environment(account),
        backend: createHttpBackend(door),
        providers: cloud.providers,
        stoppedBy: "spawner",
        signal,
        onLine: log,
        onEvent: createProgress((percent, message) => task.progress(percent, message)),
      },
    );
    task.progress(5, "init");
    getValue(await terraform.init());
    const result = await work({ terraform, cloud, door });
    await terraform.close();
    return result;
  } finally {
    await cloud.close();
  }
}

/** The value of a command that changes the state; a state that could not be saved is pushed before anything else is said. */
export async function settle<Value>(task: DeployerTask, terraform: Terraform, outcome: CommandOutcome<Value>): Promise<Value> {
  if (outcome.outcome === "done" || outcome.erroredState === undefined) return getValue(outcome);
  for (let waitMs = 500; !task.signal.aborted; waitMs = Math.min(30_000, waitMs * 2)) {
    task.progress(95, "the state could not be saved; trying again");
    if ((await terraform.pushErroredState()).outcome === "done") {
      throw new Fault(deployerFaults.state_rescued, `the state was saved late: ${outcome.fault.message}`, {
        cause: outcome.fault,
      });
    }
    await systemClock.sleep(waitMs, task.signal).catch(() => undefined);
  }
  return getValue(outcome);
}
