import type { CloudRecord, RecordKey } from "../../inventory/inventory.ts";
import type { HookContext } from "../../provider/definition.ts";
import { mapOf, textOf } from "../../values/read-value.ts";
import { isList, isMap, type Value, type ValueMap } from "../../values/value.ts";

/** The record of a vault that was deleted but not purged. The vault's name remains reserved. */
export interface DeletedVault extends Readonly<Record<string, Value>> {
  readonly name: string;
  readonly vault_id: string;
  readonly location: string;
  readonly purge_protection_enabled: boolean;
  readonly scheduled_purge_date: string;
}

const type = "azurerm_deleted_key_vault";

/** Finds a deleted vault by its name. Returns undefined if there is none or if its retention period has ended. */
export async function findDeleted(
  name: string,
  context: HookContext,
): Promise<{ readonly key: RecordKey; readonly vaultId: string } | undefined> {
  const found = await context.find({ type, id: name });
  if (found === undefined || isOver(found, context)) return undefined;
  return { key: { type, id: name }, vaultId: textOf(found.attributes["vault_id"]) };
}

/** Returns the deleted vaults whose retention period has ended. */
export async function listPurges(context: HookContext): Promise<readonly RecordKey[]> {
  return (await context.list(type)).filter((record) => isOver(record, context)).map(({ id }) => ({ type, id }));
}

/** Returns whether deleting a vault through the provider also purges it. */
export function isPurged(vault: ValueMap, { provider }: Pick<HookContext, "provider">): boolean {
  const features = provider["features"];
  const settings = isList(features) ? features[0] : features;
  const blocks = isMap(settings) ? settings["key_vault"] : undefined;
  const block = mapOf(isList(blocks) ? blocks[0] : undefined);
  return vault["purge_protection_enabled"] !== true && block["purge_soft_delete_on_destroy"] !== false;
}

function isOver({ attributes }: CloudRecord, { nowMs }: Pick<HookContext, "nowMs">): boolean {
  return Date.parse(textOf(attributes["scheduled_purge_date"])) <= nowMs;
}
