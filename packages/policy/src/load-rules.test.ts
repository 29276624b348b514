import { Fault } from "@cloudwright/platform";
import fc from "fast-check";
import { expect, test } from "vitest";
import { policyLimits } from "./limits.ts";
import { loadRules } from "./load-rules.ts";
import { writeRule } from "./testing/examples.ts";

function violationsOf(...texts: string[]): string[] {
  try {
    loadRules(texts.map((text, index) => ({ name: `rules-${index}.yaml`, text })));
  } catch (error) {
    if (error instanceof Fault && error.code === "policy.bad_rules")
      return error.fields.map(({ field, message }) => `${field} ${message}`);
    throw error;
  }
  return [];
}

test("M222 all problems are reported together, each with file, line, column and rule", () => {
  const text = `rules:
  - name: first
    description: a rule
    severity: never
    on: entity
    check: |
      metadata.name == "x" &&
        nobody == 1
    message: "{{ metadata.name"
    fix: mend it
    colour: red
`;
  expect(violationsOf(text)).toEqual([
    expect.stringMatching(/^rules-0\.yaml:11:5 rule first: unknown field "colour"/),
    expect.stringMatching(/^rules-0\.yaml:4:15 rule first: severity /),
    expect.stringMatching(/^rules-0\.yaml:6:12 rule first: check: at 2:3 of the expression: unknown name "nobody"/),
    expect.stringMatching(/^rules-0\.yaml:9:14 rule first: message: /),
  ]);
});

test("M222 files that contain no rules are rejected", () => {
  const texts = [
    "",
    "- a",
    "just a text",
    "rules: [",
    "rules: {}",
    "rules: 1",
    "rules: [1]",
    "rules:\n\t- a: b",
    "rules: []\nrules: []",
    "rules: []\n---\nrules: []",
    "rules: []\nmore: 1",
    "rules: &a [*a]",
    "values: &v [1]\nrules: []\ndescription: *v",
    "values: { a: &v [1], b: *v }\nrules: []",
    "values: 1\nrules: []",
    "values: {1: 2}\nrules: []",
    "rules: !!js/function x",
    `values: ${"[".repeat(100)}${"]".repeat(100)}\nrules: []`,
    `rules: [] #${"x".repeat(policyLimits.fileChars)}`,
  ];
  expect(texts.filter((text) => violationsOf(text).length === 0)).toEqual([]);
  expect(violationsOf("rules: []")).toEqual([]);
});

test("M222 rules with unknown, missing or mistyped fields are rejected", () => {
  const given: object[] = [
    { name: "Not A Name" },
    { name: 1 },
    { name: "__proto__" },
    { severity: "MUST" },
    { on: "account" },
    { check: "" },
    { check: [] },
    { check: true },
    { check: ["true", 1] },
    { check: null },
    { message: "" },
    { message: { text: "x" } },
    { message: "x".repeat(policyLimits.textChars + 1) },
    { message: "{{ item.x }}" },
    { fix: undefined },
    { description: undefined },
    { match: [] },
    { match: { kind: ["Cluster"] } },
    { match: { kinds: "Cluster" } },
    { match: { kinds: [] } },
    { match: { kinds: [1] } },
    { match: { clouds: ["amazon"] } },
    { match: { labels: ["a"] } },
    { match: { labels: { a: 1 } } },
    { check: "changes.all(c, true)" },
    { check: "item.x == 1" },
    { when: "1 +" },
    { each: "[1, 2" },
    { path: "{{ }}" },
    { ["constructor"]: "x" },
    JSON.parse('{"__proto__": {"severity": "may"}}') as object,
  ];
  for (const fields of given) {
    const text = Object.hasOwn(fields, "__proto__")
      ? writeRule({ colour: fields }).replace('"colour":{"__proto__":{"severity":"may"}}', '"__proto__":{"severity":"may"}')
      : writeRule(fields);
    expect({ text, isRefused: violationsOf(text).length > 0 }).toEqual({ text, isRefused: true });
  }
  expect(violationsOf(writeRule())).toEqual([]);
});

test("M222 two rules with the same name are rejected, even in different files", () => {
  expect(violationsOf(writeRule(), writeRule())).toHaveLength(1);
});

test("M222 too many rules are rejected", () => {
  const rule = (index: number) => ({ ...JSON.parse(writeRule()).rules[0], name: `rule-${index}` }) as object;
  const file = (from: number) => JSON.stringify({ rules: Array.from({ length: 501 }, (_, index) => rule(from + index)) });
  expect(violationsOf(file(0), file(501))).toHaveLength(1);
});

test("M222 any file is either loaded or rejected with a fault", () => {
  const words = fc.constantFrom(
    "rules:",
    "- name: a",
    "  check: x",
    "values:",
    "{{",
    "}}",
    "[",
    "]",
    "{",
    "}",
    "&a",
    "*a",
    "<<: *a",
    "\n",
    "  ",
    "!!map",
    "? ",
    "|",
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(words, { maxLength: 30 }).map((parts) => parts.join(" ")),
  );
  fc.assert(
    fc.property(text, (any) => {
      expect(() => violationsOf(any)).not.toThrow();
    }),
    { numRuns: 500 },
  );
});
