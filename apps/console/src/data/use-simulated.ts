import type { KindName } from "@cloudwright/api-client";
import { getKind, isEntityKind } from "@cloudwright/contract/kinds";
import { useEntities, useLive } from "./live.tsx";
import { useLocations } from "./use-locations.ts";

/**
 * Returns a function that reports whether an entity is simulated. A deleted entity counts as simulated if all accounts of the project are
 * simulated.
 */
export function useSimulated(): (kind: string | undefined, uid: string | undefined) => boolean {
  const kinds = useLive((state) => state.kinds);
  const locations = useLocations();
  const accounts = useEntities("Account");
  const isAllSimulated = accounts.length > 0 && accounts.every(({ spec }) => spec?.simulated === true);
  return (kind = "", uid = "") => {
    if (isEntityKind(kind) && !getKind(kind).provisioned) return false;
    const entity = kinds[kind as KindName]?.get(uid);
    return entity === undefined ? isAllSimulated : locations.of(kind, entity).simulated;
  };
}
