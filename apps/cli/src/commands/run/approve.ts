import type { RunJson } from "@cloudwright/api-client";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import type { Session } from "../../connection/session.ts";
import { cliFaults } from "../../faults.ts";
import { settleOperation } from "../../operations/settle-operation.ts";
import { addWaitFlags } from "../../operations/wait.ts";
import { confirm } from "../../prompt.ts";
import { printRunDone } from "../../runs/print-runs.ts";
import { renderPlan } from "../../runs/render-plan.ts";
import { addRunArgument, nameRun, requireRun } from "../../runs/run.ts";

/** `cloud run approve RUN`: shows the plan, asks for confirmation and approves exactly that plan. */
export const configureRunApprove: Configure = (command, context) => {
  addRunArgument(command)
    .option("--comment <text>", "comment to store with the run")
    .option("-y, --yes", "skip the confirmation; required if there is no terminal");
  addWaitFlags(command, "the run's operation has ended");
  addExamples(
    command,
    "cloud run approve cluster/dev",
    "cloud run approve 0123456789ab --comment 'reviewed with ann' --yes",
    "cloud run approve cluster/dev --yes --wait",
  );
  onServer(command, context, async (session, [text = ""], flags) => {
    const { client, project, world } = session;
    const run = await requireRun(session, text);
    if (run.state !== "NEEDS_APPROVAL")
      throw new Fault(cliFaults.run_decided, `${nameRun(run)} is not waiting for approval; its state is ${run.state ?? ""}`);
    if (flags["yes"] !== true) await ask(session, run);
    const comment = flags["comment"] as string | undefined;
    const approved = await client.runs.approve(project, run.uid ?? "", { comment, signal: world.signal });
    await settleOperation(session, { name: approved.operation, done: `${nameRun(approved)} is approved` }, flags);
    await printRunDone(session, approved, "is approved");
  });
};

async function ask(session: Session, run: RunJson): Promise<void> {
  const { client, output, project, target, world } = session;
  if (!world.stdin.isTTY || !world.stderr.isTTY)
    throw new Fault(cliFaults.not_confirmed, "approving without a terminal requires --yes");
  const plan = await client.runs.plan(project, run.uid ?? "", { signal: world.signal });
  const lines = renderPlan(plan, { paint: output.paint, wide: false });
  world.stderr.write(`${[`${nameRun(run)}, in project ${project} on ${target.server}:`, ...lines].join("\n")}\n`);
  if (!(await confirm(world, "Approve this exact plan?")))
    throw new Fault(cliFaults.not_confirmed, `${nameRun(run)}: not approved`);
}
