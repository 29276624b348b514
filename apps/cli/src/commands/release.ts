import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure, type FlagValues } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { getItem, resourceOf } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import { addKindArgument } from "../list-flags.ts";
import { noteAccepted } from "../operations/conclude.ts";
import { addWaitFlags, findTrouble, readWait, waitForOperations } from "../operations/wait.ts";
import { itemName, type Item } from "../output/item.ts";
import { printDone } from "../output/print-items.ts";
import { confirm } from "../prompt.ts";
import { requireReferences } from "../references.ts";

/** `cloud k8s release NAME`: stops managing an imported cluster and removes its entity. Nothing in the cloud changes. */
export const configureRelease: Configure = (command, context) => {
  addKindArgument(command, context.kind, "<names...>");
  command.option("-y, --yes", "skip the confirmation; required if there is no terminal");
  addWaitFlags(command, "the cluster is released");
  addExamples(command, "cloud k8s release shop", "cloud k8s release shop --yes --wait");
  onServer(command, context, async (session, args, flags) => {
    const references = requireReferences("release", context.kind, args, {});
    const items: Item[] = [];
    for (const reference of references) items.push(await getItem(session, reference));
    for (const item of items) {
      await requireConfirmed(session, item, flags);
      await release(session, item, flags);
    }
  });
};

async function requireConfirmed({ world }: Session, item: Item, flags: FlagValues): Promise<void> {
  if (flags["yes"] === true) return;
  if (!world.stdin.isTTY || !world.stderr.isTTY)
    throw new Fault(
      cliFaults.not_confirmed,
      `${itemName(item)}: not released, because there is no terminal to confirm on; add --yes`,
    );
  const question = `Release ${itemName(item)}? The platform forgets it and its node pools; everything in the cloud stays as it is.`;
  if (!(await confirm(world, question))) throw new Fault(cliFaults.not_confirmed, `${itemName(item)}: not released`);
}

async function release(session: Session, item: Item, flags: FlagValues): Promise<void> {
  const { signal } = session.world;
  const entity = await resourceOf(session, item.kind).act(item.entity.metadata.name, "release", { body: {}, signal });
  const released = { ...item, entity };
  const { deletedAt, operation: name } = entity.metadata;
  // If no agent has read the cluster yet, the server releases it immediately and deletes its operation too.
  if (deletedAt === undefined) return printDone(session, released, "released");
  const wait = readWait(flags);
  if (wait === undefined || name === undefined) {
    noteAccepted(session, [{ item: released, accepted: name, done: "releasing" }]);
    return printDone(session, released, "is being released");
  }
  const [ended] = await waitForOperations(session, [{ project: session.project, name }], wait);
  const trouble = ended === undefined ? undefined : findTrouble([ended]);
  if (trouble !== undefined) throw trouble;
  return printDone(session, released, "released");
}
