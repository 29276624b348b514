import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { isStructured } from "../../output/output.ts";
import { renderPlan } from "../../runs/render-plan.ts";
import { addRunArgument, nameRun, renderRunCommand, requireRun } from "../../runs/run.ts";

/** `cloud run plan RUN`: shows the plan of a run, resource by resource. */
export const configureRunPlan: Configure = (command, context) => {
  addRunArgument(command);
  addExamples(
    command,
    "cloud run plan cluster/dev",
    "cloud run plan 0123456789ab -o wide",
    "cloud run plan 0123456789ab -o json > plan.json",
  );
  onServer(command, context, async (session, [text = ""]) => {
    const { client, output, project, world } = session;
    const { uid = "" } = await requireRun(session, text);
    const plan = await client.runs.plan(project, uid, { signal: world.signal });
    if (isStructured(output.format)) return output.structure(plan);
    if (output.format === "name") return output.line(uid);
    const { run = {} } = plan;
    output.note(`${nameRun(run)}: ${run.state ?? ""}`);
    for (const line of renderPlan(plan, { paint: output.paint, wide: output.format === "wide" })) output.line(line);
    if (run.state === "NEEDS_APPROVAL") {
      const before = run.expiresAt === undefined ? "" : ` until ${run.expiresAt}`;
      output.note(`the run is waiting for approval${before}; approve with: ${renderRunCommand(session, "approve", run)}`);
    }
  });
};
