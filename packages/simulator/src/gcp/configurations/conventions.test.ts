import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { listUnofficial } from "../../testing/list-unofficial.ts";
import { infra } from "../../testing/open-configuration.ts";
import { readHcl, type HclBlock } from "../../testing/read-hcl.ts";
import gcpSchema from "../schema.json" with { type: "json" };

const file = "terraform-schemas/google-7.45.0.json";
const reference = join(processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] ?? "", file);
const hasReference = processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] !== undefined && existsSync(reference);
if (!hasReference)
  console.log(`skipped the comparison with the official schema: CLOUDWRIGHT_REFERENCE_DATA does not name a folder with ${file}`);

const places = globSync("*/gcp/v*", { cwd: infra }).toSorted();
const readBlocks = (place: string): readonly HclBlock[] =>
  readdirSync(join(infra, place))
    .filter((name) => name.endsWith(".tf"))
    .flatMap((name) => readHcl(readFileSync(join(infra, place, name), "utf8")));

test("M138 Google Cloud networks, clusters and storages have two versions, and the second one upgrades the first", () => {
  for (const service of ["network", "kubernetes", "storage"]) {
    expect(places).toEqual(expect.arrayContaining([`${service}/gcp/v1.0.0`, `${service}/gcp/v1.1.0`]));
    const second = readFileSync(join(infra, service, "gcp/v1.1.0/stack.json"), "utf8");
    expect(JSON.parse(second)).toMatchObject({ upgradesFrom: ["v1.0.0"] });
    const list = (version: string): string[] =>
      readBlocks(`${service}/gcp/${version}`).flatMap(({ type, labels }) => (type === "resource" ? [labels.join(".")] : []));
    expect(list("v1.1.0")).toEqual(expect.arrayContaining(list("v1.0.0")));
    expect(list("v1.1.0").length).toBeGreaterThan(list("v1.0.0").length);
  }
});

test.each(places)("M067 %s pins the provider in both files", (place) => {
  const stack = JSON.parse(readFileSync(join(infra, place, "stack.json"), "utf8")) as { providers: object };
  expect(stack.providers).toMatchObject({ "hashicorp/google": "= 7.45.0" });
  expect(readFileSync(join(infra, place, "versions.tf"), "utf8")).toContain('version = "= 7.45.0"');
});

test.each(places)("M136 every resource of %s carries its owner and its own name, in labels or in the description", (place) => {
  const resources = readBlocks(place).filter(({ type }) => type === "resource");
  expect(resources.flatMap(findUnowned)).toEqual([]);
});

function findUnowned({ labels: [type = "", name = ""], text, attributes }: HclBlock): string[] {
  const { of: settings = {} } = (gcpSchema.resources as Readonly<Record<string, { readonly of?: object }>>)[type] ?? {};
  const label = ["resource_labels", "labels"].find((each) => Object.hasOwn(settings, each));
  if (label === undefined && !Object.hasOwn(settings, "description")) return [];
  if (label === undefined) {
    const part = /local\.owned\w*\}([^/}]+)\//.exec(attributes["description"] ?? "")?.[1];
    return part === name ? [] : [`${type}.${name} calls itself ${part ?? "nothing"}`];
  }
  const part = /cloudwright_part += "([a-z_]+?)(?:__2f|")/.exec(text)?.[1];
  if (!/merge\(local\.\w*labels/.test(text)) return [`${type}.${name} has no labels of its owner`];
  return part === name ? [] : [`${type}.${name} calls itself ${part ?? "nothing"}`];
}

test.skipIf(!hasReference).each(places)("M067 every attribute of %s is in the official schema, and none is missing", (place) => {
  const used = readBlocks(place).filter(({ type }) => type === "resource" || type === "data");
  expect(used.length).toBeGreaterThan(0);
  expect(listUnofficial(used, reference, "registry.terraform.io/hashicorp/google")).toEqual([]);
});
