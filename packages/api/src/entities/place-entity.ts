import type { EntityJson } from "@cloudwright/contract";
import type { LineageRow } from "@cloudwright/store";
import type { JudgedEntity, JudgedPart } from "./judge.ts";
import { parseEntity } from "../calls/trace-call.ts";

/** An entity with what it lies in, the nearest first, as policies see it. */
export function placeEntity(
  kind: string,
  entity: Pick<EntityJson, "metadata" | "spec">,
  above: readonly Pick<LineageRow, "kind" | "object">[],
): JudgedEntity {
  const parents = above.map((row) => toPart(row.kind, parseEntity(row.object)));
  const account = parents.find((parent) => parent.kind === "Account");
  return { ...toPart(kind, entity), parents, ...(account === undefined ? {} : { account }) };
}

function toPart(kind: string, { metadata, spec }: Pick<EntityJson, "metadata" | "spec">): JudgedPart {
  return { kind, metadata, spec };
}
