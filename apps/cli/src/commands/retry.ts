import { getKind } from "@cloudwright/contract/kinds";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { addKindArgument } from "../list-flags.ts";
import { renderFollowCommands } from "../operations/operation.ts";
import { addWaitFlags, findTrouble, readWait, waitForOperations } from "../operations/wait.ts";
import { renderPhase } from "../output/columns.ts";
import { isStructured } from "../output/output.ts";
import { printDone } from "../output/print-items.ts";
import { requireReferences } from "../references.ts";

/** `cloud operation retry op-...`: retries a failed or cancelled operation. */
export const configureRetry: Configure = (command, context) => {
  addKindArgument(command, context.kind, "<names...>");
  addWaitFlags(command, "the operation has ended");
  addExamples(command, "cloud operation retry op-0123456789ab", "cloud operation retry op-0123456789ab --wait");
  onServer(command, context, async (session, args, flags) => {
    const { client, project, world, output } = session;
    const wait = readWait(flags);
    const kind = getKind("Operation");
    for (const { name } of requireReferences("retry", context.kind, args, {})) {
      const entity = await client.operations.retry(project, name, { signal: world.signal });
      const refs = [{ project, name }];
      if (wait === undefined) {
        if (!isStructured(output.format))
          output.note(`accepted; follow progress with: ${renderFollowCommands(session, refs).join("")}`);
        await printDone(session, { kind, entity }, "is being retried");
        continue;
      }
      const [ended = entity] = await waitForOperations(session, refs, wait);
      await printDone(session, { kind, entity: ended }, `is ${renderPhase({ kind, entity: ended })}`);
      const trouble = findTrouble([ended]);
      if (trouble !== undefined) throw trouble;
    }
  });
};
