import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import type { TypeSchema } from "../schema/schema.ts";
import type { ProviderDefinition } from "./definition.ts";

/** Returns the schema of a resource type or data source. Throws if the provider does not have it. */
export function getSchema(
  definition: ProviderDefinition,
  type: string,
  kind: "resources" | "dataSources" = "resources",
): TypeSchema {
  const found = definition.schema[kind][type];
  if (found === undefined) throw new Fault(simulatorFaults.bad_schema, `${definition.name} has no ${kind} of type ${type}`);
  return found;
}
