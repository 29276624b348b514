import { listOf, objectOf, textOf, textsOf, type Json, type JsonObject } from "@cloudwright/platform/json";
import { ownerTag, partTag } from "../../account-view.ts";
import { createCloudFault } from "../../library/errors.ts";
import type { OwnedPart, PartAttributes, PartOwner } from "../../library/parts.ts";

/** The entity whose resources a part manages, and their region. */
export interface PartScope {
  /** Uid of the entity whose resources are managed. */
  readonly entityUid: string;
  readonly region: string;
}

type Tags = Readonly<Record<string, string>>;

/**
 * Returns the tags of a new resource. `group` is `pool` for node pools, whose nodes are counted by this tag, and `this` for everything
 * else.
 */
export function renderOwnerTags(
  attributes: PartAttributes,
  owner: PartOwner,
  group: "this" | "pool" = "this",
): Record<string, string> {
  return { ...readTagMap(attributes["tags"]), [ownerTag]: owner.entityUid, [partTag]: `${group}/${owner.name}` };
}

/** Returns the tags in an attribute. */
export function readTagMap(value: Json | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(objectOf(value)).map(([key, each]) => [key, textOf(each)]));
}

/** Returns the tags that a blueprint sets, without those set by the platform or AWS. */
export function listOwnTags(tags: Tags | undefined): JsonObject {
  return Object.fromEntries(Object.entries(tags ?? {}).filter(([key]) => !isReserved(key)));
}

function isReserved(key: string): boolean {
  return /^(cloudwright|aws|eks):/.test(key);
}

/** Returns the tags to set and the tags to remove to get from `now` to `desired`. */
export function compareTags(now: Tags | undefined, desired: Json | undefined): { set: Record<string, string>; remove: string[] } {
  const wanted = readTagMap(desired);
  return {
    set: Object.fromEntries(Object.entries(wanted).filter(([key, value]) => now?.[key] !== value)),
    remove: Object.keys(now ?? {}).filter((key) => !isReserved(key) && !Object.hasOwn(wanted, key)),
  };
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
  throw createCloudFault(`${what} belongs to another entity`, { cloud: "aws", category: "conflict" });
}

/** Throws `clouds.conflict` unless a resource has the entity's ownership tag. */
export function checkTaken(what: string, tags: Tags | undefined, { entityUid }: Pick<PartOwner, "entityUid">): void {
  if (tags?.[ownerTag] === entityUid) return;
  throw createCloudFault(`${what} already exists and does not belong to this entity`, { cloud: "aws", category: "conflict" });
}

/** Returns the only object of a block, as Terraform represents it: a list with one object. */
export function readBlock(value: Json | undefined): JsonObject {
  return objectOf(listOf(value)[0]) as JsonObject;
}

/** Returns a list of strings in a stable order. */
export function sortTexts(value: unknown): string[] {
  return textsOf(value).toSorted();
}
