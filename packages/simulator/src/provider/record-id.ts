import type { Block } from "../schema/schema.ts";
import type { Value } from "../values/value.ts";
import { isMap } from "../values/value.ts";

/** The id of what a state is about. Types without an attribute for it have it in the private part of the state. */
export function findRecordId(block: Block, state: Value, privateState: Buffer): string | undefined {
  if (block.attributes["id"] === undefined) return parseId(privateState);
  const id = isMap(state) ? state["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/** The private part of a state. */
export function printPrivateState(block: Block, id: string, before: Buffer): Buffer {
  return block.attributes["id"] === undefined ? Buffer.from(JSON.stringify({ id })) : before;
}

// Somebody may have edited the state: what is no id of ours is none.
function parseId(privateState: Buffer): string | undefined {
  try {
    const { id } = JSON.parse(privateState.toString("utf8")) as { id: unknown };
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}
