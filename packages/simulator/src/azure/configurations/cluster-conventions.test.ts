import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { listUnofficial } from "../../testing/list-unofficial.ts";
import { infra } from "../../testing/open-configuration.ts";
import { readHcl, type HclBlock } from "../../testing/read-hcl.ts";

const file = "terraform-schemas/azurerm-5.2.0.json";
const reference = join(processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] ?? "", file);
const hasReference = processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] !== undefined && existsSync(reference);
if (!hasReference)
  console.log(`skipped the comparison with the official schema: CLOUDWRIGHT_REFERENCE_DATA does not name a folder with ${file}`);

const places = globSync("kubernetes/azure/v*", { cwd: infra }).toSorted();
const readBlocks = (place: string): readonly HclBlock[] =>
  readdirSync(join(infra, place))
    .filter((name) => name.endsWith(".tf"))
    .flatMap((name) => readHcl(readFileSync(join(infra, place, name), "utf8")));

test("M138 Azure clusters have two versions, and the second one has another resource and upgrades the first", () => {
  const stack = JSON.parse(readFileSync(join(infra, "kubernetes/azure/v1.1.0/stack.json"), "utf8")) as object;
  expect(stack).toMatchObject({ upgradesFrom: ["v1.0.0"] });
  const list = (version: string): string[] =>
    readBlocks(`kubernetes/azure/${version}`).flatMap(({ type, labels }) => (type === "resource" ? [labels.join(".")] : []));
  expect(list("v1.1.0")).toEqual(expect.arrayContaining(list("v1.0.0")));
  expect(list("v1.1.0").length).toBeGreaterThan(list("v1.0.0").length);
});

test.each(places)("M067 %s pins the provider in both files", (place) => {
  const stack = JSON.parse(readFileSync(join(infra, place, "stack.json"), "utf8")) as object;
  expect(stack).toMatchObject({ providers: { "hashicorp/azurerm": "= 5.2.0" } });
  expect(readFileSync(join(infra, place, "versions.tf"), "utf8")).toContain('version = "= 5.2.0"');
});

test.each(places)(
  "M136 every resource of %s carries its owner and its own name, in tags, in the description or in its name",
  (place) => {
    const resources = readBlocks(place).filter(({ type }) => type === "resource");
    const unowned = resources.filter(({ labels: [type, name = ""], text }) => {
      if (type === "azurerm_federated_identity_credential") return !text.includes("cloudwright-${var.owner.entity}");
      if (type === "azurerm_role_assignment") return !text.includes(`\${local.described}${name}/`);
      return !/merge\(local\.(tags|owned)/.test(text) || !new RegExp(`"cloudwright:part" += "${name}`).test(text);
    });
    expect(resources.length).toBeGreaterThan(5);
    expect(unowned.map(({ labels }) => labels.join("."))).toEqual([]);
  },
);

// The published schemas lack this data source. The simulator's own schema for it follows the provider's source code.
const unpublished = ["data.azurerm_user_assigned_identity.given has no official type"];

test.skipIf(!hasReference).each(places)("M067 every attribute of %s is in the schema of azurerm 5.2.0", (place) => {
  const used = readBlocks(place).filter(({ type }) => type === "resource" || type === "data");
  expect(listUnofficial(used, reference, "registry.terraform.io/hashicorp/azurerm")).toEqual(unpublished);
});
