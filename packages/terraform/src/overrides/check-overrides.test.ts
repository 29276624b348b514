import type { ReadonlyJson, ReadonlyJsonObject } from "@cloudwright/platform";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkOverrides } from "./check-overrides.ts";

const allowed = { providers: ["aws", "terraform"] };
const pathsOf = (overrides: unknown) => checkOverrides(overrides as ReadonlyJsonObject, allowed).map(({ path }) => path);
const vpc = (body: ReadonlyJson): ReadonlyJsonObject => ({ resource: { aws_vpc: { main: body } } });

test("M076 arguments, locals and conditions with pure expressions are accepted in every form of the JSON syntax", () => {
  const fine: ReadonlyJsonObject[] = [
    {},
    { "//": "file('x') in a comment" },
    vpc({
      "//": "why: ${file(x)}",
      cidr_block: "10.0.0.0/8",
      tags: { Name: "${upper(var.name)}-${local.suffix}", path: "a", module: "b" },
    }),
    { resource: [{ aws_vpc: [{ main: [{ cidr_block: "x" }] }] }, { aws_subnet: { a: null } }] },
    vpc({ count: "${length(var.zones) > 1 ? 2 : 1}", depends_on: ["aws_iam_role.a"], provider: "aws.other" }),
    vpc({
      dynamic: {
        ingress: { for_each: "${toset([for k, v in local.ports : v if v > 0])}", content: { port: "${ingress.value}" } },
      },
    }),
    vpc({ user_data: "%{ if (var.on) ~}on%{ else }off%{ endif }%{ for x in local.list }${x.path}%{ endfor }" }),
    vpc({ text: "$${file(1)} %%{path.module} costs 5$ {and} 100%" }),
    vpc({ text: '${jsonencode({ path = "}", terraform = { a : "\\"}${lower("${var.x}")}" } })}' }),
    vpc({ lifecycle: { prevent_destroy: true, create_before_destroy: false, ignore_changes: ['tags["a b"]', "pool[0].size"] } }),
    vpc({
      lifecycle: [
        { precondition: { condition: "${self.id != null}", error_message: "no" }, replace_triggered_by: ["aws_vpc.b[each.key]"] },
      ],
    }),
    { locals: [{ a: "${max(1, 2)}" }, { b: [1, true, null] }] },
    { provider: { aws: { max_retries: 3, retry_mode: "adaptive" } } },
    { data: { aws_ami: { a: { most_recent: true } } }, resource: { terraform_data: { a: { input: 1 } } } },
  ];
  for (const overrides of fine) expect(checkOverrides(overrides, allowed)).toEqual([]);
});

