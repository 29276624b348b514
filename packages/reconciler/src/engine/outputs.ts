import { isObject } from "@cloudwright/platform";
import type { Json, JsonObject } from "@cloudwright/contract";

type OutputType = "text" | "number" | "list" | "records";

const fits: Readonly<Record<OutputType, (value: Json) => boolean>> = {
  text: (value) => typeof value === "string",
  // What the status has numbers for is counted; anything else could not be read back over the typed doors.
  number: (value) => typeof value === "number" && (value | 0) === value,
  list: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  // Of texts alone: whatever else a record had could not be read back either.
  records: (value) => Array.isArray(value) && value.every(isRecord),
};

/** Takes what the status has fields for out of a run's outputs, which are written `like_this` or `likeThis`; what does not fit is left out. */
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
