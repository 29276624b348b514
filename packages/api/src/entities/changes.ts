import { findField, getEntitySchema, type Json, type JsonObject } from "@cloudwright/contract";
import type { Fault } from "@cloudwright/platform";
import { decodeShape, invalid, mostMisfits } from "../calls/decode.ts";
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

/** Limits of a field mask. They bound the work for requests that are not authorised yet. */
const [mostPaths, mostPathCharacters] = [256, 512];

/** What an update with a field mask sends: the body with a null for each masked field that was not sent, and the change. */
export interface MaskedUpdate {
  readonly sent: Json;
  readonly change: EntityChange;
}

/**
 * Reads an update with a field mask. Fields in the mask take the sent values. Masked fields that were not sent are cleared, secrets
 * included. Throws if the mask is too long or contains an unknown field.
 */
export function readMasked(kind: string, sent: Json, mask: readonly string[]): MaskedUpdate {
  const paths = parseMask(kind, mask);
  decodeShape(getEntitySchema(kind), sent, `the ${kind}`);
  return {
    sent: paths.reduce<JsonObject>(
      (entity, path) => (getAt(entity, path) === undefined ? setAt(entity, path, null) : entity),
      isObject(sent) ? sent : {},
    ),
    change: (current) => paths.reduce((entity, path) => setAt(entity, path, getAt(sent, path)), current),
  };
}

function parseMask(kind: string, mask: readonly string[]): string[][] {
  const refuse = (message: string): Fault => invalid("the request", [{ field: "updateMask", message }]);
  if (mask.length > mostPaths) throw refuse(`must contain at most ${mostPaths} fields, but contains ${mask.length}`);
  if (mask.some(({ length }) => length > mostPathCharacters))
    throw refuse(`must not contain a field with more than ${mostPathCharacters} characters`);
  const paths = mask.map((text) => text.split("."));
  const unknown = paths.filter((path) => (path[0] !== "spec" && path[0] !== "metadata") || findField(kind, path) === undefined);
  if (unknown.length === 0) return paths;
  throw invalid(
    "the request",
    unknown.slice(0, mostMisfits).map((path) => ({
      field: "updateMask",
      message: `contains the unknown field "${path.join(".")}"${suggestPath(kind, path)}`,
    })),
  );
}

/**
 * Returns the resourceVersion in the body, or "" if the body has none. If the stored entity has a different resourceVersion, the update
 * fails.
 */
export function preconditionOf(sent: Json): string {
  const version = getAt(sent, ["metadata", "resourceVersion"]);
  return typeof version === "string" ? version : "";
}
