import type { CloudRecord } from "../../inventory/inventory.ts";

/** Name of an attribute that is not in the schema: the number of objects in the bucket. `cloud sim drift` sets it. */
const countName = "object_count";

/** Returns the number of objects in a simulated bucket. */
export function countObjects(bucket: CloudRecord | undefined): number {
  const count = bucket?.attributes[countName];
  return typeof count === "number" && Number.isInteger(count) && count > 0 ? count : 0;
}
