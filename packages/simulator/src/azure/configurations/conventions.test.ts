import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { listUnofficial } from "../../testing/list-unofficial.ts";
import { infra } from "../../testing/open-configuration.ts";
import { readHcl, type HclBlock } from "../../testing/read-hcl.ts";
import moreTypes from "../more-types.json" with { type: "json" };
import azureSchema from "../schema.json" with { type: "json" };

const file = "terraform-schemas/azurerm-5.2.0.json";
const reference = join(processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] ?? "", file);
const hasReference = processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] !== undefined && existsSync(reference);
if (!hasReference)
  console.log(`skipped the comparison with the official schema: CLOUDWRIGHT_REFERENCE_DATA does not name a folder with ${file}`);

const places = globSync("{network,storage}/azure/v*", { cwd: infra }).toSorted();
const readBlocks = (place: string): readonly HclBlock[] =>
  readdirSync(join(infra, place))
    .filter((name) => name.endsWith(".tf"))
    .flatMap((name) => readHcl(readFileSync(join(infra, place, name), "utf8")));

test("M138 Azure networks and storages have two versions, and the second one upgrades the first", () => {
  for (const service of ["network", "storage"]) {
    expect(places).toEqual(expect.arrayContaining([`${service}/azure/v1.0.0`, `${service}/azure/v1.1.0`]));
    const second = readFileSync(join(infra, service, "azure/v1.1.0/stack.json"), "utf8");
    expect(JSON.parse(second)).toMatchObject({ upgradesFrom: ["v1.0.0"] });
    const list = (version: string): string[] =>
      readBlocks(`${service}/azure/${version}`).flatMap(({ type, labels }) => (type === "resource" ? [labels.join(".")] : []));
    expect(list("v1.1.0")).toEqual(expect.arrayContaining(list("v1.0.0")));
    expect(list("v1.1.0").length).toBeGreaterThanOrEqual(list("v1.0.0").length);
  }
});

test.each(places)("M067 %s pins the provider in both files", (place) => {
  const stack = JSON.parse(readFileSync(join(infra, place, "stack.json"), "utf8")) as { providers: object };
  expect(stack.providers).toMatchObject({ "hashicorp/azurerm": "= 5.2.0" });
  expect(readFileSync(join(infra, place, "versions.tf"), "utf8")).toContain('version = "= 5.2.0"');
});

test.each(places)("M136 every resource of %s that can have tags carries its owner and its own name", (place) => {
  const resources = readBlocks(place).filter(({ type }) => type === "resource");
  expect(resources.flatMap(findUnowned)).toEqual([]);
});

const types = { ...azureSchema.resources, ...moreTypes.resources } as Readonly<Record<string, { readonly of: object }>>;

function findUnowned({ labels: [type = "", name = ""], text, attributes }: HclBlock): string[] {
  if (type === "azurerm_role_assignment") return attributes["description"] === undefined ? [`${type}.${name} has no owner`] : [];
  if (!Object.hasOwn(types[type]?.of ?? {}, "tags")) return [];
  const part = /"cloudwright:part" += "([^"/]+)/.exec(text)?.[1];
  if (!/merge\(local\.\w*tags/.test(text)) return [`${type}.${name} has no tags of its owner`];
  return part === name ? [] : [`${type}.${name} calls itself ${part ?? "nothing"}`];
}

// The published schema lacks these types. Their schemas in more-types.json and schema.json follow the provider's source code.
const unpublished = [
  "azurerm_network_security_rule",
  "azurerm_private_dns_zone",
  "azurerm_private_dns_zone_virtual_network_link",
  "azurerm_route",
  "azurerm_storage_container_immutability_policy",
  "azurerm_storage_management_policy",
];

test.skipIf(!hasReference).each(places)("M067 every attribute of %s is in the official schema, and none is missing", (place) => {
  const used = readBlocks(place).filter(
    ({ type, labels: [name = ""] }) =>
      (type === "resource" && !unpublished.includes(name)) || (type === "data" && name === "azurerm_client_config"),
  );
  expect(used.length).toBeGreaterThan(0);
  expect(listUnofficial(used, reference, "registry.terraform.io/hashicorp/azurerm")).toEqual([]);
});
