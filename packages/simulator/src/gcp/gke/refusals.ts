import { getCloud } from "@cloudwright/contract/clouds";
import { findRegion, listRegions } from "../../cloud/regions.ts";
import type { HookContext } from "../../provider/definition.ts";
import type { Refusal } from "../refusal.ts";

/** Returns GKE's error for an invalid field. */
export function badRequest(message: string, ...path: readonly string[]): Refusal {
  return { code: "badRequest", message, ...(path.length === 0 ? {} : { path }) };
}

/** Returns the region and the zones of a location, which is itself a region or a zone. Returns undefined if the location does not exist. */
export function findLocation(location: string): { readonly region: string; readonly zones: readonly string[] } | undefined {
  const region = listRegions("gcp").find((name) => name === location || location.startsWith(`${name}-`));
  const zones = region === undefined ? undefined : findRegion("gcp", region)?.zones;
  if (region === undefined || zones === undefined) return undefined;
  if (region === location) {
    const usual = getCloud("gcp").regions.findDefaultZones?.(region) ?? [];
    return { region, zones: usual.length === 0 ? zones : usual.map((zone) => `${region}-${zone}`) };
  }
  return zones.includes(location) ? { region, zones: [location] } : undefined;
}

/** Returns an error if `email` names a service account of `project` that does not exist. Accounts of other projects are not checked. */
export async function refuseAccount(email: string, project: string, context: HookContext): Promise<readonly Refusal[]> {
  if (!email.endsWith(`@${project}.iam.gserviceaccount.com`)) return [];
  const id = `projects/${project}/serviceAccounts/${email}`;
  if ((await context.find({ type: "google_service_account", id })) !== undefined) return [];
  return [badRequest(`Service account "${email}" does not exist.`, "node_config")];
}
