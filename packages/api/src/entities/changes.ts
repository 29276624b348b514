import { findField, getEntitySchema, type Json, type JsonObject } from "@cloudwright/contract";
import { decodeShape, invalid } from "../calls/decode.ts";
import { getAt, isObject, mergePatch, setAt } from "./json-tree.ts";
import { suggestPath } from "./suggest-path.ts";

/** Computes the desired entity from the current one. */
export type EntityChange = (current: JsonObject) => Json;

/**
 * Metadata fields that keep their values if a PUT omits them. A manifest that omits them must neither turn off deletion protection nor
 * move the entity.
 */
const kept = ["environment", "deletionProtection", "deletionPolicy"];

/** Returns the change that a PUT request makes: the sent entity replaces the current one, except for omitted fields listed in `kept`. */
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

/** Returns the change that a PATCH request makes. The request's body is a JSON merge patch (RFC 7396). */
export function mergeWith(sent: Json): EntityChange {
  return (current) => mergePatch(current, sent);
}

/**
 * Returns the change that an update with a field mask makes. Fields in the mask take the sent values; masked fields that were not sent are
 * cleared.
 */
export function maskWith(kind: string, sent: Json, mask: readonly string[]): EntityChange {
  decodeShape(getEntitySchema(kind), sent, `the ${kind}`);
  const paths = mask.map((text) => text.split("."));
  const fields = paths
    .filter((path) => (path[0] !== "spec" && path[0] !== "metadata") || findField(kind, path) === undefined)
    .map((path) => ({
      field: "updateMask",
      message: `contains the unknown field "${path.join(".")}"${suggestPath(kind, path)}`,
    }));
  if (fields.length > 0) throw invalid("the request", fields);
  return (current) => paths.reduce((entity, path) => setAt(entity, path, getAt(sent, path)), current);
}

/** Adds a null to the body for each field in the mask that was not sent, so that secrets are cleared too. */
export function maskedNulls(sent: Json, mask: readonly string[]): Json {
  const base = isObject(sent) ? sent : {};
  return mask
    .map((text) => text.split("."))
    .reduce<JsonObject>((entity, path) => (getAt(entity, path) === undefined ? setAt(entity, path, null) : entity), base);
}

/**
 * Returns the resourceVersion in the body, or "" if the body has none. If the stored entity has a different resourceVersion, the update
 * fails.
 */
export function preconditionOf(sent: Json): string {
  const version = getAt(sent, ["metadata", "resourceVersion"]);
  return typeof version === "string" ? version : "";
}
