import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { isStructured } from "../../output/output.ts";
import { addDriftArgument, printDrifts, renderDriftDetails, requireDrift } from "../../runs/drift.ts";

/**
 * `cloud drift get X`: lists the resources that differ, with old and new values and, if the cloud reports it, the author of each change.
 */
export const configureDriftGet: Configure = (command, context) => {
  addDriftArgument(command);
  addExamples(command, "cloud drift get cluster/dev", "cloud drift get 0123456789ab -o json");
  onServer(command, context, async (session, [text = ""]) => {
    const { output } = session;
    const drift = await requireDrift(session, text);
    await printDrifts(session, [drift], "one");
    if (isStructured(output.format) || output.format === "name") return;
    const look = { paint: output.paint, wide: output.format === "wide" };
    for (const item of drift.items ?? []) for (const line of renderDriftDetails(item, look)) output.line(`  ${line}`);
    if (drift.state === "OPEN") output.note(`accept with: cloud drift accept ${text}; correct with: cloud drift correct ${text}`);
  });
};
