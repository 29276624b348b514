import { Fault, isObject, parseJson, type ReadonlyJsonObject, textOf } from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";

/** A program's whole answer as a JSON object; anything else is a fault. Its text is not repeated: it may hold secrets. */
export function readAnswer(what: string, text: string): ReadonlyJsonObject {
  const value = parseJson(text);
  if (!isObject(value)) throw new Fault(terraformFaults.unexpected_output, `${what} is not a JSON object`);
  return value;
}

/** As `readAnswer`, of a format whose major version is known: 1, or 0 of the first releases. */
export function readFormat(what: string, text: string): ReadonlyJsonObject {
  const value = readAnswer(what, text);
  const version = textOf(value["format_version"]);
  if (!/^[01]\./.test(version)) {
    throw new Fault(
      terraformFaults.unexpected_output,
      `${what} has the format "${version.slice(0, 20)}", which is not known here`,
    );
  }
  return value;
}
