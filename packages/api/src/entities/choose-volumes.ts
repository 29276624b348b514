import type { EntityJson } from "@cloudwright/contract";
import { rulesOf } from "../kinds/rules.ts";

/**
 * Records in the spec whether a deletion keeps the volumes of persistent volume claims, so that retries of the deletion do the same. Does
 * nothing for kinds without such volumes.
 */
export function chooseVolumes(kind: string, entity: EntityJson, volumes: string): EntityJson {
  const field = rulesOf(kind).volumesField;
  return volumes === "" || field === undefined ? entity : { ...entity, spec: { ...entity.spec, [field]: volumes } };
}
