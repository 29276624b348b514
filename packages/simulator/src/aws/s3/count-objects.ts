import type { CloudRecord } from "../../inventory/inventory.ts";
import type { ValueMap } from "../../values/value.ts";

/** An attribute that is not in the schema: the number of objects that Terraform did not create. `cloud sim drift` sets it. */
const countName = "object_count";

/** Returns the number of objects in a simulated bucket: those created by Terraform, plus the recorded count of all others. */
export function countObjects(bucket: CloudRecord | undefined, objects: readonly CloudRecord[]): number {
  const own = objects.filter(({ attributes }) => attributes["bucket"] === bucket?.id).length;
  return own + readCount(bucket?.attributes ?? {});
}

function readCount(attributes: ValueMap): number {
  const count = attributes[countName];
  return typeof count === "number" && Number.isInteger(count) && count > 0 ? count : 0;
}
