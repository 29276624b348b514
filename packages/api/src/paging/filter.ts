import { findField } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { parseLabelSelector, type LabelRequirement } from "@cloudwright/store";
import { apiFaults } from "../faults.ts";

export interface FieldComparison {
  readonly path: readonly string[];
  readonly equal: boolean;
  readonly value: string;
}

/** Parses a filter such as `status.phase=RUNNING,spec.region!=eu-west-1`. */
export function parseFilter(text: string, knows: (path: readonly string[]) => boolean): FieldComparison[] {
  if (text.trim() === "") return [];
  return text.split(",").map((part) => {
    const match = /^\s*(?<path>[A-Za-z][\w.-]*)\s*(?<operator>!=|==?)\s*(?<value>.*?)\s*$/.exec(part);
    if (match?.groups === undefined)
      throw new Fault(apiFaults.bad_filter, `"${part.trim()}" is not a comparison such as status.phase=RUNNING`);
    const path = (match.groups["path"] as string).split(".");
    if (!knows(path)) throw new Fault(apiFaults.bad_filter, `there is no field "${path.join(".")}" to filter by`);
    return { path, equal: match.groups["operator"] !== "!=", value: match.groups["value"] as string };
  });
}

/** Returns a function that tells whether entities of a kind have a scalar field at a path. */
export function knowsField(kind: string): (path: readonly string[]) => boolean {
  return (path) => {
    const field = findField(kind, path);
    return field !== undefined && (field.fieldKind === "scalar" || field.fieldKind === "enum");
  };
}

/** Parses a label selector. Throws a fault if it is malformed. */
export function parseSelector(text: string): LabelRequirement[] {
  const requirements = parseLabelSelector(text);
  if (requirements === undefined)
    throw new Fault(apiFaults.bad_filter, `"${text}" is not a label selector such as tier=prod,!legacy`);
  return requirements;
}
