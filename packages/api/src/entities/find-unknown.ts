import { cloudOf, findCloud, findTagProblem, getKind, listRegions, type CloudName, type JsonObject } from "@cloudwright/contract";
import { didYouMean, type FieldViolation } from "@cloudwright/platform";
import { isEqual, textAt } from "./json-tree.ts";
import type { JudgedEntity } from "./judge.ts";

/**
 * Regions, machine types and Kubernetes versions that operators add to the built-in catalogue, written as `cloud:name`. They let users
 * choose what a cloud introduced after this release.
 */
export interface CatalogueExtras {
  readonly regions: ReadonlySet<string>;
  readonly machineTypes: ReadonlySet<string>;
  readonly kubernetesVersions: ReadonlySet<string>;
}

export const noExtras: CatalogueExtras = { regions: new Set(), machineTypes: new Set(), kubernetesVersions: new Set() };

/**
 * Returns the fields that name a region, machine type or Kubernetes version that the cloud does not have, and labels that the cloud cannot
 * store as tags. Ignores fields that do not change, because an existing entity may use a version that the cloud has retired.
 */
export function findUnknown(
  placed: JudgedEntity,
  before: JsonObject,
  formerLabels: JsonObject | undefined,
  extras: CatalogueExtras,
): FieldViolation[] {
  const { kind, spec, account, metadata } = placed;
  const cloud = account === undefined ? undefined : cloudOf(account.spec);
  if (cloud === undefined) return [];
  const changed = (field: string): string => (textAt(spec, field) === textAt(before, field) ? "" : textAt(spec, field));
  const { versionField } = getKind(kind);
  return [
    ...findRegion(cloud, changed("region"), extras),
    ...findMachineType(cloud, changed("instanceType"), extras),
    ...newTexts(spec, before, "instanceTypes").flatMap((type) => findMachineType(cloud, type, extras, "instanceTypes")),
    ...(versionField === undefined ? [] : findVersion(cloud, versionField, changed(versionField), extras)),
    ...(isEqual(metadata["labels"] ?? {}, formerLabels ?? {}) ? [] : findLabels(placed, cloud)),
  ];
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

function findVersion(
  cloud: CloudName,
  field: string,
  version: string,
  { kubernetesVersions }: CatalogueExtras,
): FieldViolation[] {
  const facts = findCloud(cloud);
  const minor = /^v?(?<minor>\d+\.\d+)/.exec(version)?.groups?.["minor"];
  const known = facts?.kubernetesVersions;
  if (minor === undefined || known === undefined || known.includes(minor) || kubernetesVersions.has(`${cloud}:${minor}`))
    return [];
  const message = `is ${version}, but ${facts?.kubernetesService ?? cloud} offers ${known.join(", ")}; choose one of these versions`;
  return [{ field: `spec.${field}`, message }];
}

function findLabels({ kind, metadata }: JudgedEntity, cloud: CloudName): FieldViolation[] {
  if (getKind(kind).labelsAreTags !== true) return [];
  const message = findTagProblem(cloud, (metadata["labels"] ?? {}) as Readonly<Record<string, string>>);
  return message === undefined ? [] : [{ field: "metadata.labels", message }];
}
