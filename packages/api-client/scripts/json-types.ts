import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Renders the JSON types of the generated code into one self-contained file. The rest of the generated code needs descriptors, which
 * clients do not load.
 */
export function renderJsonTypes(folder: string): string {
  const files = readdirSync(folder).filter((name) => name.endsWith("_pb.ts"));
  const types = files.toSorted().flatMap((name) => extractJsonTypes(readFileSync(join(folder, name), "utf8")));
  return `${[...wellKnown, ...types].join("\n\n")}\n`;
}

const wellKnown = [
  "/** A timestamp in RFC 3339 format. */\nexport type TimestampJson = string;",
  "/** Comma-separated field paths. */\nexport type FieldMaskJson = string;",
  "/** Any JSON value. */\nexport type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };",
  "/** A message field that can hold any JSON value. */\nexport type ValueJson = JsonValue;",
  "/** Any JSON object. */\nexport type StructJson = { [key: string]: JsonValue };",
];

function extractJsonTypes(source: string): string[] {
  const declarations = source.matchAll(/(?:\/\*\*(?:(?!\*\/)[^])*\*\/\n)?export type \w+Json = \{[^]*?\n\};\n/g);
  return [...declarations].map(([text]) =>
    text
      .replace(/^ *\* @generated .*\n/gm, "")
      .replace(/^ *\*\n(?= *\*\/)/gm, "")
      .replace(/^ *\/\*\*\n *\*\/\n/gm, "")
      .trimEnd(),
  );
}
