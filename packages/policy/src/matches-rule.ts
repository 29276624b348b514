import { matchesGlob } from "./functions/glob.ts";
import type { Rule } from "./rule.ts";
import { findCloudName, environmentOf, type Subject } from "./subject.ts";

/** Returns whether a rule applies to a subject. For a plan, the planned entity must match. */
export function matchesRule({ on, match }: Rule, subject: Subject): boolean {
  if (on !== subject.on) return false;
  const { kind, metadata } = subject.entity;
  const labels = metadata["labels"];
  return (
    isOneOf(match.kinds, kind) &&
    isOneOf(match.clouds, findCloudName(subject.entity)) &&
    isOneOf(match.environments, environmentOf(subject.entity)) &&
    [...match.labels].every(([key, pattern]) => hasLabel(labels, key, pattern))
  );
}

function isOneOf(patterns: readonly string[], text: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => matchesGlob(text, pattern));
}

function hasLabel(labels: unknown, key: string, pattern: string): boolean {
  if (typeof labels !== "object" || labels === null || !Object.hasOwn(labels, key)) return false;
  const value: unknown = (labels as Record<string, unknown>)[key];
  return typeof value === "string" && matchesGlob(value, pattern);
}
