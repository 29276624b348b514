import { backOffMs, Fault, systemClock } from "@cloudwright/platform";
import { getValue, type CommandOutcome, type Terraform } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { DeployerTask } from "../../task.ts";
import { releaseOwnLock } from "../state-lock.ts";
import type { Run } from "./run.ts";

const pushBackOff = { firstMs: 500, longestMs: 30_000 };

/**
 * Returns the result of a command that changes the state. If Terraform could not save the state, pushes the state again until the endpoint
 * accepts it, then throws `deployer.state_rescued`.
 */
export async function settle<Value>(
  task: DeployerTask,
  { terraform, endpoint, isExternal }: Pick<Run, "terraform" | "endpoint" | "isExternal">,
  outcome: CommandOutcome<Value>,
): Promise<Value> {
  if (outcome.outcome === "done" || outcome.erroredState === undefined) return getValue(outcome);
  for (let failures = 0; !task.signal.aborted; failures += 1) {
    task.progress(95, "the state could not be saved; retrying");
    // If Terraform could not reach the endpoint, it could not release its lock either.
    if (!isExternal) await releaseOwnLock(endpoint).catch(() => undefined);
    if ((await terraform.pushErroredState()).outcome === "done") {
      throw new Fault(deployerFaults.state_rescued, `the state was saved only after retries: ${outcome.fault.message}`, {
        cause: outcome.fault,
      });
    }
    await systemClock.sleep(backOffMs(pushBackOff, failures), task.signal).catch(() => undefined);
  }
  return getValue(outcome);
}

/**
 * Pushes a state that a killed agent left unsaved in the directory. The endpoint rejects it if a newer version exists. In that case, the
 * unsaved state is obsolete.
 */
export async function pushUnsavedState(task: DeployerTask, terraform: Terraform): Promise<void> {
  if (terraform.findErroredState() === undefined) return;
  const pushed = await terraform.pushErroredState();
  task.log(
    pushed.outcome === "done" ? "saved the state of the interrupted run" : `unsaved state rejected: ${pushed.fault.message}`,
  );
}
