import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import { objectOf } from "../read-spec.ts";
import type { Json, JsonObject } from "../task.ts";

const placeholder = /\{\{\s*(?<path>[\w.-]+)\s*\}\}/g;
const onlyOne = /^\{\{\s*(?<path>[\w.-]+)\s*\}\}$/;

/**
 * Replaces every `{{path}}` placeholder in the strings of a JSON value. A string that is a single placeholder becomes the value itself and
 * keeps its type.
 */
export function fillIn(value: Json, facts: JsonObject): Json {
  if (typeof value === "string") {
    const whole = onlyOne.exec(value)?.groups?.["path"];
    if (whole !== undefined) return find(whole, facts);
    return value.replaceAll(placeholder, (_all, path: string) => {
      const fact = find(path, facts);
      return typeof fact === "string" ? fact : JSON.stringify(fact);
    });
  }
  if (Array.isArray(value)) return value.map((each) => fillIn(each, facts));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillIn(inner, facts)]));
}

function find(path: string, facts: JsonObject): Json {
  const fact = path.split(".").reduce<Json | undefined>((place, key) => objectOf(place)[key], facts);
  if (fact === undefined) throw new Fault(deployerFaults.bad_catalogue, `unknown placeholder {{${path}}}`);
  return fact;
}
