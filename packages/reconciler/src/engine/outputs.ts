import { isObject } from "@cloudwright/platform";
import type { Json, JsonObject } from "@cloudwright/contract";

type OutputType = "text" | "number" | "list" | "records";

const fits: Readonly<Record<OutputType, (value: Json) => boolean>> = {
  text: (value) => typeof value === "string",
  // The contract's integers have 32 bits, and typed clients cannot parse larger ones.
  number: (value) => typeof value === "number" && (value | 0) === value,
  list: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  // In the contract, all fields of such records are strings.
  records: (value) => Array.isArray(value) && value.every(isRecord),
};

/**
 * Creates a function that copies status fields from a run's outputs. Output names may be in snake_case or camelCase. Values of the wrong
 * type are dropped.
 */
export function pickOutputs(fields: Readonly<Record<string, OutputType>>): (outputs: JsonObject) => JsonObject {
  return (outputs) => {
    const picked: JsonObject = {};
    for (const [field, type] of Object.entries(fields)) {
      const value = outputs[field] ?? outputs[field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
      if (value !== undefined && fits[type](value)) picked[field] = value;
    }
    return picked;
  };
}

function isRecord(value: Json): boolean {
  return isObject(value) && Object.values(value).every((inner) => typeof inner === "string");
}
