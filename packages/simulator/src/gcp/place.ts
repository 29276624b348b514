import { findRegion } from "../cloud/regions.ts";
import type { HookContext, Problem } from "../provider/definition.ts";
import type { Value, ValueMap } from "../values/value.ts";

/** Returns the project, region and zone that the provider is configured for. Missing settings get default values. */
export function placeOf({ provider }: HookContext): Record<string, string> {
  const text = (value: Value | undefined, standard: string): string =>
    typeof value === "string" && value !== "" ? value : standard;
  const region = text(provider["region"], "us-central1");
  const [zone = `${region}-a`] = findRegion("gcp", region)?.zones ?? [];
  return { project: text(provider["project"], "simulated"), region, zone: text(provider["zone"], zone) };
}

/** Returns a problem if the region does not exist. */
export function checkRegion(region: string): readonly Problem[] {
  return findRegion("gcp", region) === undefined ? [{ summary: `Unknown region: ${region}`, path: ["region"] }] : [];
}

/** Returns the attributes whose value is a non-empty string. */
export function known(values: ValueMap): ValueMap {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === "string" && value !== ""));
}
