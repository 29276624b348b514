import type { CloudRecord } from "../../inventory/inventory.ts";
import type { ValueMap } from "../../values/value.ts";

/** An attribute beyond the schema: the number of objects that others put into a bucket. `cloud sim drift` sets it. */
const countName = "object_count";

/** Returns the number of objects in a simulated bucket: those created by Terraform, plus those recorded as put there by others. */
export function countObjects(bucket: CloudRecord | undefined, objects: readonly CloudRecord[]): number {
  const own = objects.filter(({ attributes }) => attributes["bucket"] === bucket?.id).length;
  return own + readCount(bucket?.attributes ?? {});
}

function readCount(attributes: ValueMap): number {
  const count = attributes[countName];
  return typeof count === "number" && Number.isInteger(count) && count > 0 ? count : 0;
}
