import { Fault } from "@cloudwright/platform";
import { existsSync, rmSync } from "node:fs";
import { terraformFaults } from "../../faults.ts";
import type { CommandOutcome } from "../command-report.ts";
import { conclude } from "../conclude.ts";
import { withImportBlocks, type ResourceImport } from "../import-files.ts";
import { keepPlan, newPlanFile } from "../plan-files.ts";
import { runCommand } from "../run-command.ts";
import type { Session } from "../session.ts";
import { listLockArguments, listParallelism, requireAddress } from "./arguments.ts";

export interface PlanOptions {
  /** `destroy` plans to delete everything. `refresh` only records external changes in the state. */
  readonly mode?: "apply" | "destroy" | "refresh";
  /** If false, the plan trusts the state instead of querying the cloud. */
  readonly refresh?: boolean;
  /** Addresses of resources to recreate. */
  readonly replace?: readonly string[];
  readonly target?: readonly string[];
  /** Existing resources that the plan imports into the state. Terraform ignores them in `destroy` and `refresh` mode. */
  readonly imports?: readonly ResourceImport[];
  /** If true, resources are imported as they are: the plan does not update them to match the configuration. */
  readonly keepsImported?: boolean;
  /** If true, a resource is deleted before its replacement is created, even if the configuration sets `create_before_destroy`. */
  readonly destroysFirst?: boolean;
  /** If false, a plan with targets skips the outputs, because an output may depend on resources that are not targeted. */
  readonly outputs?: boolean;
}

/** A plan that stays in the working directory until it is applied or the directory is closed. */
export interface SavedPlan {
  /** Hash of the plan file. */
  readonly id: string;
  /** Whether there are changes. Undefined in `refresh` mode, in which Terraform's exit code is unreliable. */
  readonly hasChanges: boolean | undefined;
}

export async function plan(session: Session, options: PlanOptions): Promise<CommandOutcome<SavedPlan>> {
  const {
    mode = "apply",
    refresh = true,
    replace = [],
    target = [],
    imports = [],
    keepsImported = false,
    destroysFirst = false,
    outputs = true,
  } = options;
  const file = newPlanFile(session);
  const args = [
    "plan",
    "-json",
    "-input=false",
    "-no-color",
    `-out=${file}`,
    // A refresh-only plan reads the state once and never writes it. Without a lock, it neither blocks other runs nor waits for them.
    ...(mode === "refresh" ? ["-lock=false"] : listLockArguments(session)),
    ...listParallelism(session),
    // With -refresh-only, the exit code is unreliable, because Terraform compares lists that have no fixed order.
    ...(mode === "refresh" ? ["-refresh-only"] : ["-detailed-exitcode"]),
    ...(mode === "destroy" ? ["-destroy"] : []),
    ...(refresh ? [] : ["-refresh=false"]),
    ...replace.map((address) => `-replace=${requireAddress(address)}`),
    ...target.map((address) => `-target=${requireAddress(address)}`),
  ];
  const goodCodes = mode === "refresh" ? [0] : [0, 2];
  const run = await withImportBlocks(session.directory, imports, { hasOutputs: outputs, keepsImported, destroysFirst }, () =>
    runCommand(session, { name: "plan", args, output: "events", goodCodes }),
  );
  const isSaved = run.fault === undefined && existsSync(file);
  const id = isSaved ? await keepPlan(session, file) : "";
  // The plan of a failed run must never be applied.
  rmSync(file, { force: true });
  return conclude(session, run, ({ report }) => {
    if (!isSaved) throw new Fault(terraformFaults.unexpected_output, "plan succeeded but wrote no plan file");
    return { id, hasChanges: mode === "refresh" ? undefined : report.exitCode === 2 };
  });
}
