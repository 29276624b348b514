import { isObject, type ReadonlyJson, type ReadonlyJsonObject } from "@cloudwright/platform";

/** Placeholder for sensitive values. */
export const masked = "[secret]";

/** Masks the sensitive parts of a value. `marks` has the shape of the value, with `true` for sensitive parts. */
export function maskSensitive(value: ReadonlyJson | undefined, marks: ReadonlyJson | undefined): ReadonlyJson {
  if (value === undefined || value === null) return null;
  if (marks === true) return masked;
  if (Array.isArray(value)) {
    return (value as ReadonlyJson[]).map((inner, index) =>
      maskSensitive(inner, Array.isArray(marks) ? (marks as ReadonlyJson[])[index] : undefined),
    );
  }
  if (!isObject(value)) return value;
  const inner = isObject(marks) ? marks : ({} as ReadonlyJsonObject);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, maskSensitive(each, inner[key])]));
}

const shortestLearnt = 8;
const mostLearnt = 5000;

/** Returns the sensitive strings in a value, for the redactor. Skips short ones such as `true`, which are common in logs. */
export function listSensitive(value: ReadonlyJson | undefined, marks: ReadonlyJson | undefined): string[] {
  if (value === undefined || value === null || marks === undefined || marks === false) return [];
  if (typeof value === "string") return marks === true && value.length >= shortestLearnt ? [value] : [];
  if (typeof value !== "object") return [];
  const isList = Array.isArray(value);
  const found = Object.entries(value).flatMap(([key, inner]) => {
    const mark = marks === true ? true : isList ? (marks as ReadonlyJson[])[Number(key)] : (marks as ReadonlyJsonObject)[key];
    return listSensitive(inner, mark);
  });
  return found.slice(0, mostLearnt);
}
