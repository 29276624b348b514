import { findField, getEntitySchema, type Json, type JsonObject } from "@cloudwright/contract";
import { decodeShape, invalid } from "../calls/decode.ts";
import { getAt, isObject, mergePatch, setAt } from "./json-tree.ts";

/** How an update turns the entity that is into the one that should be. */
export type EntityChange = (current: JsonObject) => Json;

/** What a replacement that does not mention it leaves: nobody loses a protection, or moves, by a file that is silent about it. */
const kept = ["environment", "deletionProtection", "deletionPolicy"];

/** PUT: the entity as sent. An environment and protections that were not mentioned stay. */
export function replaceWith(sent: Json): EntityChange {
  return (current) => {
    if (!isObject(sent)) return sent;
    const metadata = sent["metadata"] ?? {};
    const former = current["metadata"];
    if (!isObject(metadata) || !isObject(former)) return sent;
    const silent = kept.filter((name) => metadata[name] === undefined && former[name] !== undefined);
    return { ...sent, metadata: { ...metadata, ...Object.fromEntries(silent.map((name) => [name, former[name] as Json])) } };
  };
}

/** PATCH: RFC 7396. */
export function mergeWith(sent: Json): EntityChange {
  return (current) => mergePatch(current, sent);
}

/** A field mask: the named fields become as sent; those not sent are cleared. */
export function maskWith(kind: string, sent: Json, mask: readonly string[]): EntityChange {
  decodeShape(getEntitySchema(kind), sent, `the ${kind}`);
  const paths = mask.map((text) => text.split("."));
  const fields = paths
    .filter((path) => (path[0] !== "spec" && path[0] !== "metadata") || findField(kind, path) === undefined)
    .map((path) => ({ field: "updateMask", message: `there is no field "${path.join(".")}" to change` }));
  if (fields.length > 0) throw invalid("the request", fields);
  return (current) => paths.reduce((entity, path) => setAt(entity, path, getAt(sent, path)), current);
}

/** What a masked update says of secrets: a named one that was not sent is cleared. */
export function maskedNulls(sent: Json, mask: readonly string[]): Json {
  const base = isObject(sent) ? sent : {};
  return mask
    .map((text) => text.split("."))
    .reduce<JsonObject>((entity, path) => (getAt(entity, path) === undefined ? setAt(entity, path, null) : entity), base);
}

/** The resourceVersion that a caller says the entity still has. */
export function preconditionOf(sent: Json): string {
  const version = getAt(sent, ["metadata", "resourceVersion"]);
  return typeof version === "string" ? version : "";
}
