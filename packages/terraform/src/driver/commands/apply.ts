import type { ChangeSummary } from "../../events/event.ts";
import type { CommandOutcome } from "../command-report.ts";
import { conclude } from "../conclude.ts";
import { deletePlan, getPlanFile } from "../plan-files.ts";
import { runCommand } from "../run-command.ts";
import type { Session } from "../session.ts";
import { listLockArguments, listParallelism } from "./arguments.ts";

export interface ApplyResult {
  readonly summary: ChangeSummary;
}

/** Applies the plan with this ID and deletes the plan afterwards, because it cannot be applied twice. */
export async function apply(session: Session, planId: string): Promise<CommandOutcome<ApplyResult>> {
  const file = await getPlanFile(session, planId);
  const args = ["apply", "-json", "-input=false", "-no-color", ...listLockArguments(session), ...listParallelism(session), file];
  const run = await runCommand(session, { name: "apply", args, output: "events" });
  const wasStarted = run.report.exitCode !== null || run.report.signal !== null;
  if (wasStarted) await deletePlan(session, planId);
  return conclude(session, run, ({ report }) => ({
    summary: report.summary ?? { operation: "apply", add: 0, change: 0, remove: 0, import: 0 },
  }));
}