test("M076 blocks that run code, move the state or are reserved for the platform are rejected", () => {
  for (const word of "terraform module output variable import moved removed check ephemeral action list encryption".split(" ")) {
    expect(pathsOf({ [word]: {} })).toEqual([word]);
  }
  const refused: [ReadonlyJsonObject, string][] = [
    [vpc({ provisioner: [{ "local-exec": { command: "id" } }] }), "resource.aws_vpc.main.provisioner"],
    [vpc([{ connection: { host: "x" } }]), "resource.aws_vpc.main[0].connection"],
    [vpc({ dynamic: { x: { content: { provisioner: {} } } } }), "resource.aws_vpc.main.dynamic.x.content.provisioner"],
    [vpc({ _: { a: "x" } }), "resource.aws_vpc.main._"],
    [vpc({ provider: "google" }), "resource.aws_vpc.main.provider"],
    [vpc({ provider: { aws: 1 } }), "resource.aws_vpc.main.provider"],
    [vpc("text"), "resource.aws_vpc.main"],
    [vpc({ lifecycle: { prevent_destroy: false } }), "resource.aws_vpc.main.lifecycle.prevent_destroy"],
    [vpc({ lifecycle: { prevent_destroy: "${false}" } }), "resource.aws_vpc.main.lifecycle.prevent_destroy"],
    [vpc({ lifecycle: { destroy: false } }), "resource.aws_vpc.main.lifecycle.destroy"],
    [vpc({ lifecycle: { action_trigger: {} } }), "resource.aws_vpc.main.lifecycle.action_trigger"],
    [vpc({ lifecycle: { ignore_changes: "all" } }), "resource.aws_vpc.main.lifecycle.ignore_changes"],
    [vpc({ lifecycle: { ignore_changes: ["all"] } }), "resource.aws_vpc.main.lifecycle.ignore_changes"],
    [vpc({ lifecycle: { ignore_changes: ["${file(1)}"] } }), "resource.aws_vpc.main.lifecycle.ignore_changes[0]"],
    [vpc({ depends_on: ["module.a"] }), "resource.aws_vpc.main.depends_on[0]"],
    [{ resource: { google_x: { a: {} } } }, "resource.google_x.a"],
    [{ resource: { local_file: { a: {} } } }, "resource.local_file.a"],
    [{ resource: { "${x}": { a: {} } } }, 'resource["${x}"].a'],
    [{ resource: { aws_vpc: { "//": {} } } }, 'resource.aws_vpc["//"]'],
    [{ resource: [[{ aws_vpc: { main: {} } }]] }, "resource[0]"],
    [{ resource: { aws_s3_object: { a: { source: "/proc/self/environ" } } } }, "resource.aws_s3_object.a.source"],
    [{ data: { external: { a: { program: ["id"] } } } }, "data.external.a"],
    [{ data: { http: { a: {} } } }, "data.http.a"],
    [{ data: { terraform_remote_state: { a: {} } } }, "data.terraform_remote_state.a"],
    [{ provider: { google: {} } }, "provider.google"],
    [{ provider: { aws: { endpoints: { s3: "http://x" } } } }, "provider.aws.endpoints"],
    [{ provider: { aws: [{ assume_role: {} }] } }, "provider.aws[0].assume_role"],
    [{ provider: { aws: { max_retries: "${1}" } } }, "provider.aws.max_retries"],
    [{ locals: { a: "${path.module}" } }, "locals.a"],
    [{ locals: "x" }, "locals"],
  ];
  for (const [overrides, path] of refused) expect(pathsOf(overrides)).toEqual([path]);
  expect(checkOverrides(vpc({}), { providers: ["external", "local"] })).toHaveLength(1);
  expect(checkOverrides({ data: { external: { a: {} } } }, { providers: ["external"] })).toHaveLength(1);
});

test("M076 reserved names cannot be overridden in any form", () => {
  const reserving = { ...allowed, reserved: ["tags", "tag"] };
  const refused: [ReadonlyJsonObject, string][] = [
    [vpc({ tags: {} }), "resource.aws_vpc.main.tags"],
    [vpc({ tag: [{ key: "a" }] }), "resource.aws_vpc.main.tag"],
    [vpc({ dynamic: { tag: { for_each: [] } } }), "resource.aws_vpc.main.dynamic.tag"],
    [vpc({ dynamic: [{ a: {} }, { tag: {} }] }), "resource.aws_vpc.main.dynamic[1].tag"],
    [{ locals: { tags: {} } }, "locals.tags"],
  ];
  for (const [overrides, path] of refused) {
    expect(checkOverrides(overrides, reserving).map((problem) => problem.path)).toEqual([path]);
    expect(checkOverrides(overrides, allowed)).toEqual([]);
  }
});

const violations = [
  '${file("/etc/passwd")}',
  '${ file ("x") }',
  '${templatefile("x", {})}',
  '${templatestring("x", {})}',
  '${fileset(".", "*")}',
  '${fileexists("x")}${filebase64("x")}${filesha256("x")}',
  '${pathexpand("~")}',
  '${abspath(".")}',
  "${timestamp()}",
  "${uuid()}",
  "${nonsensitive(var.x)}",
  "${provider::aws::arn_parse(1)}",
  '${core::file("x")}',
  "${path.module}",
  "${[path][0].module}",
  "${terraform.workspace}",
  "${tofu.workspace}",
  "${module.a.b}",
  '${"${"${file("x")}"}"}',
  '${upper("\\"${path.cwd}")}',
  "%{ if path.module == 1 }a%{ endif }",
  "%{ for x in fileset(1, 2) ~}a%{ endfor }",
  "a ${1 /* } */ + path.module}",
  "${1 # }\n+ path.module}",
  "${<<E\n${path.module}\nE\n}",
  "$$${path.module}",
  "%%%{ if path.module }",
  "${path.module",
  '${"open',
];

