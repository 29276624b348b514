import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { printRunDone } from "../../runs/print-runs.ts";
import { addRunArgument, requireRun } from "../../runs/run.ts";

/** `cloud run discard RUN`: discards the run's plan. The run's operation then fails. */
export const configureRunDiscard: Configure = (command, context) => {
  addRunArgument(command).option("--comment <text>", "comment to store with the run");
  addExamples(command, "cloud run discard cluster/dev", "cloud run discard 0123456789ab --comment 'not on a Friday'");
  onServer(command, context, async (session, [text = ""], flags) => {
    const { client, project, world } = session;
    const { uid = "" } = await requireRun(session, text);
    const comment = flags["comment"] as string | undefined;
    const discarded = await client.runs.discard(project, uid, { comment, signal: world.signal });
    await printRunDone(session, discarded, "is discarded");
  });
};
