import { Decoder, Encoder, ExtensionCodec } from "@msgpack/msgpack";
import { Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import type { DynamicValue } from "../wire/plugin-messages.ts";
import { normalizeNumber } from "./number.ts";
import { isList, isMap, unknown, type Value, type ValueType } from "./value.ts";

// Every msgpack extension stands for an unknown value. Some carry refinements, which can be ignored.
const extensionCodec = new ExtensionCodec();
for (let type = 0; type < 128; type++) {
  extensionCodec.register({
    type,
    encode: (input) => (type === 0 && input === unknown ? Uint8Array.of(0) : null),
    decode: () => unknown,
  });
}

/** Decodes a value from Terraform, given its type. */
export function decodeValue(type: ValueType, sent: DynamicValue | undefined): Value {
  if (sent === undefined) return null;
  if (sent.msgpack.length > 0) {
    return fromWire(type, new Decoder({ extensionCodec, useBigInt64: true }).decode(sent.msgpack), "");
  }
  return sent.json.length > 0 ? decodeJson(type, sent.json.toString("utf8")) : null;
}

/** Encodes a value for Terraform. */
export function encodeValue(type: ValueType, value: Value): { msgpack: Uint8Array } {
  return { msgpack: new Encoder({ extensionCodec }).encode(toWire(type, value, "")) };
}

/** Decodes a value from JSON without losing digits of numbers. */
export function decodeJson(type: ValueType, json: string): Value {
  return fromWire(type, parseExactly(json), "");
}

/** Parses JSON. Numbers that a double might not represent exactly are kept as strings. */
export function parseExactly(json: string): unknown {
  // An unclosed string matches up to the end, so that the search does not start again at every quote in it. The parser rejects it.
  const token = /"(?:[^"\\]|\\.)*"?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  return JSON.parse(
    json.replace(token, (found) => (found.startsWith('"') || Number.isSafeInteger(Number(found)) ? found : `"${found}"`)),
  );
}

/** Checks plain data against a type and returns it as a value. Missing object attributes become null. */
export function fromWire(type: ValueType, raw: unknown, path: string): Value {
  if (raw === unknown) return unknown;
  if (raw === null || raw === undefined) return null;
  if (typeof type === "string") return scalarFromWire(type, raw, path);
  switch (type[0]) {
    case "list":
    case "set":
      return listOf(raw, path).map((element, index) => fromWire(type[1], element, `${path}[${index}]`));
    case "tuple":
      return listOf(raw, path).map((element, index) => fromWire(type[1][index] ?? "dynamic", element, `${path}[${index}]`));
    case "map":
      return mapEntries(mapOf(raw, path), (key, element) => fromWire(type[1], element, `${path}.${key}`));
    case "object": {
      const given = mapOf(raw, path);
      return mapEntries(type[1], (name, inner) =>
        fromWire(inner, Object.hasOwn(given, name) ? given[name] : null, `${path}.${name}`),
      );
    }
  }
}

function scalarFromWire(type: "string" | "number" | "bool" | "dynamic", raw: unknown, path: string): Value {
  if (type === "string" && typeof raw === "string") return raw.normalize("NFC");
  if (type === "bool" && typeof raw === "boolean") return raw;
  if (type === "number" && (typeof raw === "number" || typeof raw === "bigint" || typeof raw === "string")) {
    return normalizeNumber(raw);
  }
  if (type === "dynamic") {
    const [inner, value] = Array.isArray(raw)
      ? [JSON.parse(Buffer.from(raw[0] as Uint8Array).toString()), raw[1]]
      : pairOf(raw, path);
    return { type: inner as Value, value: fromWire(inner as ValueType, value, path) };
  }
  throw mismatch(path, type);
}

function pairOf(raw: unknown, path: string): [unknown, unknown] {
  const pair = mapOf(raw, path);
  return [pair["type"], pair["value"]];
}

function toWire(type: ValueType, value: Value, path: string): unknown {
  if (value === unknown || value === null) return value;
  if (type === "number") return String(normalizeNumber(value as number | string));
  if (type === "dynamic") {
    const pair = mapOf(value, path) as { type: ValueType; value: Value };
    return [Buffer.from(JSON.stringify(pair.type)), toWire(pair.type, pair.value, path)];
  }
  if (typeof type === "string") return scalarFromWire(type, value, path);
  switch (type[0]) {
    case "list":
    case "set":
      return listOf(value, path).map((element, index) => toWire(type[1], element as Value, `${path}[${index}]`));
    case "tuple":
      return listOf(value, path).map((element, index) =>
        toWire(type[1][index] ?? "dynamic", element as Value, `${path}[${index}]`),
      );
    case "map":
      return mapEntries(mapOf(value, path), (key, element) => toWire(type[1], element as Value, `${path}.${key}`));
    case "object": {
      const given = mapOf(value, path);
      return mapEntries(type[1], (name, inner) => toWire(inner, (given[name] ?? null) as Value, `${path}.${name}`));
    }
  }
}

function mapEntries<From, To>(
  from: Readonly<Record<string, From>>,
  change: (key: string, value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(key, value)]));
}

function listOf(raw: unknown, path: string): readonly unknown[] {
  if (!isList(raw as Value)) throw mismatch(path, "list");
  return raw as readonly unknown[];
}

function mapOf(raw: unknown, path: string): Readonly<Record<string, unknown>> {
  if (!isMap(raw as Value)) throw mismatch(path, "object");
  return raw as Readonly<Record<string, unknown>>;
}

function mismatch(path: string, wanted: string): Fault {
  return new Fault(
    simulatorFaults.bad_value,
    `${path === "" ? "the value" : path.replace(/^\./, "")} is not ${wanted === "object" ? "an" : "a"} ${wanted}`,
  );
}
