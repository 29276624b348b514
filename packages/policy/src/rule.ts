import type { CelInput } from "@bufbuild/cel";
import type { Severity } from "./decision.ts";
import type { Expression } from "./expression.ts";
import type { Template } from "./template.ts";

/**
 * Selects the subjects to which a rule applies. An empty list matches all subjects. Environments and label values may contain `*` and `?`.
 */
export interface Match {
  readonly kinds: readonly string[];
  readonly clouds: readonly string[];
  readonly environments: readonly string[];
  readonly labels: ReadonlyMap<string, string>;
}

/** A parsed and compiled rule. */
export interface Rule {
  readonly name: string;
  readonly description: string;
  readonly severity: Severity;
  readonly on: "entity" | "plan";
  readonly match: Match;
  /** Evaluates to a list. The rest of the rule is evaluated for each element, which is available as `item`. */
  readonly each?: Expression;
  /** The rule applies only if this is true. */
  readonly when?: Expression;
  /** Conditions that must all be true. Otherwise the rule is violated. */
  readonly check: readonly Expression[];
  readonly path: Template;
  readonly message: Template;
  readonly fix: string;
  /** Name of the file that contains the rule. */
  readonly file: string;
  /** Constants from the rule's file, available as `values`. */
  readonly values: CelInput;
}

/** A set of valid rules. Only `loadRules` creates one. */
export interface RuleBook {
  readonly rules: readonly Rule[];
}
