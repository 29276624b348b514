import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import type { Session } from "../connection/session.ts";
import { getItem, resourceOf } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import { addKindArgument } from "../list-flags.ts";
import { itemName, type Item } from "../output/item.ts";
import { printDone } from "../output/print-items.ts";
import { confirm } from "../prompt.ts";
import { requireReferences } from "../references.ts";
import { addWaitFlags, waitUntilGone } from "../wait.ts";

/** `cloud delete cluster dev`: asks first where somebody can answer. */
export const configureDelete: Configure = (command, context) => {
  const { kind } = context;
  addKindArgument(command, kind, "<names...>");
  command
    .option("-y, --yes", "do not ask")
    .option("--cascade", "delete what is below it too")
    .option("--dry-run", "let the server check it, delete nothing");
  addWaitFlags(command, "it is gone");
  const head = kind === undefined ? "cloud delete cluster" : `cloud ${kind.words[0]} delete`;
  addExamples(command, `${head} dev`, `${head} dev --cascade --yes --wait`);
  onServer(command, context, async (session, args, flags) => {
    const references = requireReferences("delete", kind, args, { cluster: flags["cluster"] as string | undefined });
    const items: Item[] = [];
    for (const reference of references) items.push(await getItem(session, reference));
    const dryRun = flags["dryRun"] === true;
    if (flags["yes"] !== true && !dryRun) await ask(session, items, flags["cascade"] === true);
    for (const item of items) {
      const resource = resourceOf(session, item.kind, item.cluster);
      const options = { cascade: flags["cascade"] === true, dryRun, signal: session.world.signal };
      const entity = await resource.delete(item.entity.metadata.name, options);
      if (!dryRun) await waitUntilGone(session, item, flags);
      await printDone(session, { ...item, entity }, dryRun ? "would be deleted (dry run)" : "deleted");
    }
  });
};

async function ask(session: Session, items: readonly Item[], cascade: boolean): Promise<void> {
  const { world, target } = session;
  if (!world.stdin.isTTY || !world.stderr.isTTY) return;
  const what = items.map(itemName).join(", ");
  const more = cascade ? " and everything below" : "";
  const where = items.every(({ kind }) => kind.scope === "global") ? "" : ` in project ${session.project}`;
  if (!(await confirm(world, `Delete ${what}${more}${where} on ${target.server}?`))) {
    throw new Fault(cliFaults.not_confirmed, `${what}: not deleted`);
  }
}
