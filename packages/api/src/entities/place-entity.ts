import { findAccount, type EntityJson } from "@cloudwright/contract";
import type { LineageRow } from "@cloudwright/store";
import type { JudgedEntity, JudgedPart } from "./judge.ts";
import { parseEntity } from "../calls/trace-call.ts";

/** Builds the policy input for an entity. `above` contains its ancestors, nearest first. */
export function placeEntity(
  kind: string,
  entity: Pick<EntityJson, "metadata" | "spec">,
  above: readonly Pick<LineageRow, "kind" | "object">[],
): JudgedEntity {
  const parents = above.map(parsePart);
  const account = findAccount(parents);
  return { ...toPart(kind, entity), parents, ...(account === undefined ? {} : { account }) };
}

/** Maximum number of cached ancestors. Most new entities have the same few accounts and networks as ancestors. */
const mostParts = 200;
const parts = new Map<string, JudgedPart>();

/** Parses an ancestor, or returns it from the cache. Equal strings yield the same object, so callers must not modify it. */
export function parsePart({ kind, object }: Pick<LineageRow, "kind" | "object">): JudgedPart {
  // The text contains the uid, so it is unique per entity.
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
