import { compareKubernetesVersions, getKind, isMinorUpgrade, nextKubernetesVersion } from "@cloudwright/contract";
import { findOutputs } from "./decide-idle.ts";
import type { Scope } from "./scope.ts";

/**
 * Returns the next intermediate version if the desired version is more than one minor version away. Returns undefined if the next run can
 * install the desired version. The running version comes from the last successful run, so a multi-step upgrade takes several runs.
 */
export function findNextVersion(scope: Scope): string | undefined {
  const { kind, object } = scope.entity;
  const { versionField } = getKind(kind);
  if (versionField === undefined) return undefined;
  const [running, desired] = [findOutputs(scope)?.[versionField], object.spec[versionField]];
  return typeof running === "string" && typeof desired === "string" ? nextKubernetesVersion(running, desired) : undefined;
}

/** Returns whether an entity's next run upgrades it by at least one minor version. */
export function isUpgradePending(scope: Scope): boolean {
  const { kind, object } = scope.entity;
  const { versionField } = getKind(kind);
  if (versionField === undefined) return false;
  const [running, desired] = [findOutputs(scope)?.[versionField], object.spec[versionField]];
  return typeof running === "string" && typeof desired === "string" && isMinorUpgrade(running, desired);
}

/** Returns whether the desired version differs from the running one. */
export function isUpgrade({ entity }: Scope): boolean {
  const { versionField } = getKind(entity.kind);
  if (versionField === undefined) return false;
  const { spec, status } = entity.object;
  const [running, desired] = [status[versionField], spec[versionField]];
  return typeof running === "string" && typeof desired === "string" && compareKubernetesVersions(desired, running) !== 0;
}
