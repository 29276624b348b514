import { isCelList } from "@bufbuild/cel";
import { bindSubject } from "./bindings.ts";
import { concludeFrom, type Decision, type Finding } from "./decision.ts";
import type { Bindings, Expression } from "./expression.ts";
import { policyLimits } from "./limits.ts";
import { matchesRule } from "./matches-rule.ts";
import { Meter, stepsExceeded } from "./meter.ts";
import type { Rule, RuleBook } from "./rule.ts";
import type { Subject } from "./subject.ts";
import { OversizeError } from "./to-cel.ts";

/**
 * Evaluates the rules against a subject. The same rules and subject always give the same decision. A rule that cannot be evaluated counts
 * as violated.
 */
export function decide({ rules }: RuleBook, subject: Subject): Decision {
  const matching = rules.filter((rule) => matchesRule(rule, subject));
  if (matching.length === 0) return concludeFrom([]);
  try {
    const bindings = bindSubject(subject);
    return concludeFrom(matching.flatMap((rule) => askRule(rule, bindings)));
  } catch (error) {
    if (!(error instanceof OversizeError)) throw error;
    return concludeFrom(matching.map((rule) => toError(rule, `the subject is too large to be evaluated: ${error.message}`)));
  }
}

function askRule(rule: Rule, subject: Bindings): Finding[] {
  const meter = new Meter();
  const asked: Asked = { rule, meter, words: new Meter(), bindings: { ...subject, values: rule.values } };
  if (rule.each === undefined) return [findBreach(asked)].flatMap((breach) => breach?.() ?? []);
  const listed = rule.each.evaluate(asked.bindings, meter);
  if ("error" in listed) return [toError(rule, listed.error)];
  if (!isCelList(listed.value)) return [toError(rule, "`each` does not return a list")];
  const breaches: Breach[] = [];
  for (const item of listed.value) {
    const breach = findBreach({ ...asked, bindings: { ...asked.bindings, item } });
    if (breach !== undefined) breaches.push(breach);
    // Once the step limit is exceeded, every further element would fail too. List that error before the violations found so far.
    if (meter.isExhausted) return [toError(rule, stepsExceeded), ...describeBreaches(rule, breaches.slice(0, -1))];
  }
  return describeBreaches(rule, breaches);
}

function describeBreaches(rule: Rule, breaches: readonly Breach[]): Finding[] {
  const { findingsPerRule } = policyLimits;
  const findings = breaches.slice(0, findingsPerRule).map((breach) => breach());
  const rest = breaches.length - findings.length;
  return rest > 0 ? [...findings, toFinding(rule, `and ${rest} more violations of this rule`, "")] : findings;
}

interface Asked {
  readonly rule: Rule;
  readonly bindings: Bindings;
  readonly meter: Meter;
  /** Separate meter for rendering messages, so that their cost cannot affect the decision. */
  readonly words: Meter;
}

/** Renders a violation as a finding. Rendering is deferred because only the first violations are shown. */
type Breach = () => Finding;

function findBreach({ rule, bindings, meter, words }: Asked): Breach | undefined {
  const path = (): string => rule.path.render(bindings, words);
  for (const expression of rule.when === undefined ? rule.check : [rule.when, ...rule.check]) {
    const answer = ask(expression, bindings, meter);
    if (typeof answer !== "boolean") return () => toError(rule, answer.error, path());
    if (answer) continue;
    return expression === rule.when ? undefined : () => toFinding(rule, rule.message.render(bindings, words), path());
  }
  return undefined;
}

function ask(expression: Expression, bindings: Bindings, meter: Meter): boolean | { readonly error: string } {
  const evaluated = expression.evaluate(bindings, meter);
  if ("error" in evaluated) return evaluated;
  if (typeof evaluated.value === "boolean") return evaluated.value;
  return { error: `\`${expression.text}\` does not evaluate to true or false` };
}

function toFinding({ name, severity, fix }: Rule, message: string, path: string): Finding {
  return { rule: name, severity, message, path, fix, isError: false };
}

function toError({ name, severity, file }: Rule, reason: string, path = ""): Finding {
  const message = `rule ${name} could not be evaluated: ${reason}`;
  return {
    rule: name,
    severity,
    message,
    path,
    fix: `Correct the rule in ${file}, or the input that it cannot handle.`,
    isError: true,
  };
}
