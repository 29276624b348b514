import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { describeFinding } from "./decision.ts";
import { policyLimits } from "./limits.ts";
import { bookOf, entitySubject, planSubject } from "./testing/examples.ts";
import type { PolicyObject } from "./subject.ts";

test("M220 a violation denies, warns or only informs, depending on the rule's severity", () => {
  const outcomes = ["must", "should", "may"].map((severity) => decide(bookOf({ severity, check: "false" }), entitySubject()));
  expect(outcomes.map(({ outcome, findings }) => [outcome, findings.length])).toEqual([
    ["denied", 1],
    ["warned", 1],
    ["allowed", 1],
  ]);
  expect(decide(bookOf({ check: "true" }), entitySubject())).toEqual({ outcome: "allowed", findings: [] });
});

test("M220 a rule that cannot be evaluated counts as violated, and the finding names it", () => {
  const broken = [
    "spec.nothing",
    "spec.nothing.deeper == 1",
    "1",
    "'true'",
    "semverCompare(spec.network, '1') > 0",
    "1 / 0 == 1",
  ];
  for (const check of broken) {
    const decision = decide(bookOf({ check }), entitySubject());
    expect({ check, ...decision }).toMatchObject({ check, outcome: "denied", findings: [{ rule: "example", isError: true }] });
    expect(decision.findings).toHaveLength(1);
    expect(decision.findings[0]?.message).toContain("example");
  }
  for (const given of [{ when: "spec.nothing" }, { each: "spec.nothing" }, { each: "spec" }, { each: "1" }]) {
    expect({ given, ...decide(bookOf(given), entitySubject()) }).toMatchObject({
      given,
      outcome: "denied",
      findings: [{ isError: true }],
    });
  }
  expect(decide(bookOf({ check: "spec.nothing", severity: "should" }), entitySubject()).outcome).toBe("warned");
});

test("M222 every check must pass, but only where the rule applies", () => {
  expect(decide(bookOf({ check: ["true", "false"] }), entitySubject()).outcome).toBe("denied");
  expect(decide(bookOf({ check: "false", when: "kind == 'Network'" }), entitySubject()).outcome).toBe("allowed");
  expect(decide(bookOf({ check: "false", on: "plan" }), entitySubject()).outcome).toBe("allowed");
  expect(decide(bookOf({ check: "false", on: "plan" }), planSubject([])).outcome).toBe("denied");
});

test("M222 a rule applies to the kinds, clouds, environments and labels that it names", () => {
  const isFor = (match: object, subject = entitySubject()) =>
    decide(bookOf({ match, check: "false" }), subject).outcome === "denied";
  expect(isFor({ kinds: ["Network", "Cluster"], clouds: ["aws"], environments: ["prod"], labels: { tier: "g*" } })).toBe(true);
  expect(isFor({ kinds: ["Network"] })).toBe(false);
  expect(isFor({ clouds: ["gcp"] })).toBe(false);
  expect(isFor({ environments: ["pro?", "x"] })).toBe(true);
  expect(isFor({ environments: ["production"] })).toBe(false);
  expect(isFor({ labels: { tier: "gold", other: "*" } })).toBe(false);
  expect(isFor({ labels: { constructor: "*" } })).toBe(false);
  const pool = entitySubject({
    kind: "NodePool",
    metadata: { name: "blue" },
    parents: [{ kind: "Cluster", metadata: { name: "main", environment: "staging" }, spec: {} }],
  });
  expect(isFor({ environments: ["staging"] }, pool)).toBe(true);
  const { entity } = entitySubject({ kind: "Account", metadata: {}, spec: { gcp: {} }, parents: [] });
  const { account: _none, ...account } = entity;
  expect(isFor({ clouds: ["gcp"] }, { on: "entity", entity: account })).toBe(true);
});

