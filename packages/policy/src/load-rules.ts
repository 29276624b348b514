import { Fault, type FieldViolation } from "@cloudwright/platform";
import { policyFaults } from "./faults.ts";
import { policyLimits } from "./limits.ts";
import { readRules } from "./read-rules.ts";
import type { Rule, RuleBook } from "./rule.ts";
import { YamlFile } from "./yaml-file.ts";

/** Name and content of a rule file. The name appears only in messages; this package does not read files. */
export interface RuleFile {
  readonly name: string;
  readonly text: string;
}

/** Parses rules from YAML. One invalid rule rejects the whole set, because a missing rule would silently allow what it should deny. */
export function loadRules(files: readonly RuleFile[]): RuleBook {
  const violations: FieldViolation[] = [];
  const rules: Rule[] = [];
  for (const { name, text } of files) {
    const file = new YamlFile(name, violations);
    const root = file.parse(text);
    if (root !== undefined) rules.push(...readRules(file, root));
  }
  violations.push(...findRepeated(rules), ...findTooMany(rules));
  const [first] = violations;
  if (first === undefined) return { rules };
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
  throw new Fault(policyFaults.bad_rules, `${first.field}: ${first.message}${more}`, { fields: violations });
}

function findRepeated(rules: readonly Rule[]): FieldViolation[] {
  const byName = Map.groupBy(rules, ({ name }) => name);
  return [...byName].flatMap(([name, [, ...again]]) =>
    again.map(({ file }) => ({ field: file, message: `rule ${name}: another rule has the same name` })),
  );
}

function findTooMany(rules: readonly Rule[]): FieldViolation[] {
  const beyond = rules[policyLimits.rules];
  return beyond === undefined ? [] : [{ field: beyond.file, message: `there are more than ${policyLimits.rules} rules` }];
}
