import type { JudgedChange, JudgedEntity, JudgedFinding } from "@cloudwright/api";
import { decide, type Decision, type PolicyChange, type RuleBook } from "@cloudwright/policy";

/** A plan as the API passes it to the policies. */
export interface JudgedPlan {
  readonly placed: JudgedEntity;
  readonly changes: readonly JudgedChange[];
  readonly allow: readonly string[];
  readonly upgradedFrom: string;
}

/** Evaluates the rules against a plan. */
export function decidePlan(book: RuleBook, { placed, changes, allow, upgradedFrom }: JudgedPlan): JudgedFinding[] {
  return decide(book, { on: "plan", entity: placed, changes: changes.map(toChange), allow, upgradedFrom }).findings.map(
    toFinding,
  );
}

const actions = ["none", "create", "read", "update", "delete", "replace", "forget"] as const;

/** Converts a change to policy input. An unknown action becomes "other", which policies treat like the most destructive action. */
function toChange({ address, type, action, unfinished, replacePaths, before, after }: JudgedChange): PolicyChange {
  const known = actions.find((candidate) => candidate === action) ?? "other";
  return { address, type, action: known, unfinished, replacePaths: replacePaths.map(parsePath), before, after };
}

const steps = /\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g;

/** Splits a path such as `tags["team"]` into its segments. */
function parsePath(path: string): (string | number)[] {
  return [...path.matchAll(steps)].map(([, key, index, name]) => (index === undefined ? (key ?? name ?? "") : Number(index)));
}

/** Converts a finding of the policies to the format of the API. */
export function toFinding({ rule, severity, message, path, fix }: Decision["findings"][number]): JudgedFinding {
  return { rule, severity, message, path, fix };
}
