import type { RunJson } from "@cloudwright/api-client";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import type { Session } from "../../connection/session.ts";
import { renderAge } from "../../output/age.ts";
import { isStructured } from "../../output/output.ts";
import { flatten } from "../../output/table.ts";
import { renderCounts } from "../../runs/counts.ts";
import { printRuns } from "../../runs/print-runs.ts";
import { renderFindings } from "../../runs/render-plan.ts";
import { addRunArgument, renderRunCommand, requireRun } from "../../runs/run.ts";
import { nameStack } from "../../stack-uid.ts";

/** `cloud run get RUN`: shows all details of a run except its plan. */
export const configureRunGet: Configure = (command, context) => {
  addRunArgument(command);
  addExamples(command, "cloud run get 0123456789ab", "cloud run get cluster/dev", "cloud run get cluster/dev -o yaml");
  onServer(command, context, async (session, [text = ""]) => {
    const run = await requireRun(session, text);
    const { output } = session;
    if (isStructured(output.format) || output.format === "name") return printRuns(session, [run], "one");
    for (const line of renderRun(session, run)) output.line(line);
    if (run.state === "NEEDS_APPROVAL")
      output.note(
        `view the plan with: ${renderRunCommand(session, "plan", run)}; approve with: ${renderRunCommand(session, "approve", run)}`,
      );
  });
};

function renderRun({ output, world }: Session, run: RunJson): string[] {
  const { createdAt, endedAt, approvedBy = "", discardedBy = "", comment = "", state = "", message = "" } = run;
  const said = comment === "" ? "" : `: ${comment}`;
  const facts: [string, string | undefined][] = [
    ["Run", run.uid],
    ["Entity", `${nameStack(run)}, generation ${run.entityGeneration ?? 0}`],
    ["Environment", run.environment],
    ["Operation", run.operation],
    ["Purpose", run.purpose],
    ["State", `${output.paint.phase(state)}${message === "" ? "" : `: ${flatten(message)}`}`],
    ["Changes", run.counts === undefined ? undefined : renderCounts(run.counts)],
    ["Planned from", run.counts === undefined ? undefined : `state serial ${run.stateSerial ?? 0}`],
    ["Created", createdAt && `${createdAt} (${renderAge(createdAt, world.clock.now())} ago)`],
    ["Ended", endedAt],
    ["Expires", state === "NEEDS_APPROVAL" ? run.expiresAt : undefined],
    ["Approved", approvedBy && `by ${approvedBy} at ${run.approvedAt ?? ""}${discardedBy === "" ? said : ""}`],
    ["Discarded", discardedBy && `by ${discardedBy} at ${run.discardedAt ?? ""}${said}`],
    ["Plan task", run.planTask],
    ["Apply task", run.applyTask],
  ];
  const shown = facts.filter(([, value]) => value !== undefined && value !== "");
  return [
    ...shown.map(([name, value = ""]) => `${`${name}:`.padEnd(14)}${name === "State" ? value : flatten(value)}`),
    ...renderFindings(run.findings ?? [], output.paint).filter((line) => line !== ""),
  ];
}
