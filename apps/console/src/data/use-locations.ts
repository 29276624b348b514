import type { LiveState } from "./live-store.ts";
import { useLive } from "./live.tsx";
import { createLocations, parentKinds, type Locations } from "./locations.ts";

let latest: { readonly maps: readonly unknown[]; readonly locations: Locations } | undefined;

export function useLocations(): Locations {
  return useLive(readLocations);
}

/** Rebuilds the lookup only when an entity that determines locations has changed. */
function readLocations({ kinds }: LiveState): Locations {
  const maps = parentKinds.map((kind) => kinds[kind]);
  if (latest === undefined || maps.some((map, index) => map !== latest?.maps[index]))
    latest = { maps, locations: createLocations(kinds) };
  return latest.locations;
}
