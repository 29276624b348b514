import { cloudOf, defaultNetworkCidr, overlaps, parseRange, type JsonObject } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import { emptyPart } from "./entity-json.ts";
import { getAt, isObject } from "./json-tree.ts";

/** Kubernetes version for clusters that name none: the newest that every managed cloud offers. */
const defaultKubernetesVersion = "1.34";

/**
 * A spec with the platform's defaults filled in and one spelling for each value, so that equal wishes are equal text. What was chosen for
 * an entity before stays: a later default must not upgrade a cluster whose file names no version.
 */
export function normaliseSpec(
  kind: string,
  spec: JsonObject,
  parent: JsonObject | undefined,
  current: JsonObject = {},
): JsonObject {
  const next = { ...spec };
  if (kind === "Network") {
    // One that exists has the range that it has, which its status tells.
    const usual = isObject(next["existing"]) ? "" : defaultNetworkCidr;
    next["cidr"] = text(next["cidr"]) || text(current["cidr"]) || usual;
  }
  if (kind === "Cluster")
    next["version"] = text(next["version"]).replace(/^v/, "") || text(current["version"]) || defaultKubernetesVersion;
  if ((kind === "Network" || kind === "Cluster") && cloudOf(next) === undefined) {
    const cloud = cloudOf(parent ?? {});
    if (cloud !== undefined) next[cloud] = emptyPart(kind, cloud);
  }
  return next;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Rules between an entity and its parent that no single message can state. */
export function checkAgainstParent(
  kind: string,
  spec: JsonObject,
  parent: { kind: string; name: string; spec: JsonObject },
): FieldViolation[] {
  const violations: FieldViolation[] = [];
  const cloud = cloudOf(spec);
  const parentCloud = cloudOf(parent.spec);
  if ((kind === "Network" || kind === "Cluster") && cloud !== undefined && parentCloud !== undefined && cloud !== parentCloud) {
    violations.push({ field: `spec.${cloud}`, message: `does not fit: ${parent.kind} "${parent.name}" is on ${parentCloud}` });
  }
  if (kind === "Cluster") violations.push(...checkRanges(spec, parent));
  return violations;
}

function checkRanges(spec: JsonObject, network: { name: string; spec: JsonObject }): FieldViolation[] {
  const outer = parseRange(text(getAt(network.spec, ["cidr"])));
  if (outer === undefined || !isObject(spec["networking"])) return [];
  return ["podCidr", "serviceCidr"].flatMap((name): FieldViolation[] => {
    const value = text(getAt(spec, ["networking", name]));
    const range = parseRange(value);
    if (range === undefined || !overlaps(outer, range)) return [];
    return [{ field: `spec.networking.${name}`, message: `${value} overlaps the range of network "${network.name}"` }];
  });
}
