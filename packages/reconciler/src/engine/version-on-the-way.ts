import { nextKubernetesVersion } from "@cloudwright/contract";
import { findOutputs } from "./decide-idle.ts";
import type { Scope } from "./scope.ts";

/**
 * The version that a cluster's next run brings about, where the wanted one lies more than one minor above the running one; undefined: the wanted one.
 * What has been reached is what the last run that went well says, so each run leads to the next, in one operation, until the wanted one is there.
 */
export function findVersionOnTheWay(scope: Scope): string | undefined {
  const { kind, object } = scope.entity;
  const [running, wanted] = [findOutputs(scope)?.["version"], object.spec["version"]];
  if (kind !== "Cluster" || typeof running !== "string" || typeof wanted !== "string") return undefined;
  return nextKubernetesVersion(running, wanted);
}
