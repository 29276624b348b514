import { listOf, objectOf, textOf, type Json, type JsonObject } from "@cloudwright/platform/json";
import { ownerTag, partTag } from "../../account-view.ts";
import { createCloudFault } from "../../library/errors.ts";
import type { OwnedPart, PartOwner } from "../../library/parts.ts";
import { renderLabels, toTags } from "../library/labels.ts";

/** The entity whose resources a part manages, and their region. */
export interface PartScope {
  /** Uid of the entity whose resources are managed. */
  readonly entityUid: string;
}

type Labels = Readonly<Record<string, string>>;

/** Returns the labels of a new resource. `group` is `pool` for node pools and `this` for everything else. */
export function renderOwnerLabels(
  labels: Json | undefined,
  owner: PartOwner,
  group: "this" | "pool" = "this",
): Record<string, string> {
  const own = renderLabels({ [ownerTag]: owner.entityUid, [partTag]: `${group}/${owner.name}` });
  return { ...readTexts(labels), ...own };
}

/** Returns the labels that replace `now`. Labels set by the platform or by Google Cloud are kept. */
export function replaceOwnLabels(now: Labels | undefined, desired: Json | undefined): Record<string, string> {
  const kept = Object.entries(now ?? {}).filter(([key]) => isReserved(key));
  return { ...readTexts(desired), ...Object.fromEntries(kept) };
}

/** Returns the labels that a blueprint sets, without those set by the platform or Google Cloud. */
export function listOwnLabels(labels: Labels | undefined): JsonObject {
  return Object.fromEntries(Object.entries(labels ?? {}).filter(([key]) => !isReserved(key)));
}

function isReserved(key: string): boolean {
  return /^(cloudwright_|goog[-_])/.test(key);
}

/** Returns an object whose values are strings. */
export function readTexts(value: Json | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(objectOf(value)).map(([key, each]) => [key, textOf(each)]));
}

/** Returns the only object of a block, as Terraform represents it: a list with one object. */
export function readBlock(value: Json | undefined): JsonObject {
  return objectOf(listOf(value)[0]) as JsonObject;
}

/** Reads the name of the desired resource from the ownership labels. Returns undefined if the resource belongs to another entity. */
export function findOwned(id: string, labels: Labels | undefined, entityUid: string): OwnedPart | undefined {
  const tags = toTags(labels ?? {});
  if (tags[ownerTag] !== entityUid) return undefined;
  return { id, name: (tags[partTag] ?? "").replace(/^[^/]*\//, "") };
}

/** Returns the entity uid in the ownership labels. */
export function ownerOfLabels(labels: Labels | undefined): string | undefined {
  return toTags(labels ?? {})[ownerTag];
}

/** Throws `clouds.conflict` if a resource has another entity's ownership label. Resources without this label are accepted. */
export function checkOwner(what: string, labels: Labels | undefined, entityUid: string): void {
  const owner = ownerOfLabels(labels);
  if (owner === undefined || owner === entityUid) return;
  throw createCloudFault(`${what} belongs to another entity`, { cloud: "gcp", category: "conflict" });
}

/** Throws `clouds.conflict` unless a resource has the entity's ownership label. */
export function checkTaken(what: string, labels: Labels | undefined, { entityUid }: Pick<PartOwner, "entityUid">): void {
  if (ownerOfLabels(labels) === entityUid) return;
  throw createCloudFault(`${what} already exists and does not belong to this entity`, { cloud: "gcp", category: "conflict" });
}
