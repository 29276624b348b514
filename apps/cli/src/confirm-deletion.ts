import { Fault } from "@cloudwright/platform/fault";
import type { Session } from "./connection/session.ts";
import { listBelow, resourceOf } from "./entities.ts";
import { cliFaults } from "./faults.ts";
import { renderPhase } from "./output/columns.ts";
import { previewDeletion, type DeletionChoice } from "./operations/preview-deletion.ts";
import { itemName, type Item } from "./output/item.ts";
import { confirm, askText } from "./prompt.ts";
import { cliKindOf } from "./kinds/registry.ts";

interface Options extends DeletionChoice {
  readonly signal: AbortSignal;
}

/** Returns true if the user must type the entity's name, because no single command can undo the deletion. */
function isGrave({ kind }: Item): boolean {
  return kind.provisioned || cliKindOf(kind).confirmByName === true;
}

/** Shows what will be deleted and asks for confirmation. Throws if there is no terminal to ask on. */
export async function confirmDeletion(session: Session, items: readonly Item[], options: Options): Promise<void> {
  const { world } = session;
  if (!world.stdin.isTTY || !world.stderr.isTTY) {
    const names = items.map(itemName).join(", ");
    throw new Fault(cliFaults.not_confirmed, `${names}: not deleted, because there is no terminal to confirm on; add --yes`);
  }
  for (const item of items) await confirmOne(session, item, options);
}

async function confirmOne(session: Session, item: Item, options: Options): Promise<void> {
  const { world, target, project } = session;
  const { name } = item.entity.metadata;
  await resourceOf(session, item.kind, item.cluster).delete(name, { ...options, dryRun: true });
  const where = `${item.kind.scope === "global" ? "" : ` in project ${project}`} on ${target.server}`;
  const below = options.cascade ? await renderBelow(session, item, options) : [];
  if (!isGrave(item)) {
    if (await confirm(world, `Delete ${itemName(item)}${below.length > 0 ? " and all its descendants" : ""}${where}?`)) return;
    throw new Fault(cliFaults.not_confirmed, `${itemName(item)}: not deleted`);
  }
  const lines = [
    `The following will be deleted${where}:`,
    `  ${renderOne(item)}`,
    ...(await previewDeletion(session, item, options)).map((line) => `    ${line}`),
    ...below.map((line) => `  ${line}`),
    ...(options.force ? [forced] : []),
  ];
  world.stderr.write(`${lines.join("\n")}\n`);
  if ((await askText(world, `Type ${name} to delete ${below.length > 0 ? "all of it" : "it"}`)) === name) return;
  throw new Fault(cliFaults.not_confirmed, `${itemName(item)}: not deleted`);
}

const forced =
  "--force: resources that cannot be removed stay in the cloud, are recorded as abandoned and are no longer managed.";

const mostShown = 20;

async function renderBelow(session: Session, item: Item, options: Options): Promise<string[]> {
  const lines: string[] = [];
  let count = 0;
  for await (const child of listBelow(session, item)) {
    if ((count += 1) > mostShown) continue;
    const made = await previewDeletion(session, child, { ...options, cascade: true, withOwner: true });
    lines.push(renderOne(child), ...made.map((line) => `  ${line}`));
  }
  return count > mostShown ? [...lines, `and ${count - mostShown} more`] : lines;
}

function renderOne(item: Item): string {
  const phase = renderPhase(item);
  const kept = item.entity.metadata.deletionPolicy === "retain" ? "; its infrastructure is retained in the cloud" : "";
  return `${itemName(item)}${phase === "" ? "" : ` (${phase})`}${kept}`;
}
