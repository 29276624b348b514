import { useMemo } from "react";
import { createAtlas, type Atlas } from "./fleet.ts";
import { useEntities } from "./live.tsx";

/** Returns the locations of all entities in the project. */
export function useAtlas(): Atlas {
  const accounts = useEntities("Account");
  const networks = useEntities("Network");
  const clusters = useEntities("Cluster");
  return useMemo(() => createAtlas(accounts, networks, clusters), [accounts, networks, clusters]);
}
