import type { CelInput } from "@bufbuild/cel";
import type { Severity } from "./decision.ts";
import type { Expression } from "./expression.ts";
import type { Template } from "./template.ts";

/** The subjects to which a rule applies. An empty list means all. Environments and label values may contain `*` and `?`. */
export interface Match {
  readonly kinds: readonly string[];
  readonly clouds: readonly string[];
  readonly environments: readonly string[];
  readonly labels: ReadonlyMap<string, string>;
}

/** A rule that has been read, checked and compiled. */
export interface Rule {
  readonly name: string;
  readonly description: string;
  readonly severity: Severity;
  readonly on: "entity" | "plan";
  readonly match: Match;
  /** Yields a list. The rest of the rule is evaluated for each element, as `item`. */
  readonly each?: Expression;
  /** The rule does not apply if this is false. */
  readonly when?: Expression;
  /** All of these must be true. */
  readonly check: readonly Expression[];
  readonly path: Template;
  readonly message: Template;
  readonly fix: string;
  /** The file that contains the rule. */
  readonly file: string;
  /** The constants of the file, available as `values`. */
  readonly values: CelInput;
}

/** A set of valid rules, created only by `loadRules`. */
export interface RuleBook {
  readonly rules: readonly Rule[];
}
