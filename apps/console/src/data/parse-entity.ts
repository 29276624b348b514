import type { AnyEntity } from "@cloudwright/api-client";
import { LineCounter, parseDocument } from "yaml";

/** The parsed entity, or a syntax error with its position. */
export type Parsed =
  | { readonly entity: AnyEntity & { readonly kind?: string } }
  | { readonly problem: string; readonly line: number };

/** Parses an entity from YAML. Limits aliases, because nested aliases can expand exponentially. */
export function parseEntity(text: string): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, schema: "core", maxAliasCount: 10 } as Parameters<
    typeof parseDocument
  >[1]);
  const [error] = document.errors;
  if (error !== undefined) return { problem: error.message.split("\n")[0] ?? "", line: lines.linePos(error.pos[0]).line };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 10 });
  } catch (failure) {
    return { problem: failure instanceof Error ? failure.message : String(failure), line: 1 };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { problem: "expected an entity with kind, metadata and spec", line: 1 };
  return { entity: value as AnyEntity };
}
