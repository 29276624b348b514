import { processEnvironment } from "@cloudwright/platform";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform } from "../../testing/open-configuration.ts";
import { listUnofficial } from "../../testing/list-unofficial.ts";
import { readHcl, type HclBlock } from "../../testing/read-hcl.ts";
import awsSchema from "../schema.json" with { type: "json" };

const reference = join(processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] ?? "", "terraform-schemas/aws.json");
const hasReference = processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] !== undefined && existsSync(reference);
if (!hasReference)
  console.log(
    "skipped the comparison with the official schema: CLOUDWRIGHT_REFERENCE_DATA does not name a folder with terraform-schemas/aws.json",
  );

const listFolders = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
const places = listFolders(infra).flatMap((service) =>
  listFolders(join(infra, service)).flatMap((cloud) =>
    listFolders(join(infra, service, cloud)).map((version) => `${service}/${cloud}/${version}`),
  ),
);
const readBlocks = (place: string): readonly HclBlock[] =>
  readdirSync(join(infra, place))
    .filter((name) => name.endsWith(".tf"))
    .flatMap((name) => readHcl(readFileSync(join(infra, place, name), "utf8")));
const nameOf = ({ type, labels }: HclBlock): string => [type, ...labels].join(".");

describe.skipIf(!terraform.found)("Terraform validates every configuration", () => {
  test.each(places)("M067 %s is formatted and valid", async (place) => {
    const stack = await openConfiguration(join(infra, place), createMemoryInventory());
    onTestFinished(stack.close);
    expect((await stack.attempt("fmt", "-check", "-list=true")).output).toBe("");
    expect(JSON.parse((await stack.run("validate", "-json")).output)).toMatchObject({ valid: true, diagnostics: [] });
  });
});

test.each(places)("M067 %s documents its variables and outputs, contains no secret, and tags its resources", (place) => {
  const blocks = readBlocks(place);
  const ofType = (type: string): HclBlock[] => blocks.filter((block) => block.type === type);
  const lacks = (block: HclBlock, ...names: string[]): string[] =>
    names.filter((name) => block.attributes[name] === undefined).map((name) => `${nameOf(block)}: ${name}`);
  expect(blocks.map(({ type }) => type).filter((type) => !known.has(type))).toEqual([]);
  expect(ofType("variable").flatMap((block) => lacks(block, "description", "type"))).toEqual([]);
  expect(ofType("output").flatMap((block) => lacks(block, "description", "value"))).toEqual([]);
  // Boolean variables need no validation. The v0 configurations are already released and must not change.
  const isFirst = /\/v0\./.test(place);
  const unchecked = ofType("variable").filter(
    ({ attributes, blocks: inner }) =>
      !isFirst && attributes["type"] !== "bool" && !inner.some(({ type }) => type === "validation"),
  );
  expect(unchecked.map(nameOf)).toEqual([]);
  // Credentials come from the environment, so the provider block sets only the location of resources.
  const settings = ofType("provider").flatMap(({ attributes }) => Object.keys(attributes));
  expect(settings.filter((name) => !placeSettings.has(name))).toEqual([]);
  expect(place.includes("/aws/") ? settings : ["region"]).toEqual(["region"]);
  expect(blocks.filter(({ text }) => /(access_key|secret_key|token|password) += "/.test(text)).map(nameOf)).toEqual([]);
  expect(ofType("resource").flatMap(findUntagged)).toEqual([]);
});

const placeSettings = new Set(["region", "project", "resource_provider_registrations", "storage_use_azuread"]);

const known = new Set(["terraform", "provider", "locals", "variable", "output", "resource", "data", "moved", "check"]);

/** Checks that a taggable resource has its owner's tags, and a `cloudwright:part` tag that starts with the resource's name. */
function findUntagged({ labels: [type = "", name = ""], text, attributes }: HclBlock): string[] {
  const resources = awsSchema.resources as Readonly<Record<string, object>>;
  if (!/"tags_all"/.test(JSON.stringify(resources[type]))) return [];
  const part = /"cloudwright:part" += "([^"/]+)/.exec(text)?.[1];
  if (attributes["tags"] === undefined || !/merge\(local\.\w*tags/.test(text))
    return [`${type}.${name} has no tags of its owner`];
  return part === name ? [] : [`${type}.${name} calls itself ${part ?? "nothing"}`];
}

test.skipIf(!hasReference).each(places.filter((place) => place.includes("/aws/")))(
  "M067 every attribute of %s is in the official schema",
  (place) => {
    const used = readBlocks(place).filter(({ type }) => type === "resource" || type === "data");
    expect(used.length).toBeGreaterThan(0);
    expect(listUnofficial(used, reference, "registry.terraform.io/hashicorp/aws")).toEqual([]);
  },
);
