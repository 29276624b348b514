import { isMap } from "../values/value.ts";
import type { CloudRecord, Inventory } from "./inventory.ts";

/**
 * Returns the records that carry a tag, and the untagged records that refer to one of them or contain the tag in another way:
 * `cloudwright:entity=0199...` in a description, or `cloudwright-0199...-` at the start of a name.
 */
export async function listTagged(
  inventory: Inventory,
  tenant: string,
  tag: { readonly key: string; readonly value: string },
): Promise<readonly CloudRecord[]> {
  const all = await inventory.list(tenant);
  const tagged = all.filter(({ attributes }) => isMap(attributes["tags"]) && attributes["tags"][tag.key] === tag.value);
  const ids = new Set(tagged.map(({ id }) => id));
  const dependent = all.filter(
    ({ attributes }) =>
      !("tags" in attributes) &&
      Object.values(attributes).some(
        (value) =>
          typeof value === "string" &&
          (ids.has(value) ||
            value.split(" ").includes(`${tag.key}=${tag.value}`) ||
            value.startsWith(`${tag.key.split(":")[0] ?? ""}-${tag.value}-`)),
      ),
  );
  return [...tagged, ...dependent];
}
