import { isMap } from "../values/value.ts";
import type { CloudRecord, Inventory } from "./inventory.ts";

/**
 * Returns the records with the given tag, and the untagged records that belong to one of them. A record belongs to another one if it refers to that
 * record's id, or if its own id starts with that id. For example, a subnet's id starts with the id of its virtual network. Untagged records
 * can also contain the tag in another form: `cloudwright:entity=0199...` in a description, or `cloudwright-0199...-` at the start of a
 * name. Records that another entity owns are never returned.
 */
export async function listTagged(
  inventory: Inventory,
  tenant: string,
  tag: { readonly key: string; readonly value: string },
): Promise<readonly CloudRecord[]> {
  const all = await inventory.list(tenant);
  const tagged = all.filter((record) => tagsOf(record)[tag.key] === tag.value);
  const ids = new Set(tagged.map(({ id }) => id));
  const start = `${tag.key.split(":")[0] ?? ""}-${tag.value}-`;
  const isMeant = (value: unknown): boolean => typeof value === "string" && (ids.has(value) || value.startsWith(start));
  const dependent = all.filter(
    (record) =>
      tagsOf(record)[tag.key] === undefined &&
      !("tags" in record.attributes) &&
      (Object.values(record.attributes).some(isMeant) || isWithinOne(record, ids)),
  );
  return [...tagged, ...dependent];
}

/**
 * Returns whether a record's id shows that the record is part of one of the given resources. Resources that another service attaches to a
 * resource, such as role assignments, have ids that continue with `/providers/`. They are not part of that resource.
 */
function isWithinOne({ id }: CloudRecord, ids: ReadonlySet<string>): boolean {
  for (let end = id.lastIndexOf("/"); end > 0; end = id.lastIndexOf("/", end - 1))
    if (ids.has(id.slice(0, end))) return !id.slice(end).includes("/providers/");
  return false;
}

/**
 * Returns the tags of a record. Resources that cannot have tags carry them in their description, as `key=value` pairs separated by spaces.
 */
export function tagsOf({ attributes }: CloudRecord): Readonly<Record<string, unknown>> {
  const { tags, description } = attributes;
  if (isMap(tags)) return tags;
  const written = typeof description === "string" ? description.matchAll(/(cloudwright:\w+)=([^\s)]+)/g) : [];
  return Object.fromEntries([...written].map(([, key = "", value = ""]) => [key, value]));
}
