import type { Block } from "../schema/schema.ts";
import type { Value } from "../values/value.ts";
import { isMap } from "../values/value.ts";

/** Returns the id of the record that a Terraform state describes. If the type has no id attribute, the id is in the private state. */
export function findRecordId(block: Block, state: Value, privateState: Buffer): string | undefined {
  if (block.attributes["id"] === undefined) return parseId(privateState);
  const id = isMap(state) ? state["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/** Renders the private state of a record. */
export function printPrivateState(block: Block, id: string, before: Buffer): Buffer {
  return block.attributes["id"] === undefined ? Buffer.from(JSON.stringify({ id })) : before;
}

// Users can edit the state, so malformed private data is ignored.
function parseId(privateState: Buffer): string | undefined {
  try {
    const { id } = JSON.parse(privateState.toString("utf8")) as { id: unknown };
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}
