/**
 * Evaluates policies: a pure function from rules and a subject to a decision. It is called at admission and again between plan and apply.
 * It must not know where rules and subjects come from, how a decision is enforced, or what time it is.
 */
export * from "./decide.ts";
export * from "./decision.ts";
export * from "./faults.ts";
export * from "./limits.ts";
export * from "./load-rules.ts";
export * from "./rule.ts";
export * from "./subject.ts";
