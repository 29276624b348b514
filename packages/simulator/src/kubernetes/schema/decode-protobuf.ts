import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findField, setField } from "../cluster/own-fields.ts";

type Field = readonly [number: number, name: string, type: string, isRepeated?: 1];
type Fields = Record<string, any>;
type Wire = bigint | Buffer;

const magic = Buffer.from("k8s\0");
const meta = "io.k8s.apimachinery.pkg";
let loaded: Record<string, readonly Field[]> | undefined;

/** Returns whether a body has the Kubernetes protobuf envelope. */
export function isProtobuf(body: Buffer): boolean {
  return body.subarray(0, 4).equals(magic);
}

/** Decodes a protobuf object to the value that a client would send as JSON. Returns undefined for unknown kinds. */
export function decodeProtobuf(body: Buffer): Fields | undefined {
  let [apiVersion, kind, raw] = ["", "", Buffer.alloc(0) as Buffer];
  for (const [number, value] of readFields(body.subarray(4))) {
    if (number === 2) raw = value as Buffer;
    if (number !== 1) continue;
    for (const [part, text] of readFields(value as Buffer)) {
      if (part === 1) apiVersion = String(text);
      if (part === 2) kind = String(text);
    }
  }
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const name =
    kind === "DeleteOptions"
      ? `${meta}.apis.meta.v1.DeleteOptions`
      : `io.k8s.api.${group?.split(".")[0] || "core"}.${version}.${kind}`;
  return tableOf(name) === undefined ? undefined : { apiVersion, kind, ...(decode(name, raw) as Fields) };
}

function tableOf(name: string): readonly Field[] | undefined {
  loaded ??= JSON.parse(readFileSync(join(import.meta.dirname, "../gen/protobuf.json"), "utf8")) as Record<
    string,
    readonly Field[]
  >;
  return findField(loaded, name);
}

function decode(name: string, bytes: Buffer): unknown {
  const out: Fields = {};
  const table = tableOf(name) ?? [];
  for (const [number, value] of readFields(bytes)) {
    const field = table.find((one) => one[0] === number);
    if (field !== undefined) put(out, field, value);
  }
  return special[name]?.(out) ?? (name in special ? undefined : out);
}

function put(out: Fields, [, name, type, isRepeated]: Field, value: Wire): void {
  if (type.startsWith("map:")) {
    let key = "";
    let item: unknown = type === "map:string" || type === "map:bytes" ? "" : {};
    for (const [part, content] of readFields(value as Buffer)) {
      if (part === 1) key = String(content);
      if (part === 2) item = convert(type.slice("map:".length), content);
    }
    setField((out[name] ??= {}) as object, key, item);
    return;
  }
  const converted = convert(type, value);
  if (name === "") Object.assign(out, converted);
  else if (isRepeated === 1) (out[name] ??= []).push(converted);
  else if (converted !== undefined && (!isZero(converted) || meansZero.has(name))) out[name] = converted;
}

function convert(type: string, value: Wire): unknown {
  switch (type) {
    case "string":
      return (value as Buffer).toString("utf8");
    case "bytes":
      return (value as Buffer).toString("base64");
    case "bool":
      return Number(value) !== 0;
    case "int":
      return Number(BigInt.asIntN(64, value as bigint));
    case "double":
      return (value as Buffer).readDoubleLE();
    default:
      return decode(type, value as Buffer);
  }
}

// Go's protobuf encoding includes zero values that its JSON encoding omits. Zero values are therefore dropped, except for these fields, in
// which zero has a meaning.
const meansZero = new Set(
  (
    "replicas completions parallelism backoffLimit gracePeriodSeconds terminationGracePeriodSeconds partition value port intVal " +
    "revisionHistoryLimit successfulJobsHistoryLimit failedJobsHistoryLimit ttlSecondsAfterFinished activeDeadlineSeconds " +
    "automountServiceAccountToken enableServiceLinks immutable suspend optional allowVolumeExpansion allowPrivilegeEscalation"
  ).split(" "),
);

function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false;
}

const special: Record<string, (fields: Fields) => unknown> = {
  [`${meta}.apis.meta.v1.Time`]: timeOf,
  [`${meta}.apis.meta.v1.MicroTime`]: timeOf,
  [`${meta}.api.resource.Quantity`]: (fields) => fields["string"] ?? "0",
  [`${meta}.util.intstr.IntOrString`]: (fields) => (fields["type"] === 1 ? (fields["strVal"] ?? "") : (fields["intVal"] ?? 0)),
  [`${meta}.apis.meta.v1.FieldsV1`]: (fields) => parseRaw(fields["Raw"]),
  [`${meta}.runtime.RawExtension`]: (fields) => parseRaw(fields["raw"]),
};

function timeOf({ seconds }: Fields): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}

function parseRaw(base64: string | undefined): unknown {
  return base64 === undefined ? undefined : JSON.parse(Buffer.from(base64, "base64").toString());
}

function* readFields(bytes: Buffer): Generator<[number: number, value: Wire]> {
  let at = 0;
  const varint = (): bigint => {
    let [result, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError("the protobuf message ends within a number");
      result |= BigInt(byte & 127) << shift;
      if (byte < 128) return result;
      shift += 7n;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    if (wire === 0) yield [tag >> 3, varint()];
    else {
      const length = wire === 1 ? 8 : wire === 5 ? 4 : Number(varint());
      if (at + length > bytes.length) throw new RangeError("the protobuf message ends within a field");
      yield [tag >> 3, bytes.subarray(at, (at += length))];
    }
  }
}
