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
  const parents = above.map((row) => toPart(row.kind, parseEntity(row.object)));
  const account = findAccount(parents);
  return { ...toPart(kind, entity), parents, ...(account === undefined ? {} : { account }) };
}

function toPart(kind: string, { metadata, spec }: Pick<EntityJson, "metadata" | "spec">): JudgedPart {
  return { kind, metadata, spec };
}
