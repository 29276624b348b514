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

const folder = processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] ?? "";
const fileOf = (name: string): string => join(folder, "terraform-schemas", `${name}.json`);
const isThere = folder !== "" && existsSync(fileOf("aws"));
if (!isThere)
  console.log(
    "skipped the comparison with official schemas: CLOUDWRIGHT_REFERENCE_DATA does not name a folder with terraform-schemas/aws.json",
  );

test.skipIf(!isThere).each([
  ["aws", awsSchema],
  ["google", gcpSchema],
  ["azurerm", azureSchema],
])("every type of the simulated %s has the official schema", (name, compact) => {
  const printed = JSON.parse(readFileSync(fileOf(name), "utf8")) as {
    provider_schemas: Record<string, TerraformProviderSchema>;
  };
  const official = printed.provider_schemas[`registry.terraform.io/hashicorp/${name}`];
  const { resources = {}, dataSources = {} } = compact as CompactSchema;
  const choice = { resources: Object.keys(resources), dataSources: Object.keys(dataSources) };
  expect(compact).toEqual(printSchema(readTerraformSchema(official ?? {}, choice)));
});

test("every type in a provider's schema has hooks", () => {
  for (const { schema, resources = {}, dataSources = {} } of [awsProvider, gcpProvider, azureProvider]) {
    expect(Object.keys(resources).toSorted()).toEqual(Object.keys(schema.resources).toSorted());
    expect(Object.keys(dataSources).toSorted()).toEqual(Object.keys(schema.dataSources).toSorted());
  }
  expect(Object.keys(awsProvider.resources ?? {})).toHaveLength(65);
});
