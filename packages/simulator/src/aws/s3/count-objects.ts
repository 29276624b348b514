import type { CloudRecord } from "../../inventory/inventory.ts";
import type { ValueMap } from "../../values/value.ts";

/** What a bucket's record may say beyond its schema: how many objects others have put into it. `cloud sim drift` sets it. */
const countName = "object_count";

/** How many objects a simulated bucket holds: those that Terraform made, and those that its record says others have put there. */
export function countObjects(bucket: CloudRecord | undefined, objects: readonly CloudRecord[]): number {
  const own = objects.filter(({ attributes }) => attributes["bucket"] === bucket?.id).length;
  return own + readCount(bucket?.attributes ?? {});
}

function readCount(attributes: ValueMap): number {
  const count = attributes[countName];
  return typeof count === "number" && Number.isInteger(count) && count > 0 ? count : 0;
}
