import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Schema, Schemas } from "./schema.ts";

let loaded: Record<string, Schema> | undefined;

/** The schemas of the kinds that every cluster serves; read when first asked for, and shared by all clusters. */
export const builtInSchemas: Schemas = createSchemas((name) => {
  loaded ??= JSON.parse(readFileSync(join(import.meta.dirname, "../gen/schemas.json"), "utf8")) as Record<string, Schema>;
  return loaded[name];
});

/** Schemas of which some come from elsewhere, such as a cluster's own definitions. */
export function createSchemas(find: (name: string) => Schema | undefined): Schemas {
  const resolve = (schema: Schema | undefined): Schema | undefined =>
    schema?.$ref === undefined ? schema : resolve(find(schema.$ref));
  return { find, resolve };
}
