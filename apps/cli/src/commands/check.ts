import { addExamples, onServer, type Configure } from "../command-context.ts";
import { getItem } from "../entities.ts";
import { addKindArgument } from "../list-flags.ts";
import { renderFollowCommands, type OperationRef } from "../operations/operation.ts";
import { addWaitFlags, findTrouble, readWait, waitForOperations } from "../operations/wait.ts";
import { isStructured } from "../output/output.ts";
import { printItems } from "../output/print-items.ts";
import { renderHosts } from "../output/hosts.ts";
import { requireReferences } from "../references.ts";

/** `cloud inventory check NAME`: connects to the hosts and shows what was found. */
export const configureCheck: Configure = (command, context) => {
  addKindArgument(command, context.kind, "<names...>");
  addWaitFlags(command, "the hosts are checked, then show them");
  addExamples(command, "cloud inventory check rack --wait", "cloud inventory check rack --wait -o json");
  onServer(command, context, async (session, args, flags) => {
    const { client, project, world, output } = session;
    const items = await Promise.all(requireReferences("check", context.kind, args, {}).map((each) => getItem(session, each)));
    const refs: OperationRef[] = [];
    for (const { entity } of items) {
      const { metadata } = await client.drifts.check(project, entity.metadata.uid, { signal: world.signal });
      refs.push({ project, name: metadata?.name ?? "" });
    }
    const wait = readWait(flags);
    if (wait === undefined) {
      output.note(`the check has started; follow it with: ${renderFollowCommands(session, refs).join("; ")}`);
      return;
    }
    const ended = await waitForOperations(session, refs, wait);
    const after = await Promise.all(
      items.map(({ kind, entity }) => getItem(session, { kind, cluster: undefined, name: entity.metadata.uid })),
    );
    if (isStructured(output.format)) await printItems(session, after, { asList: after.length > 1 });
    else for (const { entity } of after) for (const line of renderHosts(entity)) output.line(line);
    const trouble = findTrouble(ended);
    if (trouble !== undefined) throw trouble;
  });
};
