import { refuseRequest } from "../../library/errors.ts";
import type { Zone } from "../models.ts";
import { lastPart } from "../resource-names.ts";
import type { GcpContext } from "./context.ts";

/** Returns whether a location is a zone such as `us-central1-a`, not a region. */
export function isZone(location: string): boolean {
  return /^[a-z]+(-[a-z]+)+\d+-[a-z0-9]+$/.test(location);
}

/** Returns the region that contains a zone. A region is returned unchanged. */
export function regionOf(location: string): string {
  return isZone(location) ? location.slice(0, location.lastIndexOf("-")) : location;
}

interface PlaceRequest {
  readonly region?: string | undefined;
  readonly zone?: string | undefined;
}

/** Throws `clouds.invalid` unless the strings are valid locations that are consistent with each other. */
function checkPlace({ region, zone }: PlaceRequest): void {
  for (const place of [region, zone])
    if (place !== undefined && !/^[a-z]+(-[a-z]+)+\d+(-[a-z0-9]+)?$/.test(place))
      throw refuseRequest("gcp", `"${place}" is neither a region such as us-central1 nor a zone such as us-central1-a`);
  if (zone !== undefined && !isZone(zone))
    throw refuseRequest("gcp", `"${zone}" is not a zone; use a form such as us-central1-a, or set region`);
  if (zone !== undefined && region !== undefined && regionOf(zone) !== regionOf(region))
    throw refuseRequest("gcp", `the zone ${zone} is not in the region ${region}`);
}

/** Chooses where a cluster is created. The request's region takes precedence over the client's zone. */
export function chooseLocation({ options }: Pick<GcpContext, "options">, request: PlaceRequest): string {
  checkPlace(request);
  const location = request.zone ?? request.region ?? options.region ?? options.zone;
  if (location === undefined) throw refuseRequest("gcp", "set region or zone in the request or in the options of createGcp");
  checkPlace({ region: location });
  return location;
}

/** Chooses the zone of a machine. Returns undefined if any zone of the region will do. */
export function chooseZone(
  { options }: Pick<GcpContext, "options">,
  request: PlaceRequest,
): { readonly region: string; readonly zone?: string } {
  checkPlace(request);
  const place = request.zone ?? request.region ?? options.zone ?? options.region;
  if (place === undefined) throw refuseRequest("gcp", "set region or zone in the request or in the options of createGcp");
  checkPlace({ region: place });
  if (isZone(place)) return { region: regionOf(place), zone: place };
  const { zone } = options;
  return zone !== undefined && regionOf(zone) === place ? { region: place, zone } : { region: place };
}

/** Lists the names of the zones in a region that are up. */
export async function listZones(context: GcpContext, region: string, signal: AbortSignal | undefined): Promise<string[]> {
  const pages = await context.api.listPages<{ readonly items?: readonly Zone[] }>(`list the zones of ${region}`, {
    service: "compute",
    action: "zones.list",
    path: `projects/${context.project}/zones`,
    signal,
  });
  const zones = pages
    .flatMap(({ items = [] }) => items)
    .filter(({ status, region: link }) => (status ?? "UP") === "UP" && lastPart(link) === region)
    .flatMap(({ name }) => name ?? []);
  if (zones.length === 0) throw refuseRequest("gcp", `the region ${region} does not exist, or has no zone that is up`);
  return zones.toSorted();
}

/** Default number of zones that a cluster uses in a region. */
const usualZones = 3;

/** Chooses the zones of a cluster's nodes. */
export async function chooseNodeZones(
  context: GcpContext,
  location: string,
  requested: readonly string[] | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  if (requested !== undefined && requested.length > 0) {
    for (const zone of requested) checkPlace({ zone, region: regionOf(location) });
    return requested;
  }
  return isZone(location) ? [location] : (await listZones(context, location, signal)).slice(0, usualZones);
}

/** GKE creates the same number of nodes in each zone of a pool. */
export interface Spread {
  readonly zones: readonly string[];
  readonly perZone: number;
}

/**
 * Spreads a total number of nodes over as many of the zones as possible, with the same number in each. Throws `clouds.invalid` if the
 * caller chose the zones and the total is not a multiple of their number.
 */
export function spreadNodes(count: number, zones: readonly string[], isFixed: boolean): Spread {
  if (count === 0) return { zones, perZone: 0 };
  const most = Math.max(1, zones.length);
  let used = Math.min(most, count);
  while (count % used !== 0) used -= 1;
  if (isFixed && used !== most)
    throw refuseRequest(
      "gcp",
      `GKE creates the same number of nodes in each zone, so the number of nodes must be a multiple of ${most}, not ${count}`,
    );
  return { zones: zones.slice(0, used), perZone: count / used };
}
