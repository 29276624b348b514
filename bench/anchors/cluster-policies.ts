import type { JsonObject } from "@cloudwright/contract";
import { overlaps, parseRange } from "@cloudwright/platform";
import type { LineageRow } from "@cloudwright/store";
import type { ClusterInput } from "./cluster-schema.ts";

const production = /^(prod|production)(-.*)?$/;
const oldest = [1, 34] as const;

/** Evaluates hand-written versions of the default cluster policies and returns their warnings. */
export function findWarnings(input: ClusterInput, environment: string, above: readonly LineageRow[]): string[] {
  const { metadata, spec } = input;
  const warnings: string[] = [];
  if (production.test(environment)) {
    if (!metadata.deletionProtection) warnings.push(`production cluster ${metadata.name} can be deleted by one request`);
    if (spec.endpoint?.public === true && isWide(spec.endpoint.publicCidrs))
      warnings.push(`the API server of production cluster ${metadata.name} can be reached from everywhere`);
  }
  const [major = 0, minor = 0] = spec.version.replace(/^v/, "").split(".").map(Number);
  if (spec.version !== "" && (major < oldest[0] || (major === oldest[0] && minor < oldest[1])))
    warnings.push(`Kubernetes ${spec.version} is no longer maintained`);
  for (const range of above.filter(({ kind }) => kind === "Network").map(readRange))
    if (isTaken(range, spec)) warnings.push(`the ranges of ${metadata.name} overlap with the network's ${range}`);
  return warnings;
}

function isWide(ranges: readonly string[]): boolean {
  return ranges.length === 0 || ranges.includes("0.0.0.0/0") || ranges.includes("::/0");
}

function readRange({ object }: LineageRow): string {
  const { spec } = JSON.parse(object) as { spec: JsonObject };
  return typeof spec["cidr"] === "string" ? spec["cidr"] : "10.0.0.0/16";
}

function isTaken(range: string, { networking }: ClusterInput["spec"]): boolean {
  const outer = parseRange(range);
  const inner = [networking?.podCidr || "192.168.0.0/16", networking?.serviceCidr || "10.96.0.0/12"].map(parseRange);
  return outer !== undefined && inner.some((candidate) => candidate !== undefined && overlaps(outer, candidate));
}
