import type { Kind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import { Option, type Command } from "commander";
import { addExamples, onServer, type Configure, type FlagValues } from "../command-context.ts";
import { confirmDeletion } from "../confirm-deletion.ts";
import type { Session } from "../connection/session.ts";
import { getItem, listBelow, resourceOf } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import { addKindArgument } from "../list-flags.ts";
import { noteAccepted } from "../operations/conclude.ts";
import { previewDeletion, type DeletionChoice } from "../operations/preview-deletion.ts";
import { addWaitFlags, findTrouble, readWait, waitForOperations } from "../operations/wait.ts";
import { itemName, type Item } from "../output/item.ts";
import { printDone } from "../output/print-items.ts";
import { requireReferences } from "../references.ts";

/** `cloud delete cluster dev`: shows what will be deleted and, on a terminal, asks for confirmation. */
export const configureDelete: Configure = (command, context) => {
  const { kind } = context;
  addKindArgument(command, kind, "<names...>");
  command
    .option("-y, --yes", "skip the confirmation; required if there is no terminal")
    .option("--cascade", "also delete the entity's descendants, children before parents")
    .option("--dry-run", "list everything that would be deleted or kept, without deleting anything");
  if (kind === undefined || kind.provisioned) addResourceFlags(command);
  addWaitFlags(command, "the entity is deleted");
  const head = kind === undefined ? "cloud delete cluster" : `cloud ${kind.words[0]} delete`;
  const careful = kind === undefined || kind.provisioned ? " --volumes retain" : "";
  addExamples(command, `${head} dev`, `${head} dev --cascade --dry-run`, `${head} dev --cascade${careful} --yes --wait`);
  onServer(command, context, async (session, args, flags) => {
    const references = requireReferences("delete", kind, args, { cluster: flags["cluster"] as string | undefined });
    for (const { kind: named } of references) checkResourceFlags(named, flags);
    const items: Item[] = [];
    for (const reference of references) items.push(await getItem(session, reference));
    if (flags["dryRun"] === true) {
      for (const item of items) await rehearse(session, item, flags);
      return;
    }
    if (flags["yes"] !== true) await confirmDeletion(session, items, readOptions(session, flags));
    for (const [index, item] of items.entries()) {
      await deleteOne(session, item, flags).catch((error: unknown) => {
        const rest = items.slice(index + 1).map(itemName);
        if (rest.length > 0) session.output.note(`not deleted: ${rest.join(", ")}`);
        throw error;
      });
    }
  });
};

/** Adds the flags for kinds that have resources in a cloud. */
function addResourceFlags(command: Command): void {
  command
    .option("--force", "delete the entity even if cloud resources cannot be removed; they stay and are recorded as abandoned")
    .addOption(
      new Option(
        "--volumes <choice>",
        "retain or delete all volumes of persistent volume claims (default: the cluster's claimVolumes setting, or else each volume's reclaim policy)",
      ).choices(["retain", "delete"]),
    );
}

/** Throws if a flag says what happens to cloud resources and the kind has none of its own. */
function checkResourceFlags({ provisioned, collection }: Kind, flags: FlagValues): void {
  const flag = ["force", "volumes"].find((each) => flags[each] !== undefined);
  if (provisioned || flag === undefined) return;
  const message = `--${flag} is not supported for ${collection}, which have no cloud resources of their own`;
  throw new Fault(cliFaults.usage, message);
}

/** Shows what would be deleted. The server runs the same checks as for a real deletion. */
async function rehearse(session: Session, item: Item, flags: FlagValues): Promise<void> {
  const resource = resourceOf(session, item.kind, item.cluster);
  const { timeout: timeoutMs } = flags as { readonly timeout?: number };
  const options = { ...readOptions(session, flags), timeoutMs };
  const entity = await resource.delete(item.entity.metadata.name, { ...options, dryRun: true });
  const { isChosen } = session.output;
  if (options.cascade && !isChosen) {
    for await (const child of listBelow(session, item)) {
      await printDone(session, child, "would be deleted (dry run)");
      await printRemoval(session, child, { ...options, cascade: true, withOwner: true });
    }
  }
  await printDone(session, { ...item, entity }, "would be deleted (dry run)");
  if (!isChosen) await printRemoval(session, item, options);
}

async function printRemoval(session: Session, item: Item, choice: DeletionChoice): Promise<void> {
  for (const line of await previewDeletion(session, item, choice)) session.output.line(`  ${line}`);
}

async function deleteOne(session: Session, item: Item, flags: FlagValues): Promise<void> {
  const entity = await resourceOf(session, item.kind, item.cluster).delete(
    item.entity.metadata.name,
    readOptions(session, flags),
  );
  const deleted = { ...item, entity };
  const { deletedAt, operation: name } = entity.metadata;
  // An entity that has no infrastructure is deleted immediately, together with its operation.
  if (deletedAt === undefined) return printDone(session, deleted, "deleted");
  const wait = readWait(flags);
  if (wait === undefined || name === undefined) {
    noteAccepted(session, [{ item: deleted, accepted: name, done: "deleting" }]);
    return printDone(session, deleted, "is being deleted");
  }
  const [ended] = await waitForOperations(session, [{ project: session.project, name }], wait);
  const trouble = ended === undefined ? undefined : findTrouble([ended]);
  if (trouble !== undefined) throw trouble;
  for (const abandoned of ended?.status?.abandoned ?? []) session.output.note(`abandoned: ${abandoned}`);
  await printDone(session, deleted, "deleted");
}

function readOptions({ world }: Session, flags: FlagValues): DeletionChoice & { signal: AbortSignal } {
  const volumes = flags["volumes"] as DeletionChoice["volumes"];
  return { cascade: flags["cascade"] === true, force: flags["force"] === true, volumes, signal: world.signal };
}
