import type { ApiCall } from "../../api/api-service.ts";
import { takeTurn } from "../../cloud/turns.ts";
import type { RecordKey } from "../../inventory/inventory.ts";
import { mapOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { checkTags } from "./check-sizes.ts";

/** Changes the tags of a record. Changing tags does not start an operation, so the resource does not become busy. */
export async function changeTags(
  { scope }: ApiCall,
  { type, id }: RecordKey,
  change: { readonly added?: Readonly<Record<string, string>>; readonly removed?: readonly string[] },
): Promise<void> {
  const { inventory, tenant } = scope;
  const removed = new Set(change.removed);
  const apply = (tags: ValueMap): ValueMap =>
    Object.fromEntries([...Object.entries(tags).filter(([key]) => !removed.has(key)), ...Object.entries(change.added ?? {})]);
  await takeTurn(inventory, tenant, async () => {
    const record = await inventory.find(tenant, { type, id });
    if (record === undefined) return;
    const { attributes } = record;
    if (change.added !== undefined) checkTags(apply(mapOf(attributes["tags"])), tooManyTagsCode(type));
    const tags = { tags: apply(mapOf(attributes["tags"])), tags_all: apply(mapOf(attributes["tags_all"])) };
    await inventory.put(tenant, { type, id, attributes: { ...attributes, ...tags } });
  });
}

/** Returns the error code for too many tags, which depends on the service of the resource type. */
function tooManyTagsCode(type: string): string {
  if (type.startsWith("aws_eks_")) return "BadRequestException";
  return type.startsWith("aws_iam_") ? "LimitExceeded" : "TagLimitExceeded";
}