test("M222 each finding says in one line what is wrong, where, and how to fix it", () => {
  const name = `x\ny\u2028${"z".repeat(500)}`;
  const book = bookOf({
    each: "spec.list",
    check: "item.ok",
    path: "spec.list[{{ item.name }}]",
    message: "{{ metadata.name }} has {{ item }} and {{ item.nothing }} of {{ size(spec.list) }}, {{ spec.list.map(i, i.name) }}",
  });
  const decision = decide(
    book,
    entitySubject({
      metadata: { name },
      spec: {
        list: [
          { name: "a", ok: true },
          { name: "b", ok: false },
        ],
      },
    }),
  );
  expect(decision.findings).toHaveLength(1);
  const [finding] = decision.findings;
  expect(finding?.path).toBe("spec.list[b]");
  expect(finding?.message).toMatch(/^x y z+\.\.\. has name, ok and \(unknown\) of 2, a, b$/);
  expect(finding === undefined ? "" : describeFinding(finding)).toMatch(/^spec\.list\[b\]: x y .* \(example\)\. Mend it\.$/);
});

test("M222 a long list of findings is truncated, and the remaining findings are counted", () => {
  const book = bookOf({ each: "spec.list", check: "false", path: "{{ item }}" });
  const { findings } = decide(book, entitySubject({ spec: { list: Array.from({ length: 250 }, (_, index) => index) } }));
  expect(findings).toHaveLength(policyLimits.findingsPerRule + 1);
  expect(findings.map(({ message }) => message)).toContain("and 150 more violations of this rule");
});

test("M220 a subject that is too large, too deep or too costly is denied by every rule that applies to it", () => {
  let deep: PolicyObject = {};
  for (let level = 0; level < 10_000; level += 1) deep = { deep };
  const large = { list: Array.from({ length: policyLimits.subjectValues }, () => 1) };
  const long = { text: "x".repeat(policyLimits.subjectChars + 1) };
  for (const spec of [deep, large, long]) {
    expect(decide(bookOf({ check: "true" }), entitySubject({ spec }))).toMatchObject({
      outcome: "denied",
      findings: [{ rule: "example", isError: true }],
    });
    expect(decide(bookOf({ check: "true", severity: "should" }), entitySubject({ spec })).outcome).toBe("warned");
    expect(decide(bookOf({ check: "true", match: { kinds: ["Network"] } }), entitySubject({ spec })).outcome).toBe("allowed");
  }
  const costly = bookOf({ each: "spec.list", check: "spec.list.all(a, a == 1)" });
  const { findings } = decide(costly, entitySubject({ spec: { list: Array.from({ length: 3000 }, () => 1) } }));
  expect(findings).toEqual([expect.objectContaining({ isError: true })]);
});

test("M220 names that JavaScript defines have no meaning in expressions", () => {
  const spec = JSON.parse('{"__proto__": {"admin": true}, "constructor": "x", "toString": 1}') as PolicyObject;
  const holds = (check: string) => decide(bookOf({ check }), entitySubject({ spec })).outcome === "allowed";
  expect(holds("!has(spec.admin) && !('admin' in spec)")).toBe(true);
  expect(holds("spec['__proto__'].admin && spec.constructor == 'x' && spec.toString == 1")).toBe(true);
  expect(holds("!has(spec.valueOf) && !has(metadata.constructor) && !has(account.hasOwnProperty)")).toBe(true);
  expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
});

test("M222 integers become int, null counts as absent, and labels are always present", () => {
  const subject = entitySubject({ metadata: { name: "x" }, spec: { size: 3, ratio: 0.5, none: null } });
  const check = ["spec.size + 1 == 4", "spec.ratio < 1", "!has(spec.none)", "spec.none == null", "!('tier' in metadata.labels)"];
  expect(decide(bookOf({ check }), subject)).toEqual({ outcome: "allowed", findings: [] });
  expect(
    decide(bookOf({ check: "account.spec.aws.accountId == '123456789012' && parents[0].kind == 'Network'" }), subject).outcome,
  ).toBe("allowed");
});
