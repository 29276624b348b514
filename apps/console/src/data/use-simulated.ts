import type { KindName } from "@cloudwright/api-client";
import { useEntities, useLive } from "./live.tsx";
import { useAtlas } from "./use-atlas.ts";

/**
 * Returns a function that tells whether a record's entity is simulated. A deleted entity counts as simulated if the
 * whole project is.
 */
export function useSimulated(): (kind: string | undefined, uid: string | undefined) => boolean {
  const kinds = useLive((state) => state.kinds);
  const atlas = useAtlas();
  const accounts = useEntities("Account");
  const isAllSimulated = accounts.length > 0 && accounts.every(({ spec }) => spec?.simulated === true);
  return (kind = "", uid = "") => {
    if (kind === "Environment") return false;
    const entity = kinds[kind as KindName]?.get(uid);
    return entity === undefined ? isAllSimulated : atlas.of(kind, entity).simulated;
  };
}
