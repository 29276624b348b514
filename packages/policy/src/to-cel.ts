import { celList, celMap, type CelInput } from "@bufbuild/cel";
import { policyLimits } from "./limits.ts";

/** Thrown if a subject exceeds the limits. */
export class OversizeError extends Error {}

/** Counts the values and characters converted for one subject. */
export interface Budget {
  values: number;
  chars: number;
}

/** Converts JSON to CEL values. Only own properties are used, integers become `int`, and undefined fields are omitted. */
export function toCel(value: unknown, budget: Budget, depth = 0): CelInput {
  spend(budget, oneValue);
  if (depth > policyLimits.subjectDepth)
    throw new OversizeError(`it is nested more than ${policyLimits.subjectDepth} levels deep`);
  switch (typeof value) {
    case "string":
      return countText(value, budget);
    case "number":
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    case "bigint":
    case "boolean":
      return value;
    default:
      break;
  }
  if (typeof value !== "object" || value === null) return null;
  if (Array.isArray(value)) return celList(value.map((inner) => toCel(inner, budget, depth + 1)));
  const all: [string, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  const entries = all.filter(([, inner]) => inner !== undefined);
  return celMap(new Map(entries.map(([key, inner]) => [countText(key, budget), toCel(inner, budget, depth + 1)])));
}

const oneValue = { values: 1, chars: 0 };

/** Counts converted values against a subject's limits. Throws if a limit is exceeded. */
export function spend(budget: Budget, { values, chars }: Readonly<Budget>): void {
  budget.values += values;
  budget.chars += chars;
  if (budget.values > policyLimits.subjectValues)
    throw new OversizeError(`it has more than ${policyLimits.subjectValues} values`);
  if (budget.chars > policyLimits.subjectChars)
    throw new OversizeError(`its strings have more than ${policyLimits.subjectChars} characters`);
}

function countText(text: string, budget: Budget): string {
  spend(budget, { values: 0, chars: text.length });
  return text;
}
