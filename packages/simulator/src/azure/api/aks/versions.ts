import { textOf } from "@cloudwright/platform";
import type { ApiOperation } from "../../../api/api-service.ts";
import { defaultVersion, minorOf, offeredVersions, type OfferedVersion } from "../../aks/versions.ts";
import { clusterKind, getCluster } from "./clusters.ts";

const inGroup = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers";

/** Operations that list Kubernetes versions. */
export const versionOperations: readonly ApiOperation[] = [
  {
    name: "ManagedClusters_ListKubernetesVersions",
    match: {
      method: "GET",
      path: "/subscriptions/{subscriptionId}/providers/Microsoft.ContainerService/locations/{location}/kubernetesVersions",
    },
    run: async () => ({ content: { values: offeredVersions.map(describeVersion) } }),
  },
  {
    name: "ManagedClusters_GetUpgradeProfile",
    match: { method: "GET", path: `${inGroup}/${clusterKind.path}/upgradeProfiles/default` },
    touches: { type: clusterKind.mapping.type, operation: "read" },
    async run(call) {
      const cluster = await getCluster(call);
      const current = textOf(cluster.attributes["current_kubernetes_version"]);
      const upgrades = listUpgrades(current).map((kubernetesVersion) => ({ kubernetesVersion }));
      return {
        content: {
          id: `${cluster.id}/upgradeProfiles/default`,
          name: "default",
          type: "Microsoft.ContainerService/managedClusters/upgradeProfiles",
          properties: {
            controlPlaneProfile: { kubernetesVersion: current, osType: "Linux", upgrades },
            agentPoolProfiles: [{ kubernetesVersion: current, osType: "Linux", upgrades }],
          },
        },
      };
    },
  },
];

function describeVersion({ version, patch, isLongTerm }: OfferedVersion): Record<string, unknown> {
  const plans = isLongTerm ? ["AKSLongTermSupport"] : ["KubernetesOfficial", "AKSLongTermSupport"];
  return {
    version,
    ...(version === defaultVersion ? { isDefault: true } : {}),
    capabilities: { supportPlan: plans },
    patchVersions: { [patch]: { upgrades: listUpgrades(patch) } },
  };
}

// A control plane can be upgraded by only one minor version at a time.
function listUpgrades(current: string): string[] {
  return offeredVersions.flatMap(({ patch }) => (minorOf(patch) === minorOf(current) + 1 ? [patch] : []));
}