test.each(violations)("M076 the template %s is rejected wherever it occurs", (violation) => {
  const places: ReadonlyJsonObject[] = [
    vpc({ a: violation }),
    vpc({ a: [{ b: { c: [violation] } }] }),
    vpc({ a: { [violation]: 1 } }),
    vpc({ count: violation }),
    vpc({ for_each: violation }),
    vpc({ dynamic: { x: { for_each: violation, content: {} } } }),
    vpc({ depends_on: [violation] }),
    vpc({ provider: violation }),
    vpc({ lifecycle: { ignore_changes: [violation] } }),
    vpc({ lifecycle: { replace_triggered_by: violation } }),
    vpc({ lifecycle: { postcondition: { condition: violation } } }),
    { data: { aws_ami: [{ a: [{ x: violation }] }] } },
    { locals: { a: { b: violation } } },
    { provider: { aws: { request_reason: violation } } },
    { resource: { aws_vpc: { [violation]: {} } } },
    { resource: { [violation]: { a: {} } } },
    { [violation]: {} },
  ];
  for (const overrides of places) expect(checkOverrides(overrides, allowed)).not.toEqual([]);
});

test("M076 an override that is too large, too deep or not JSON is rejected as a whole", () => {
  let deep: ReadonlyJson = 1;
  for (let level = 0; level < 50_000; level += 1) deep = [deep];
  const cyclic: Record<string, unknown> = {};
  cyclic["a"] = cyclic;
  const whole = [
    vpc({ a: deep }),
    vpc({ a: "x".repeat(300_000) }),
    vpc({ a: Array.from({ length: 20_000 }, () => 1) }),
    { resource: cyclic },
  ];
  for (const overrides of [...whole, null, [], "text", 5, undefined, { locals: { a: 1n } }, { locals: { a: Number.NaN } }]) {
    expect(checkOverrides(overrides as ReadonlyJsonObject, allowed)).toMatchObject([{ path: "" }]);
  }
  expect(pathsOf(vpc({ a: `\${${"[".repeat(5000)}${'"${'.repeat(5000)}` }))).toEqual(["resource.aws_vpc.main.a"]);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`a${index}`, "${path.root}"]));
  expect(pathsOf(vpc(many))).toHaveLength(100);
});

const words = fc.constantFrom(
  "resource",
  "data",
  "locals",
  "aws_vpc",
  "main",
  "lifecycle",
  "provider",
  "aws",
  "//",
  "a",
  "dynamic",
  "ignore_changes",
  "__proto__",
);
const pieces = fc.array(
  fc.constantFrom(
    "${",
    "%{",
    "}",
    '"',
    "\\",
    "$",
    "%",
    "file",
    "(",
    ")",
    "path",
    ".",
    "module",
    " ",
    "a",
    "<<",
    "#",
    "::",
    "~",
    "{",
    "\n",
    "in",
  ),
  { maxLength: 30 },
);
const tree = fc.letrec<{ node: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(
    fc.string(),
    pieces.map((list) => list.join("")),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
  ),
  node: fc.oneof(
    { maxDepth: 7 },
    tie("leaf"),
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(words, fc.string()), tie("node"), { maxKeys: 5 }),
  ),
})).node;

test("M076 no input makes the check throw, and each problem says where it is and what to do", () => {
  fc.assert(
    fc.property(fc.oneof(tree, fc.anything()), (input) => {
      for (const { path, message } of checkOverrides(input as ReadonlyJsonObject, allowed)) {
        expect(typeof path).toBe("string");
        expect(message.length).toBeGreaterThan(10);
      }
    }),
    { numRuns: 2000 },
  );
});

test("M076 a violation planted anywhere is found", () => {
  fc.assert(
    fc.property(tree, fc.constantFrom(...violations), fc.nat(), (inner, violation, at) => {
      const body = { a: inner, b: inner };
      const planted = plant(body, violation, at);
      expect(checkOverrides(vpc(planted as ReadonlyJson), allowed)).not.toEqual([]);
      expect(checkOverrides({ locals: planted as ReadonlyJson }, allowed)).not.toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

// Replaces one leaf of the value with the violation.
function plant(value: unknown, violation: string, at: number): unknown {
  if (typeof value !== "object" || value === null) return violation;
  // Comments in a block are not checked, so the violation must not replace one.
  const keys = Object.keys(value).filter((key) => key !== "//");
  if (keys.length === 0) return Array.isArray(value) ? [violation] : { planted: violation };
  const key = keys[at % keys.length] as string;
  const inner = plant((value as Record<string, unknown>)[key], violation, Math.floor(at / keys.length));
  if (Array.isArray(value)) return (value as unknown[]).map((each, index) => (String(index) === key ? inner : each));
  return { ...value, [key]: inner };
}
