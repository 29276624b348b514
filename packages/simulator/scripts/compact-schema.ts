/**
 * Creates a compact schema file from the output of `terraform providers schema -json`:
 *   node packages/simulator/scripts/compact-schema.ts <schema.json> <provider address> <type>... [-- <data source>...] > compact.json
 * If no types are given, the file contains all of them.
 */
import { readFileSync } from "node:fs";
import { printSchema } from "../src/schema/compact-schema.ts";
import { readTerraformSchema, type TerraformProviderSchema } from "../src/schema/terraform-schema.ts";

const [file = "", address = "", ...names] = process.argv.slice(2);
const { provider_schemas: printed } = JSON.parse(readFileSync(file, "utf8")) as {
  provider_schemas: Record<string, TerraformProviderSchema>;
};
const provider = printed[address];
if (provider === undefined) {
  console.error(`${file} does not contain ${address}; it contains ${Object.keys(printed).join(", ")}`);
  process.exit(2);
}
const split = names.includes("--") ? names.indexOf("--") : names.length;
const choice = names.length === 0 ? {} : { resources: names.slice(0, split), dataSources: names.slice(split + 1) };
const { provider: settings, resources, dataSources } = printSchema(readTerraformSchema(provider, choice));
console.log(`{
"provider": ${JSON.stringify(settings)},
"resources": ${printLines(resources)},
"dataSources": ${printLines(dataSources)}
}`);

// One line per type keeps the file small and its diffs readable.
function printLines(types: object = {}): string {
  const lines = Object.entries(types).map(([name, type]) => `${JSON.stringify(name)}: ${JSON.stringify(type)}`);
  return `{\n${lines.join(",\n")}\n}`;
}
