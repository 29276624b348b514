import type { CelInput } from "@bufbuild/cel";
import type { Severity } from "./decision.ts";
import type { Expression } from "./expression.ts";
import type { Template } from "./template.ts";

/** Whom a rule is for; an empty list is for all. Environments and the values of labels may hold `*` and `?`. */
export interface Match {
  readonly kinds: readonly string[];
  readonly clouds: readonly string[];
  readonly environments: readonly string[];
  readonly labels: ReadonlyMap<string, string>;
}

/** A rule that was read, checked and compiled. */
export interface Rule {
  readonly name: string;
  readonly description: string;
  readonly severity: Severity;
  readonly on: "entity" | "plan";
  readonly match: Match;
  /** Gives a list: the rest is asked for each element, as `item`. */
  readonly each?: Expression;
  /** Where this is false there is nothing to check. */
  readonly when?: Expression;
  /** All must be true. */
  readonly check: readonly Expression[];
  readonly path: Template;
  readonly message: Template;
  readonly fix: string;
  /** The file it stands in. */
  readonly file: string;
  /** The file's own constants, as `values`. */
  readonly values: CelInput;
}

/** Rules that can be asked; made by `loadRules` only. */
export interface RuleBook {
  readonly rules: readonly Rule[];
}
