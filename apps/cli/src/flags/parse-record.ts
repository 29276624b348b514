import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";
import type { SpecFlag } from "./spec-flags.ts";

/**
 * Parses a record such as `name=coredns,configuration={"replicas":2},disabled=false`, using the field types of the contract. Commas
 * inside brackets or quotes do not separate fields.
 */
export function parseRecord({ name: flag, fields = {} }: SpecFlag, text: string): Record<string, unknown> {
  return Object.fromEntries(
    splitRecord(flag, text).map((pair) => {
      const equals = pair.indexOf("=");
      if (equals < 1) throw new Fault(cliFaults.usage, `--${flag} takes field=value,..., not "${pair}"`);
      const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
      return [name, parseField(`--${flag} ${name}`, fields[name], value)];
    }),
  );
}

function parseField(where: string, type: SpecFlag["type"] | undefined, value: string): unknown {
  if (type === "switch") {
    if (value === "true" || value === "false") return value === "true";
    throw new Fault(cliFaults.usage, `${where} must be true or false, not "${value}"`);
  }
  // A list with a single element needs no brackets.
  if (type === "list" && !value.startsWith("[")) return value === "" ? [] : [value];
  return type === "list" || type === "records" || type === "map" ? parseJson(where, value) : value;
}

function parseJson(where: string, value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch (cause) {
    throw new Fault(cliFaults.usage, `${where} must be valid JSON, such as ["a","b"], not ${value}`, { cause });
  }
}

function splitRecord(flag: string, text: string): string[] {
  const parts: string[] = [];
  let [depth, start, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (isQuoted && letter === "\\") at += 1;
    else if (letter === '"' && depth > 0) isQuoted = !isQuoted;
    else if (!isQuoted && "[{".includes(letter)) depth += 1;
    else if (!isQuoted && "]}".includes(letter)) depth -= 1;
    else if (letter === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (depth !== 0) throw new Fault(cliFaults.usage, `--${flag} has an unclosed bracket: "${text}"`);
  return [...parts, text.slice(start)];
}
