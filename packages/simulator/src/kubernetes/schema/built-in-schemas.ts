import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findField } from "../cluster/own-fields.ts";
import type { Schema, Schemas } from "./schema.ts";

let loaded: Record<string, Schema> | undefined;

/** The schemas of built-in kinds. They are loaded on first use and shared by all clusters. */
export const builtInSchemas: Schemas = createSchemas((name) => {
  loaded ??= JSON.parse(readFileSync(join(import.meta.dirname, "../gen/schemas.json"), "utf8")) as Record<string, Schema>;
  return findField(loaded, name);
});

/** Creates a `Schemas` that looks up schemas with the given function. */
export function createSchemas(find: (name: string) => Schema | undefined): Schemas {
  const resolve = (schema: Schema | undefined): Schema | undefined =>
    schema?.$ref === undefined ? schema : resolve(find(schema.$ref));
  return { find, resolve };
}
