import { getKind } from "@cloudwright/contract/kinds";
import { addExamples, onServer, type Configure, type FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { addKindArgument } from "../list-flags.ts";
import { addWaitFlags, readWait, waitForOperations } from "../operations/wait.ts";
import { renderPhase } from "../output/columns.ts";
import { printDone } from "../output/print-items.ts";
import { requireReferences } from "../references.ts";

/** `cloud operation cancel op-...`: withdraws tasks that have not started and asks running ones to stop. */
export const configureCancel: Configure = (command, context) => {
  addKindArgument(command, context.kind, "<names...>");
  addWaitFlags(command, "the operation has ended");
  addExamples(command, "cloud operation cancel op-0123456789ab", "cloud operation cancel op-0123456789ab --wait");
  onServer(command, context, async (session, args, flags) => {
    for (const { name } of requireReferences("cancel", context.kind, args, {})) await cancelOperation(session, name, flags);
  });
};

/** Cancels an operation. With `--wait`, also waits until the operation has ended. */
export async function cancelOperation(session: Session, name: string, flags: FlagValues): Promise<void> {
  const { client, project, world } = session;
  const wait = readWait(flags);
  const kind = getKind("Operation");
  const entity = await client.operations.cancel(project, name, { signal: world.signal });
  const [ended] = wait === undefined ? [] : await waitForOperations(session, [{ project, name }], wait);
  const item = { kind, entity: ended ?? entity };
  await printDone(session, item, ended === undefined ? "is being cancelled" : `is ${renderPhase(item)}`);
}
