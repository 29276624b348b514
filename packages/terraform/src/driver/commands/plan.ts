import { Fault } from "@cloudwright/platform";
import { existsSync, rmSync } from "node:fs";
import { terraformFaults } from "../../faults.ts";
import type { CommandOutcome } from "../command-report.ts";
import { conclude } from "../conclude.ts";
import { keepPlan, newPlanFile } from "../plan-files.ts";
import { runCommand } from "../run-command.ts";
import type { Session } from "../session.ts";
import { listLockArguments, listParallelism, requireAddress } from "./arguments.ts";

/** What is planned. */
export interface PlanOptions {
  /** `destroy` plans to remove everything; `refresh` only to take over what has changed outside. */
  readonly mode?: "apply" | "destroy" | "refresh";
  /** False to trust the state instead of asking the cloud. */
  readonly refresh?: boolean;
  /** Resources to be made anew. */
  readonly replace?: readonly string[];
  readonly target?: readonly string[];
}

/** A plan that is kept in the working directory until it is applied or the directory is closed. */
export interface SavedPlan {
  /** The hash of its bytes: an id that stands for exactly this plan. */
  readonly id: string;
  /** Whether there is anything to do; undefined for a refresh, where Terraform's own answer is not reliable. */
  readonly hasChanges: boolean | undefined;
}

/** Makes and saves a plan. */
export async function plan(session: Session, options: PlanOptions): Promise<CommandOutcome<SavedPlan>> {
  const { mode = "apply", refresh = true, replace = [], target = [] } = options;
  const file = newPlanFile(session);
  const args = [
    "plan",
    "-json",
    "-input=false",
    "-no-color",
    `-out=${file}`,
    ...listLockArguments(session),
    ...listParallelism(session),
    // With -refresh-only its answer is a matter of chance: core compares unordered lists.
    ...(mode === "refresh" ? ["-refresh-only"] : ["-detailed-exitcode"]),
    ...(mode === "destroy" ? ["-destroy"] : []),
    ...(refresh ? [] : ["-refresh=false"]),
    ...replace.map((address) => `-replace=${requireAddress(address)}`),
    ...target.map((address) => `-target=${requireAddress(address)}`),
  ];
  const goodCodes = mode === "refresh" ? [0] : [0, 2];
  const run = await runCommand(session, { name: "plan", args, output: "events", goodCodes });
  const isSaved = run.fault === undefined && existsSync(file);
  const id = isSaved ? await keepPlan(session, file) : "";
  // A plan of a failed run must not be applied by anybody.
  rmSync(file, { force: true });
  return conclude(session, run, ({ report }) => {
    if (!isSaved) throw new Fault(terraformFaults.unexpected_output, "plan ended without an error and without a plan");
    return { id, hasChanges: mode === "refresh" ? undefined : report.exitCode === 2 };
  });
}
