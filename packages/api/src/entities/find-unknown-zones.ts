import { findCloud, findZones, type CloudName, type JsonObject } from "@cloudwright/contract";
import { didYouMean, type FieldViolation } from "@cloudwright/platform";
import type { CatalogueExtras } from "./catalogue-extras.ts";
import { getAt, textAt } from "./json-tree.ts";
import type { JudgedEntity } from "./judge.ts";

/** Paths of spec fields that contain one or more zones. They apply to all kinds and clouds. */
const commonFields: readonly (readonly string[])[] = [["zones"], ["zone"], ["volume", "zone"]];

/**
 * Returns a violation for each zone that the region does not have. Ignores zones that the spec already had, and regions that are not in the
 * catalogue. For a real account, also accepts zones that the cloud offers only to some accounts.
 */
export function findUnknownZones(
  { spec, parents, account }: JudgedEntity,
  before: JsonObject,
  cloud: CloudName,
  { zones: extras }: CatalogueExtras,
): FieldViolation[] {
  const region = [spec, ...parents.map((parent) => parent.spec)]
    .map((each) => textAt(each, "region"))
    .find((text) => text !== "");
  const facts = findCloud(cloud);
  const known = region === undefined ? undefined : findZones(cloud, region);
  if (region === undefined || facts === undefined || known === undefined) return [];
  const { renderZone, isUncommonZone, zoneFields = [] } = facts.regions;
  const isKnown = (zone: string): boolean =>
    known.includes(zone) ||
    extras.has(`${cloud}:${zone}`) ||
    (account?.spec["simulated"] !== true && isUncommonZone?.(region, zone) === true);
  const isMoved = textAt(spec, "region") !== textAt(before, "region");
  return [...commonFields, ...zoneFields].flatMap((path) => {
    const former = new Set(isMoved ? [] : textsAt(before, path));
    return textsAt(spec, path).flatMap((text, index): FieldViolation[] => {
      const zone = renderZone(region, text);
      if (former.has(text) || isKnown(zone)) return [];
      const field = `spec.${path.join(".")}${path[0] === "zones" ? `[${index}]` : ""}`;
      const offer = known.length === 0 ? `${region} has no zones; remove the field` : `choose from ${known.join(", ")}`;
      return [{ field, message: `is "${text}", which is not a zone of ${region}${didYouMean(zone, known)}; ${offer}` }];
    });
  });
}

function textsAt(spec: JsonObject, path: readonly string[]): string[] {
  const value = getAt(spec, path);
  return (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string" && each !== "") as string[];
}
