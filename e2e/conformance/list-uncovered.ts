import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConformanceCase } from "./conformance-case.ts";
import { infra } from "./open-configuration.ts";

/**
 * Returns the variables of a configuration that no case sets to a value other than the default. Includes the attributes of object
 * variables, for example `node_pools.disk_type`.
 */
export function listUncovered(place: string, cases: readonly ConformanceCase[]): string[] {
  const steps = cases.flatMap(({ place: first, variables, changes = [] }) => {
    let current = first;
    return [
      { place: first, variables },
      ...changes.map((change) => ({
        place: (current = change.place ?? current),
        variables: change.variables ?? {},
      })),
    ];
  });
  const values = steps.filter((step) => step.place === place).map(({ variables }) => variables);
  return listVariables(readFileSync(join(infra, place, "variables.tf"), "utf8")).flatMap(({ name, fallback, attributes }) => {
    const given = values.flatMap((variables) => (name in variables ? [variables[name]] : []));
    const isCovered = given.some((value) => !isSame(value, fallback));
    const missing = [...attributes].filter(
      ([attribute, usual]) => !given.some((value) => listValues(value, attribute).some((each) => !isSame(each, usual))),
    );
    return [...(isCovered ? [] : [name]), ...missing.map(([attribute]) => `${name}.${attribute}`)];
  });
}

interface Variable {
  readonly name: string;
  /** The default as HCL text. Undefined if the variable is required. */
  readonly fallback: string | undefined;
  /** For an object type, the default of each attribute as HCL text. */
  readonly attributes: ReadonlyMap<string, string | undefined>;
}

/** Parses the variables in a file that `terraform fmt` has formatted. */
function listVariables(text: string): Variable[] {
  return [...text.matchAll(/^variable "(\w+)" \{\n(.*?)^\}/gms)].map(([, name = "", body = ""]) => {
    const type = /^ {2}type += (.*?)(?=^ {2}\w)/ms.exec(`${body}  end`)?.[1] ?? "";
    const attributes = [...type.matchAll(/^ +(\w+) += (?:optional\([\w.()]+(?:, (.*))?\)|.+)$/gm)];
    return {
      name,
      fallback: /^ {2}default += (.*)$/m.exec(body)?.[1],
      attributes: new Map(attributes.map(([, attribute = "", usual]) => [attribute, usual])),
    };
  });
}

/** Returns all values stored under the given key, at any depth. */
function listValues(value: unknown, key: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === key ? [inner as unknown] : []),
    ...listValues(inner, key),
  ]);
}

function isSame(value: unknown, hcl: string | undefined): boolean {
  if (value === null || value === undefined) return true;
  if (hcl === undefined) return false;
  const isEmpty = typeof value === "object" && Object.keys(value).length === 0;
  return isEmpty ? hcl === "{}" || hcl === "[]" : JSON.stringify(value) === hcl.replaceAll(", ", ",");
}
