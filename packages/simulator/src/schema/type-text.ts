import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import type { ValueType } from "../values/value.ts";

/** Renders a type as in a configuration: `map(list(string))`, `object({name=string})`, `tuple([string,bool])`. */
export function printType(type: ValueType): string {
  if (typeof type === "string") return type;
  switch (type[0]) {
    case "list":
    case "set":
    case "map":
      return `${type[0]}(${printType(type[1])})`;
    case "tuple":
      return `tuple([${type[1].map(printType).join()}])`;
    case "object": {
      const optional = new Set(type[2]);
      const parts = Object.entries(type[1]).map(([name, inner]) => `${name}${optional.has(name) ? "?" : ""}=${printType(inner)}`);
      return `object({${parts.join()}})`;
    }
  }
}

/** Parses a type in the notation of `printType`. Throws a fault that names `path` if the notation is invalid. */
export function parseType(text: string, path: string): ValueType {
  const tokens = text.match(/[A-Za-z0-9_-]+|[^\s]/g) ?? [];
  let at = 0;
  const fail = (): Fault => new Fault(simulatorFaults.bad_schema, `${path}: "${text}" is not a type`);
  const expect = (token: string): void => {
    if (tokens[at++] !== token) throw fail();
  };
  const isNext = (token: string): boolean => tokens[at] === token && ++at > 0;

  function parse(): ValueType {
    const word = tokens[at++];
    if (word === "string" || word === "number" || word === "bool" || word === "dynamic") return word;
    expect("(");
    const type = parseConstructor(word);
    expect(")");
    return type;
  }

  function parseConstructor(word: string | undefined): ValueType {
    if (word === "list" || word === "set" || word === "map") return [word, parse()];
    if (word === "tuple") {
      expect("[");
      const elements = parseMany("]", parse);
      return ["tuple", elements];
    }
    if (word !== "object") throw fail();
    expect("{");
    const optional: string[] = [];
    const entries = parseMany("}", (): [string, ValueType] => {
      const name = tokens[at++] ?? "";
      if (isNext("?")) optional.push(name);
      expect("=");
      return [name, parse()];
    });
    return optional.length > 0 ? ["object", Object.fromEntries(entries), optional] : ["object", Object.fromEntries(entries)];
  }

  function parseMany<Part>(end: string, parseOne: () => Part): Part[] {
    const parts: Part[] = [];
    while (!isNext(end)) {
      parts.push(parseOne());
      if (tokens[at] !== end) expect(",");
    }
    return parts;
  }

  const type = parse();
  if (at !== tokens.length) throw fail();
  return type;
}
