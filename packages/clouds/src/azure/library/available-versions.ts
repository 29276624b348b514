import type { AvailableVersion } from "../../library/clusters.ts";
import type { VersionOptions } from "../../library/library.ts";
import { compareVersions } from "../../library/versions.ts";
import type { KubernetesVersion, KubernetesVersionListResult } from "../models.ts";
import { operations } from "../operations.ts";
import { spellLocation, type AzureContext } from "./context.ts";

/** Lists the patch versions that AKS offers in a location, newest first. */
export async function listAvailableVersions(
  { api, options }: AzureContext,
  { region = options.location, signal }: VersionOptions,
): Promise<AvailableVersion[]> {
  const location = spellLocation(region);
  const doing = `list the Kubernetes versions that AKS offers in ${location}`;
  const { values = [] } = await api.call<KubernetesVersionListResult>(doing, operations.listVersions, {
    path: { location },
    signal,
  });
  return values.flatMap(listPatches).toSorted((a, b) => compareVersions(b.version, a.version));
}

/** Azure marks one minor version as the default. New clusters get the newest patch of that version. */
function listPatches(offered: KubernetesVersion): AvailableVersion[] {
  const { version: minor = "", isDefault = false, patchVersions = {} } = offered;
  const patches = Object.keys(patchVersions).toSorted(compareVersions);
  return patches.map((version) => ({
    version,
    minor,
    isDefault: isDefault && version === patches.at(-1),
    support: supportOf(offered),
  }));
}

function supportOf({ isPreview, capabilities }: KubernetesVersion): AvailableVersion["support"] {
  const plans = capabilities?.supportPlan ?? [];
  if (isPreview === true) return "preview";
  if (plans.includes("KubernetesOfficial")) return "standard";
  return plans.includes("AKSLongTermSupport") ? "extended" : "unknown";
}
