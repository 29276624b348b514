import { findField } from "@cloudwright/contract";
import { didYouMean, Fault } from "@cloudwright/platform";
import { parseLabelSelector, type LabelRequirement } from "@cloudwright/store";
import { suggestPath } from "../entities/suggest-path.ts";
import { apiFaults } from "../faults.ts";

/** The fields by which a list can be filtered. */
export interface FilterFields {
  has(path: readonly string[]): boolean;
  /** Returns a suggestion for a mistyped path, or "". */
  suggest(path: readonly string[]): string;
}

export interface FieldComparison {
  readonly path: readonly string[];
  readonly equal: boolean;
  readonly value: string;
}

/** Parses a filter such as `status.phase=RUNNING,spec.region!=eu-west-1`. */
export function parseFilter(text: string, fields: FilterFields): FieldComparison[] {
  if (text.trim() === "") return [];
  return text.split(",").map((part) => {
    // The value is trimmed afterwards. A regular expression that skips the white space around the value could take minutes on a value full
    // of white space.
    const match = /^(?<path>[A-Za-z][\w.-]*)\s*(?<operator>!=|==?)(?<value>.*)$/.exec(part.trim());
    if (match?.groups === undefined)
      throw new Fault(apiFaults.bad_filter, `"${part.trim()}" is not a comparison such as status.phase=RUNNING`);
    const path = (match.groups["path"] as string).split(".");
    if (!fields.has(path)) {
      const message = `there is no field "${path.join(".")}" to filter by${fields.suggest(path)}`;
      throw new Fault(apiFaults.bad_filter, message);
    }
    return { path, equal: match.groups["operator"] !== "!=", value: (match.groups["value"] as string).trim() };
  });
}

/** Allows filtering by the scalar fields of a kind. */
export function fieldsOfKind(kind: string): FilterFields {
  return {
    has(path) {
      const field = findField(kind, path);
      return field !== undefined && (field.fieldKind === "scalar" || field.fieldKind === "enum");
    },
    suggest: (path) => suggestPath(kind, path),
  };
}

/** Allows filtering by the given fields. */
export function namedFields(names: readonly string[]): FilterFields {
  return { has: (path) => names.includes(path.join(".")), suggest: (path) => didYouMean(path.join("."), names) };
}

/** Parses a label selector such as `tier=prod,!legacy`. Throws if it is malformed. */
export function parseSelector(text: string): LabelRequirement[] {
  const requirements = parseLabelSelector(text);
  if (requirements === undefined)
    throw new Fault(apiFaults.bad_filter, `"${text}" is not a label selector such as tier=prod,!legacy`);
  return requirements;
}
