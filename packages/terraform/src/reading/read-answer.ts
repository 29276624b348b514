import { Fault, isObject, parseJson, type ReadonlyJsonObject, textOf } from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";

/** Parses a program's output as a JSON object. Throws a fault if that fails, without repeating the output, which may contain secrets. */
export function readAnswer(what: string, text: string): ReadonlyJsonObject {
  const value = parseJson(text);
  if (!isObject(value)) throw new Fault(terraformFaults.unexpected_output, `${what} is not a JSON object`);
  return value;
}

/** Like `readAnswer`, but also requires a supported format version: major version 1, or 0 in the first releases. */
export function readFormat(what: string, text: string): ReadonlyJsonObject {
  const value = readAnswer(what, text);
  const version = textOf(value["format_version"]);
  if (!/^[01]\./.test(version)) {
    throw new Fault(terraformFaults.unexpected_output, `${what} has the unsupported format "${version.slice(0, 20)}"`);
  }
  return value;
}
