import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { severities } from "./decision.ts";
import { loadRules } from "./load-rules.ts";
import type { PolicyObject } from "./subject.ts";
import { entitySubject, planSubject, writeRule } from "./testing/examples.ts";

const checks = [
  "true",
  "false",
  "spec.a == 1",
  "spec.at('b', 0) == 1",
  "size(spec) < 2",
  "metadata.labels.tier == 'gold'",
  "spec.map(k, k).all(k, k != 'c')",
];
const rule = fc.record({
  severity: fc.constantFrom(...severities),
  check: fc.constantFrom(...checks),
  on: fc.constantFrom("entity", "plan"),
});
const rules = fc.array(rule, { maxLength: 8 }).map((all) => all.map((given, index) => ({ ...given, name: `rule-${index}` })));
const spec = fc.dictionary(
  fc.oneof(fc.constantFrom("a", "b", "c", "__proto__"), fc.string()),
  fc.jsonValue(),
) as fc.Arbitrary<PolicyObject>;

test("M220 X035 a decision is deterministic and does not depend on the order of the rules", () => {
  const shuffled = rules.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
  fc.assert(
    fc.property(shuffled, spec, fc.boolean(), ([given, other], anySpec, isPlan) => {
      const [one, two] = [given, other].map((all) =>
        loadRules(all.map((fields) => ({ name: "f.yaml", text: writeRule(fields) }))),
      );
      const { entity } = entitySubject({ spec: anySpec });
      const subject = isPlan ? { ...planSubject([]), entity } : { on: "entity" as const, entity };
      if (one === undefined || two === undefined) throw new Error("two books");
      const before = JSON.stringify(subject);
      const decision = decide(one, subject);
      expect(decide(one, subject)).toEqual(decision);
      expect(decide(two, subject)).toEqual(decision);
      expect(JSON.stringify(subject)).toBe(before);
    }),
    { numRuns: 200 },
  );
});

test("M220 the most severe finding determines the outcome, and an additional rule never makes it milder", () => {
  const rank = { allowed: 0, warned: 1, denied: 2 };
  const worst = { must: "denied", should: "warned", may: "allowed" } as const;
  fc.assert(
    fc.property(rules, spec, (given, anySpec) => {
      const outcomes = given.map((_, index) => {
        const book = loadRules(given.slice(0, index + 1).map((fields) => ({ name: "f.yaml", text: writeRule(fields) })));
        const { outcome, findings } = decide(book, entitySubject({ spec: anySpec }));
        expect(outcome).toBe(findings[0] === undefined ? "allowed" : worst[findings[0].severity]);
        return rank[outcome];
      });
      expect(outcomes).toEqual(outcomes.toSorted((a, b) => a - b));
    }),
    { numRuns: 100 },
  );
});
