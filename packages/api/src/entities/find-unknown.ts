import { cloudOf, findCloud, findTagProblem, getKind, listRegions, type CloudName, type JsonObject } from "@cloudwright/contract";
import { didYouMean, type FieldViolation } from "@cloudwright/platform";
import type { CatalogueExtras } from "./catalogue-extras.ts";
import { findForeignSettings } from "./find-foreign-settings.ts";
import { findReservedRanges } from "./find-reserved-ranges.ts";
import { findTurnedOff } from "./find-turned-off.ts";
import { findUnfit } from "./find-unfit.ts";
import { findPatchWarnings, findUnknownVersion } from "./find-unknown-version.ts";
import { findUnknownZones } from "./find-unknown-zones.ts";
import { isEqual, textAt } from "./json-tree.ts";
import type { JudgedEntity } from "./judge.ts";

/**
 * Returns the fields with values that are missing from the cloud's catalogue: regions, zones, machine types and Kubernetes versions.
 * Ignores fields that do not change, because an existing entity may use a version that the cloud has retired.
 */
export function findUnknown(placed: JudgedEntity, before: JsonObject, extras: CatalogueExtras): FieldViolation[] {
  const { kind, spec } = placed;
  const cloud = cloudIn(placed);
  if (cloud === undefined) return [];
  const changed = (field: string): string => (textAt(spec, field) === textAt(before, field) ? "" : textAt(spec, field));
  const { versionField } = getKind(kind);
  return [
    ...findRegion(cloud, changed("region"), extras),
    ...findMachineType(cloud, changed("instanceType"), extras),
    ...findMachineType(cloud, changed("machineType"), extras, "machineType"),
    ...newTexts(spec, before, "instanceTypes").flatMap((type) => findMachineType(cloud, type, extras, "instanceTypes")),
    ...(versionField === undefined ? [] : findUnknownVersion(cloud, versionField, changed(versionField), extras)),
    ...findUnknownZones(placed, before, cloud, extras),
  ];
}

/** What is stored about the entity before the change. */
interface Former {
  /** The current spec. Empty for a new entity. */
  readonly before: JsonObject;
  /** The current labels. Undefined for a new entity. */
  readonly formerLabels?: JsonObject | undefined;
  /** True if the current spec has been applied in the cloud. */
  readonly isApplied?: boolean | undefined;
}

/**
 * Returns the changed fields that the cloud rejects whatever its catalogue contains: reserved address ranges, settings for other clouds,
 * values that the cloud does not accept, settings that cannot be turned off again, and labels that the cloud cannot store as tags.
 */
export function findRefused(placed: JudgedEntity, { before, formerLabels, isApplied = false }: Former): FieldViolation[] {
  const cloud = cloudIn(placed);
  if (cloud === undefined) return [];
  return [
    ...findReservedRanges(placed, before, cloud),
    ...findForeignSettings(placed, before, cloud),
    ...findUnfit(placed, before, cloud),
    ...findTurnedOff(placed, before, cloud, isApplied),
    ...(isEqual(placed.metadata["labels"] ?? {}, formerLabels ?? {}) ? [] : findLabels(placed, cloud)),
  ];
}

function cloudIn({ account }: JudgedEntity): CloudName | undefined {
  return account === undefined ? undefined : cloudOf(account.spec);
}

/**
 * Returns a warning if the Kubernetes version in the spec has changed and includes a patch number. The cloud chooses the patch version
 * itself.
 */
export function findVersionWarnings(placed: JudgedEntity, before: JsonObject): string[] {
  const { kind, spec } = placed;
  const { versionField } = getKind(kind);
  const cloud = cloudIn(placed);
  if (versionField === undefined || cloud === undefined) return [];
  const version = textAt(spec, versionField);
  return version === textAt(before, versionField) ? [] : findPatchWarnings(cloud, versionField, version);
}

function findRegion(cloud: CloudName, region: string, { regions }: CatalogueExtras): FieldViolation[] {
  const known = listRegions(cloud);
  if (region === "" || known.length === 0 || known.includes(region) || regions.has(`${cloud}:${region}`)) return [];
  const title = findCloud(cloud)?.title ?? cloud;
  const message = `is "${region}", which is not a region of ${title}${didYouMean(region, known)}; choose from ${known.join(", ")}`;
  return [{ field: "spec.region", message }];
}

/** Returns the strings in a list field of the spec that were not in the list before. */
function newTexts(spec: JsonObject, before: JsonObject, field: string): string[] {
  const textsAt = (from: JsonObject): string[] =>
    Array.isArray(from[field]) ? from[field].filter((each) => typeof each === "string") : [];
  const known = new Set(textsAt(before));
  return textsAt(spec).filter((text) => !known.has(text));
}

function findMachineType(
  cloud: CloudName,
  type: string,
  { machineTypes }: CatalogueExtras,
  field = "instanceType",
): FieldViolation[] {
  const facts = findCloud(cloud);
  if (type === "" || facts?.machines.isKnown?.(type) !== false || machineTypes.has(`${cloud}:${type}`)) return [];
  const { suggestedTypes } = facts.machines;
  const near = didYouMean(type, suggestedTypes);
  const message = `is "${type}", which is not a machine type of ${facts.title}${near}; choose one such as ${suggestedTypes.slice(0, 4).join(", ")}`;
  return [{ field: `spec.${field}`, message }];
}

function findLabels({ kind, metadata }: JudgedEntity, cloud: CloudName): FieldViolation[] {
  if (getKind(kind).labelsAreTags !== true) return [];
  const message = findTagProblem(cloud, (metadata["labels"] ?? {}) as Readonly<Record<string, string>>);
  return message === undefined ? [] : [{ field: "metadata.labels", message }];
}
