import type { World } from "../world.ts";
import { itemName, type Item } from "./item.ts";
import type { Output } from "./output.ts";
import { printItems } from "./print-items.ts";

/** Prints a new API key, which is shown only once. Standard output contains only the key. */
export async function printKey(deps: { output: Output; world: Pick<World, "clock"> }, item: Item, done: string): Promise<void> {
  if (deps.output.isChosen) return printItems(deps, [item], { asList: false });
  deps.output.note(`${itemName(item)} ${done}; the key is shown only once:`);
  deps.output.line((item.entity.status as { key?: string } | undefined)?.key ?? "");
}
