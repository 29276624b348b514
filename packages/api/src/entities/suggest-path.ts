import { getEntitySchema } from "@cloudwright/contract";
import { suggest } from "@cloudwright/platform";

/** Returns a suggestion such as ` (did you mean spec.network?)` for a mistyped field path, or "" if no field is similar enough. */
export function suggestPath(kind: string, path: readonly string[]): string {
  let message: ReturnType<typeof getEntitySchema> | undefined = getEntitySchema(kind);
  const meant: string[] = [];
  for (const name of path) {
    const near = suggest(name, message?.fields.map(({ jsonName }) => jsonName) ?? []);
    if (near === undefined) return "";
    meant.push(near);
    message = message?.fields.find(({ jsonName }) => jsonName === near)?.message;
  }
  const text = meant.join(".");
  return text === path.join(".") ? "" : ` (did you mean ${text}?)`;
}
