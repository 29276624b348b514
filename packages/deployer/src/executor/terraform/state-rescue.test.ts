import { Fault } from "@cloudwright/platform";
import { terraformFaults, type CommandOutcome, type CommandReport, type Terraform } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import type { DeployerTask, StateAccess } from "../../task.ts";
import { settle } from "./state-rescue.ts";

const report: CommandReport = {
  command: "apply",
  exitCode: 1,
  signal: null,
  seconds: 0,
  diagnostics: [],
  planned: [],
  drift: [],
  strayLines: { count: 0, last: [] },
};
const fault = new Fault(terraformFaults.state_not_saved, "not saved");
const failed: CommandOutcome<void> = { outcome: "failed", fault, report, erroredState: { path: "errored.tfstate" } };

function play(answers: CommandOutcome<void>[], signal = new AbortController().signal) {
  const task = { signal, progress: () => undefined } as unknown as DeployerTask;
  const terraform = { pushErroredState: () => Promise.resolve(answers.shift()) } as unknown as Terraform;
  return settle(task, { terraform, endpoint: {} as StateAccess, isExternal: true }, failed);
}

test("X031 an unsaved state is pushed until the endpoint accepts it, and the task is retried", async () => {
  const answers: CommandOutcome<void>[] = [failed, { outcome: "done", value: undefined, report }];
  await expect(play(answers)).rejects.toMatchObject({ code: "deployer.state_rescued", retry: "backoff" });
  expect(answers).toEqual([]);
});

test("X031 a cancelled run stops pushing its state", async () => {
  await expect(play([], AbortSignal.abort())).rejects.toMatchObject({ code: "terraform.state_not_saved" });
});
