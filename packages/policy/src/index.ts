/**
 * Policy: (rules, subject) -> decision, a pure function that is asked at admission and again between plan and apply.
 * It refuses to know where rules and subjects come from, what happens after a decision, and what time it is.
 */
export * from "./decide.ts";
export * from "./decision.ts";
export * from "./faults.ts";
export * from "./limits.ts";
export * from "./load-rules.ts";
export * from "./rule.ts";
export * from "./subject.ts";
