import { listOf, objectOf, textOf, textsOf, type Json, type JsonObject } from "@cloudwright/platform/json";
import { ownerTag, partTag } from "../../account-view.ts";
import { createCloudFault } from "../../library/errors.ts";
import type { OwnedPart, PartAttributes, PartOwner } from "../../library/parts.ts";

type Tags = Readonly<Record<string, string>>;

/**
 * Returns the tags of a new resource. `group` is `pool` for node pools, whose nodes are counted by this tag, and `this` for everything
 * else.
 */
export function renderOwnerTags(
  attributes: PartAttributes,
  { entityUid, name }: Pick<PartOwner, "entityUid" | "name">,
  group: "this" | "pool" = "this",
): Record<string, string> {
  return { ...readTextMap(attributes["tags"]), [ownerTag]: entityUid, [partTag]: `${group}/${name}` };
}

/** Returns the string values of a map attribute. */
export function readTextMap(value: Json | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(objectOf(value)).map(([key, each]) => [key, textOf(each)]));
}

/** Returns the tags that a blueprint sets, without the platform's tags. */
export function listOwnTags(tags: Tags | undefined): JsonObject {
  return Object.fromEntries(Object.entries(tags ?? {}).filter(([key]) => !key.startsWith("cloudwright:")));
}

/** Replaces the tags that a blueprint sets. Keeps the platform's tags. */
export function replaceTags(now: Tags | undefined, desired: Json | undefined): Record<string, string> {
  const kept = Object.entries(now ?? {}).filter(([key]) => key.startsWith("cloudwright:"));
  return { ...readTextMap(desired), ...Object.fromEntries(kept) };
}

/** Reads the name of the desired resource from an ownership tag. Returns undefined if the resource belongs to another entity. */
export function findOwned(id: string, tags: Tags | undefined, entityUid: string): OwnedPart | undefined {
  if (tags?.[ownerTag] !== entityUid) return undefined;
  return { id, name: (tags[partTag] ?? "").replace(/^[^/]*\//, "") };
}

/** Throws `clouds.conflict` if a resource has another entity's ownership tag. Resources without this tag are accepted. */
export function checkOwner(what: string, tags: Tags | undefined, entityUid: string): void {
  const owner = tags?.[ownerTag];
  if (owner === undefined || owner === entityUid) return;
  throw createCloudFault(`${what} belongs to another entity`, { cloud: "azure", category: "conflict" });
}

/** Throws `clouds.conflict` unless a resource has the entity's ownership tag. */
export function checkTaken(what: string, tags: Tags | undefined, { entityUid }: Pick<PartOwner, "entityUid">): void {
  if (tags?.[ownerTag] === entityUid) return;
  throw createCloudFault(`${what} already exists and does not belong to this entity`, { cloud: "azure", category: "conflict" });
}

/** Returns the only object of a block, as Terraform represents it: a list with one object. */
export function readBlock(value: Json | undefined): JsonObject {
  return objectOf(listOf(value)[0]) as JsonObject;
}

/** Returns a list of strings in a stable order. */
export function sortTexts(value: unknown): string[] {
  return textsOf(value).toSorted();
}

/** Returns an object without the fields that are undefined or empty strings. */
export function withoutEmpty(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""));
}
