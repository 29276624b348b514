import { findCloud, type CloudName, type JsonObject } from "@cloudwright/contract";
import { overlaps, parseRange, type FieldViolation } from "@cloudwright/platform";
import { getAt } from "./json-tree.ts";
import type { JudgedEntity } from "./judge.ts";

/**
 * Returns a violation for each new address range of a network that overlaps a range that the cloud reserves, such as the loopback
 * addresses.
 */
export function findReservedRanges({ spec }: JudgedEntity, before: JsonObject, cloud: CloudName): FieldViolation[] {
  const facts = findCloud(cloud);
  if (facts === undefined || spec["existing"] !== undefined) return [];
  const { reservedRanges, rangeFields } = facts.network;
  return [["cidr"], ...rangeFields].flatMap((path) => {
    const former = new Set(listTexts(before, path));
    return listTexts(spec, path).flatMap((text): FieldViolation[] => {
      const reserved = former.has(text) ? undefined : reservedRanges.find((range) => doOverlap(range, text));
      if (reserved === undefined) return [];
      const message = `is ${text}, which overlaps ${reserved}, a range that ${facts.title} reserves`;
      return [{ field: `spec.${path.join(".")}`, message: `${message}; choose another range, for example in 10.0.0.0/8` }];
    });
  });
}

function doOverlap(first: string, second: string): boolean {
  const [a, b] = [parseRange(first), parseRange(second)];
  return a !== undefined && b !== undefined && overlaps(a, b);
}

function listTexts(spec: JsonObject, path: readonly string[]): string[] {
  const value = getAt(spec, path);
  return (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string" && each !== "") as string[];
}
