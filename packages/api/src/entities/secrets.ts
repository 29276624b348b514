import { secretPaths, type FieldPath, type Json, type JsonObject } from "@cloudwright/contract";
import { seal, unseal, type KeyRing } from "@cloudwright/store";
import { getAt, isObject, setAt } from "./json-tree.ts";

/** The secrets of an entity, keyed by field path. */
export type SecretValues = Readonly<Record<string, string>>;

/**
 * Extracts the secrets from a body. An omitted secret keeps its value, and null clears it. A secret is also cleared if the section that
 * contains it is removed, for example after a switch to another cloud.
 */
export function extractSecrets(
  kind: string,
  json: JsonObject,
  former: SecretValues,
): { entity: JsonObject; secrets: SecretValues } {
  let entity = json;
  const secrets: Record<string, string> = {};
  for (const path of secretPaths[kind] ?? []) {
    const name = path.join(".");
    const sent = getAt(json, path);
    const kept = sent === undefined && isObject(getAt(json, path.slice(0, -1))) ? former[name] : undefined;
    if (typeof sent === "string") secrets[name] = sent;
    else if (kept !== undefined) secrets[name] = kept;
    if (sent !== undefined) entity = setAt(entity, path, undefined);
  }
  // Secrets that are not part of the spec belong to the platform.
  const paths = new Set((secretPaths[kind] ?? []).map((path) => path.join(".")));
  const own = Object.entries(former).filter(([name]) => !paths.has(name));
  return { entity, secrets: { ...secrets, ...Object.fromEntries(own) } };
}

/** Returns the paths of secrets that a patch or mask sets to null. The merged entity does not show them, because merging removes nulls. */
export function clearedSecrets(kind: string, patch: Json): readonly FieldPath[] {
  return (secretPaths[kind] ?? []).filter((path) => getAt(patch, path) === null);
}

export function sealSecrets(ring: KeyRing, uid: string, secrets: SecretValues): Buffer | null {
  return Object.keys(secrets).length === 0 ? null : seal(ring, uid, JSON.stringify(secrets));
}

export function unsealSecrets(ring: KeyRing, uid: string, sealed: Buffer | null): SecretValues {
  return sealed === null ? {} : (JSON.parse(unseal(ring, uid, sealed)) as SecretValues);
}
