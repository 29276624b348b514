import type { AnyEntity } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { describeDrift, driftOf } from "../../data/drift-state.ts";
import { Tag } from "../../design/status.tsx";

/** Shows the result of an entity's last drift check, or that there was none. */
export function DriftTag({ entity }: { readonly entity: AnyEntity }): ReactNode {
  const { word, tone } = describeDrift(driftOf(entity));
  return <Tag tone={tone}>{word}</Tag>;
}
