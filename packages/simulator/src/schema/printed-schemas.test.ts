import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { azureProvider } from "../azure/provider.ts";
import azureSchema from "../azure/schema.json" with { type: "json" };
import { gcpProvider } from "../gcp/provider.ts";
import gcpSchema from "../gcp/schema.json" with { type: "json" };
import { printSchema, type CompactSchema } from "./compact-schema.ts";
import { readTerraformSchema, type TerraformProviderSchema } from "./terraform-schema.ts";
import { awsProvider } from "../aws/provider.ts";
import awsSchema from "../aws/schema.json" with { type: "json" };

interface PrintedSchemas {
  readonly provider_schemas: Record<string, TerraformProviderSchema>;
}

const folder = processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] ?? "";
const fileOf = (name: string): string => join(folder, "terraform-schemas", `${name}.json`);
const isThere = folder !== "" && existsSync(fileOf("aws"));
if (!isThere)
  console.log(
    "skipped the comparison with official schemas: CLOUDWRIGHT_REFERENCE_DATA does not name a folder with terraform-schemas/aws.json",
  );

// Types that the pinned version's schema lacks are compared with the schema of an older version.
test.skipIf(!isThere).each([
  ["aws", ["aws"], awsSchema],
  ["google", ["google", "google-7.45.0"], gcpSchema],
  ["azurerm", ["azurerm", "azurerm-5.2.0"], azureSchema],
])("every type of the simulated %s has the official schema", (name, files, compact) => {
  const official = files
    .map((file) => (JSON.parse(readFileSync(fileOf(file), "utf8")) as PrintedSchemas).provider_schemas)
    .map((schemas) => schemas[`registry.terraform.io/hashicorp/${name}`] ?? {})
    .reduce((older, newer) => ({
      ...newer,
      resource_schemas: { ...older.resource_schemas, ...newer.resource_schemas },
      data_source_schemas: { ...older.data_source_schemas, ...newer.data_source_schemas },
    }));
  const { resources = {}, dataSources = {} } = compact as CompactSchema;
  const choice = { resources: Object.keys(resources), dataSources: Object.keys(dataSources) };
  expect(compact).toEqual(printSchema(readTerraformSchema(official, choice)));
});

test("every type in a provider's schema has hooks", () => {
  for (const { schema, resources = {}, dataSources = {} } of [awsProvider, gcpProvider, azureProvider]) {
    expect(Object.keys(resources).toSorted()).toEqual(Object.keys(schema.resources).toSorted());
    expect(Object.keys(dataSources).toSorted()).toEqual(Object.keys(schema.dataSources).toSorted());
  }
  expect(Object.keys(awsProvider.resources ?? {})).toHaveLength(65);
});
