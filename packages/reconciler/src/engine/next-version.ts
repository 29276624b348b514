import { compareKubernetesVersions, getKind, nextKubernetesVersion } from "@cloudwright/contract";
import { findOutputs } from "./decide-idle.ts";
import type { Scope } from "./scope.ts";

/**
 * Returns the version that the next run installs if the desired one is more than one minor version away; undefined if the run can install the
 * desired one. The running version is that of the last successful run, so an operation takes as many runs as it needs.
 */
export function findNextVersion(scope: Scope): string | undefined {
  const { kind, object } = scope.entity;
  const { versionField } = getKind(kind);
  if (versionField === undefined) return undefined;
  const [running, desired] = [findOutputs(scope)?.[versionField], object.spec[versionField]];
  return typeof running === "string" && typeof desired === "string" ? nextKubernetesVersion(running, desired) : undefined;
}

/** Returns whether the desired version differs from the running one. */
export function isUpgrade({ entity }: Scope): boolean {
  const { versionField } = getKind(entity.kind);
  if (versionField === undefined) return false;
  const { spec, status } = entity.object;
  const [running, desired] = [status[versionField], spec[versionField]];
  return typeof running === "string" && typeof desired === "string" && compareKubernetesVersions(desired, running) !== 0;
}
