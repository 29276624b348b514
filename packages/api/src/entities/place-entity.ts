import { findAccount, type EntityJson } from "@cloudwright/contract";
import type { LineageRow } from "@cloudwright/store";
import type { JudgedEntity, JudgedPart } from "./judge.ts";
import { parseEntity } from "../calls/trace-call.ts";

/** Renders an entity for policies, with everything above it, nearest first. */
export function placeEntity(
  kind: string,
  entity: Pick<EntityJson, "metadata" | "spec">,
  above: readonly Pick<LineageRow, "kind" | "object">[],
): JudgedEntity {
  const parents = above.map(parsePart);
  const account = findAccount(parents);
  return { ...toPart(kind, entity), parents, ...(account === undefined ? {} : { account }) };
}

/** How many parsed ancestors are remembered. A few accounts and networks are above most new entities. */
const mostParts = 200;
const parts = new Map<string, JudgedPart>();

/** Parses an ancestor. The same text gives the same object, which nobody may change, so that it is parsed and converted for rules once. */
export function parsePart({ kind, object }: Pick<LineageRow, "kind" | "object">): JudgedPart {
  // No two entities have the same text: it contains the uid.
  const known = parts.get(object);
  if (known !== undefined) return known;
  const part = toPart(kind, parseEntity(object));
  const [oldest] = parts.keys();
  if (oldest !== undefined && parts.size >= mostParts) parts.delete(oldest);
  parts.set(object, part);
  return part;
}

function toPart(kind: string, { metadata, spec }: Pick<EntityJson, "metadata" | "spec">): JudgedPart {
  return { kind, metadata, spec };
}
