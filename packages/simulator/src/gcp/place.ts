import { createHash } from "node:crypto";
import { findRegion } from "../cloud/regions.ts";
import type { HookContext, Problem } from "../provider/definition.ts";
import type { Value, ValueMap } from "../values/value.ts";

/** The project for accounts that do not name one. */
export const defaultProject = "simulated";

/** The project, region and zone that a call applies to. */
export type Place = {
  readonly project: string;
  readonly region: string;
  readonly zone: string;
};

/**
 * Returns the project, region and zone of a resource. Attributes of the resource take precedence over the provider's settings. If neither
 * has a value, a default applies.
 */
export function placeOf({ provider }: Pick<HookContext, "provider">, attributes: ValueMap = {}): Place {
  const find = (name: string): string | undefined => {
    const value = [attributes[name], provider[name]].find((each) => typeof each === "string" && each !== "");
    return typeof value === "string" ? value.split("/").at(-1) : undefined;
  };
  const region = find("region") ?? find("zone")?.replace(/-[a-z]$/, "") ?? "us-central1";
  const [first = `${region}-a`] = findRegion("gcp", region)?.zones ?? [];
  return { project: find("project") ?? defaultProject, region, zone: find("zone") ?? first };
}

/** Returns a problem if the region does not exist. */
export function checkRegion(region: string): readonly Problem[] {
  return findRegion("gcp", region) === undefined ? [{ summary: `Unknown region: ${region}`, path: ["region"] }] : [];
}

/** Returns the attributes whose value is a non-empty string. */
export function known(values: ValueMap): ValueMap {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]: [string, Value]) => typeof value === "string" && value !== ""),
  );
}

/** Returns the SHA-256 hash of a string in hexadecimal. */
export function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns a 19-digit number like those that Google Cloud uses as ids. The same text always results in the same number. */
export function numericId(text: string): string {
  const digits = BigInt(`0x${hash(text).slice(0, 16)}`)
    .toString()
    .padStart(19, "0");
  return `${1 + (Number(digits[0]) % 8)}${digits.slice(1, 19)}`;
}

/** Returns the project number for a project id. */
export function projectNumber(project: string): string {
  return numericId(`project ${project}`).slice(0, 12);
}
