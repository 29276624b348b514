import { isObject } from "@cloudwright/platform";
import type { Json, JsonObject } from "@cloudwright/contract";

type OutputType = "text" | "number" | "list" | "records";

const fits: Readonly<Record<OutputType, (value: Json) => boolean>> = {
  text: (value) => typeof value === "string",
  // The status has 32-bit integers. Typed clients could not read anything else.
  number: (value) => typeof value === "number" && (value | 0) === value,
  list: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  // Records contain strings only, for the same reason.
  records: (value) => Array.isArray(value) && value.every(isRecord),
};

/** Creates a function that picks status fields from a run's outputs, named `like_this` or `likeThis`. Values of another type are left out. */
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
