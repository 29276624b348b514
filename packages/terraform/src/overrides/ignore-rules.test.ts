import { expect, test } from "vitest";
import { parsePlan } from "../reading/plan.ts";
import { dropIgnoredChanges, renderIgnoreRules } from "./ignore-rules.ts";
import { readResources } from "./read-resources.ts";

const main = `
# resource "a" "comment" { lifecycle { ignore_changes = [x] } }
/* resource "a" "comment" { */
resource "aws_vpc" "main" {
  name = "}\${ "{" } resource \\"a\\" \\"b\\" {"
  text = <<-END
    resource "a" "heredoc" { lifecycle { ignore_changes = [x] } }
  END
  lifecycle {
    prevent_destroy = true
    ignore_changes = [
      tags["a, b"], # why
      pool[0].size,
      /* no, */ name
    ]
  }
  nested { lifecycle { ignore_changes = [wrong] } }
}
resource aws_subnet all {
  lifecycle { ignore_changes = all }
}
resource "aws_subnet" "plain" {}
module "x" { lifecycle = { ignore_changes = [wrong] } }`;

test("X033 the resources of a configuration are found in both syntaxes, with the changes that they ignore", () => {
  const json = { resource: [{ aws_eip: { a: [{ lifecycle: [{ ignore_changes: ["tags"] }] }] } }] };
  const files = [
    ["z_override.tf.json", JSON.stringify({ resource: { aws_eip: { a: { lifecycle: { ignore_changes: ["domain"] } } } } })],
    ["main.tf", main],
    ["more.tf.json", JSON.stringify(json)],
    ["modules/a/main.tf", 'resource "a" "below" {}'],
    ["broken.tf.json", "{"],
    ["readme.md", 'resource "a" "text" {}'],
  ] as const;
  expect(readResources(files)).toEqual([
    { type: "aws_vpc", name: "main", ignoreChanges: ['tags["a, b"]', "pool[0].size", "name"] },
    { type: "aws_subnet", name: "all", ignoreChanges: "all" },
    { type: "aws_subnet", name: "plain" },
    { type: "aws_eip", name: "a", ignoreChanges: ["domain"] },
  ]);
});

test("X033 rules become ignored attributes of matching resources, in addition to those of the configuration", () => {
  const resources = [
    { type: "aws_eks_node_group", name: "main", ignoreChanges: ["tags"] },
    { type: "aws_eks_node_group", name: "other" },
    { type: "aws_vpc", name: "main" },
    { type: "aws_vpc", name: "all", ignoreChanges: "all" as const },
  ];
  const rules = [
    { address: "aws_eks_node_group.*", path: "scaling_config[0].desired_size" },
    { address: "*.main", path: 'tags["owner"]' },
    { address: "aws_vpc.all", path: "cidr_block" },
    { address: "aws_vpc", path: "cidr_block" },
    { address: "aws.vpc.main", path: "cidr_block" },
  ];
  expect(renderIgnoreRules(rules, resources)).toEqual({
    resource: {
      aws_eks_node_group: {
        main: { lifecycle: { ignore_changes: ["tags", "scaling_config[0].desired_size", 'tags["owner"]'] } },
        other: { lifecycle: { ignore_changes: ["scaling_config[0].desired_size"] } },
      },
      aws_vpc: { main: { lifecycle: { ignore_changes: ['tags["owner"]'] } } },
    },
  });
  expect(renderIgnoreRules([], resources)).toEqual({});
});

test.each([
  ["a*c.*", "abc.d", true],
  ["a*c.*", "ac.d", true],
  ["a*c.*", "acb.d", false],
  ["ab*bc.d", "abc.d", false],
  ["*.*", "a.b", true],
  ["*", "a.b", false],
  ["*.b*b*c", "a.bxbxc", true],
  ["*.b*b*c", "a.bc", false],
  ["a.b.*", "a.b", false],
  [`*.${"*a".repeat(500)}b`, `x.${"a".repeat(500)}`, false],
] as const)("X033 the pattern %s and the address %s: %s", (address, resource, isMatch) => {
  const [type = "", name = ""] = resource.split(".");
  expect(Object.keys(renderIgnoreRules([{ address, path: "tags" }], [{ type, name }]))).toHaveLength(isMatch ? 1 : 0);
});

test.each(["", "tags[", "[0]", "a..b", ".a", 'tags["${x}"]', "a b", "tags['x']", 'tags["a"', "${file(1)}"])(
  "X033 %j is not an attribute path",
  (path) => {
    const render = () => renderIgnoreRules([{ address: "a.b", path }], [{ type: "a", name: "b" }]);
    expect(render).toThrow(expect.objectContaining({ code: "terraform.bad_option" }));
  },
);

test("X033 ignored attributes are omitted from drift, and a deleted resource is reported as a whole", () => {
  const change = (name: string, before: object | null, after: object | null) => ({
    address: `aws_vpc.${name}`,
    mode: "managed",
    type: "aws_vpc",
    name,
    change: { actions: after === null ? ["delete"] : ["update"], before, after },
  });
  const { plan } = parsePlan(
    JSON.stringify({
      format_version: "1.2",
      resource_drift: [
        change("ignored", { tags: { owner: "a", x: "1" } }, { tags: { owner: "b", x: "1" } }),
        change("both", { tags: { owner: "a", x: "1" } }, { tags: { owner: "b", x: "2" } }),
        change("new", { tags: null }, { tags: { owner: "b" } }),
        change("more", { tags: null }, { tags: { owner: "b", x: "2" } }),
        change("list", { pool: [{ size: 1, name: "a" }] }, { pool: [{ size: 2, name: "a" }] }),
        change("gone", { tags: { owner: "a" } }, null),
        { ...change("module", { tags: { owner: "a" } }, { tags: { owner: "b" } }), module_address: "module.a" },
      ],
    }),
  );
  const rules = [
    { address: "aws_vpc.*", path: 'tags["owner"]' },
    { address: "*", path: "pool[0].size" },
    { address: "aws_vpc.list", path: "pool[0].size" },
  ];
  const left = dropIgnoredChanges(plan.drift, rules).map(({ name, changedPaths }) => [
    name,
    changedPaths.map(({ path }) => path.join(".")),
  ]);
  expect(left).toEqual([
    ["both", ["tags.x"]],
    ["more", ["tags"]],
    ["gone", [""]],
    ["module", ["tags.owner"]],
  ]);
});
