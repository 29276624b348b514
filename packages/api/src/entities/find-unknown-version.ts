import { findCloud, type CloudName } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import type { CatalogueExtras } from "./catalogue-extras.ts";

/**
 * Returns a violation if the cloud's managed Kubernetes service does not offer a version. Operators can add a minor version with all its
 * patch versions (`CLOUD:1.36`) or a single patch version (`CLOUD:1.35.4`).
 */
export function findUnknownVersion(
  cloud: CloudName,
  field: string,
  version: string,
  { kubernetesVersions: extras }: CatalogueExtras,
): FieldViolation[] {
  const facts = findCloud(cloud);
  const { minor, patch } = parseVersion(version);
  const known = facts?.kubernetesVersions;
  if (minor === undefined || facts === undefined || known === undefined) return [];
  const refuse = (why: string): FieldViolation[] => [{ field: `spec.${field}`, message: `is ${version}, but ${why}` }];
  const service = facts.kubernetesService;
  if (!known.includes(minor) && !extras.has(`${cloud}:${minor}`))
    return refuse(`${service} offers ${known.join(", ")}; choose one of these versions`);
  if (patch === undefined) return [];
  if (extras.has(`${cloud}:${minor}`) || extras.has(`${cloud}:${minor}.${patch}`)) return [];
  const newest = facts.kubernetesPatches?.[minor];
  if (newest !== undefined && Number(patch) <= newest) return [];
  return refuse(`${service} offers ${describePatches(minor, newest)}; write ${minor} to let ${service} choose the patch version`);
}

/**
 * Returns a warning if a version includes a patch number. The cloud chooses the cluster's patch version itself, and may choose a different
 * one.
 */
export function findPatchWarnings(cloud: CloudName, field: string, version: string): string[] {
  const { minor, patch } = parseVersion(version);
  if (minor === undefined || patch === undefined) return [];
  const service = findCloud(cloud)?.kubernetesService ?? cloud;
  return [`spec.${field}: the cluster gets the patch version that ${service} chooses for ${minor}, which may not be ${version}`];
}

function parseVersion(version: string): { readonly minor?: string; readonly patch?: string } {
  return /^v?(?<minor>\d+\.\d+)(\.(?<patch>\d+))?/.exec(version)?.groups ?? {};
}

function describePatches(minor: string, newest: number | undefined): string {
  if (newest === undefined) return minor;
  return newest === 0 ? `${minor}.0` : `${minor}.0 to ${minor}.${newest}`;
}
