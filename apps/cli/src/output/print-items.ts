import type { KindName } from "@cloudwright/contract/kinds";
import type { World } from "../world.ts";
import { columnsOf } from "./columns.ts";
import { itemName, toDocument, toListDocument, type Item } from "./item.ts";
import { isStructured, type Output } from "./output.ts";

/** Prints entities, in one table per kind. */
export async function printItems(
  deps: { output: Output; world: Pick<World, "clock"> },
  items: readonly Item[],
  options: { asList: boolean; heading?: boolean },
): Promise<void> {
  const { output, world } = deps;
  if (output.format === "name") for (const item of items) output.line(itemName(item));
  else if (isStructured(output.format)) {
    await output.structure(options.asList || items.length !== 1 ? toListDocument(items) : toDocument(items[0] as Item));
  } else {
    const groups = new Map<string, Item[]>();
    for (const item of items) {
      const group = groups.get(item.kind.kind) ?? [];
      group.push(item);
      groups.set(item.kind.kind, group);
    }
    for (const [index, [kind, rows]] of [...groups].entries()) {
      if (index > 0) output.line("");
      const shown = { nowMs: world.clock.now(), wide: output.format === "wide", paint: output.paint };
      output.table(columnsOf(kind as KindName, shown), rows, { heading: options.heading ?? true });
    }
  }
}

/** Prints the result of a change: one line, or the entity in the selected format. */
export async function printDone(deps: { output: Output; world: Pick<World, "clock"> }, item: Item, done: string): Promise<void> {
  if (deps.output.isChosen) await printItems(deps, [item], { asList: false });
  else deps.output.done(`${itemName(item)} ${done}`);
}
