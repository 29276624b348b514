import { renderError, type Answer } from "./answer.ts";
import { fill, type Resource } from "./arm-store.ts";
import { guid, tenant } from "./identity-types.ts";
import { checkCluster } from "./check-cluster.ts";
import { completePool } from "./complete-pool.ts";
import { renderKubeconfig } from "./render-kubeconfig.ts";
import { refuse, type ResourceType } from "./resource-type.ts";

const clusterType = "microsoft.containerservice/managedclusters";
const poolType = `${clusterType}/agentpools`;
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

export const kubernetesTypes: Readonly<Record<string, ResourceType>> = {
  [clusterType]: {
    statuses: { create: 201, update: 200 },
    complete(resource, previous, store) {
      const { properties } = resource;
      const pools = properties.agentPoolProfiles as Json[];
      checkCluster(resource, previous, store);
      fill(resource, { sku: { name: "Base", tier: "Free" } });
      // The provider sends an empty version if none is set.
      properties.kubernetesVersion ||= previous?.properties.kubernetesVersion ?? "1.33";
      const [, group = ""] = /\/resourceGroups\/([^/]+)\//i.exec(resource.id) ?? [];
      const host = `${properties.dnsPrefix ?? properties.fqdnSubdomain}-abcd1234`;
      // The provider sends an empty name if none is set.
      if (properties.nodeResourceGroup === "") delete properties.nodeResourceGroup;
      const isPrivate = properties.apiServerAccessProfile?.enablePrivateCluster === true;
      const privateHost = `${host}.privatelink.${resource.location}.azmk8s.io`;
      fill(properties, {
        powerState: { code: "Running" },
        currentKubernetesVersion: `${properties.kubernetesVersion.split(".").slice(0, 2).join(".")}.2`,
        ...(isPrivate ? { privateFQDN: privateHost } : { fqdn: `${host}.hcp.${resource.location}.azmk8s.io` }),
        azurePortalFQDN: `${host}.portal.hcp.${resource.location}.azmk8s.io`,
        nodeResourceGroup: `MC_${group}_${resource.name}_${resource.location}`.slice(0, 80),
        enableRBAC: true,
        supportPlan: "KubernetesOfficial",
        maxAgentPools: 100,
        servicePrincipalProfile: { clientId: "msi" },
        disableLocalAccounts: false,
        autoUpgradeProfile: { nodeOSUpgradeChannel: "NodeImage" },
        autoScalerProfile: autoScalerDefaults,
        securityProfile: {},
        storageProfile: {
          diskCSIDriver: { enabled: true },
          fileCSIDriver: { enabled: true },
          snapshotController: { enabled: true },
        },
        oidcIssuerProfile: { enabled: false },
        workloadAutoScalerProfile: {},
        metricsProfile: { costAnalysis: { enabled: false } },
        nodeProvisioningProfile: { mode: "Manual", defaultNodePools: "Auto" },
        bootstrapProfile: { artifactSource: "Direct" },
        resourceUID: "0123456789abcdef01234567",
        networkProfile: {
          loadBalancerSku: "standard",
          outboundType: "loadBalancer",
          ipFamilies: ["IPv4"],
          podLinkLocalAccess: "IMDS",
        },
      });
      const network = properties.networkProfile;
      properties.currentKubernetesVersion = `${properties.kubernetesVersion.split(".").slice(0, 2).join(".")}.2`;
      if (network.podCidr !== undefined) network.podCidrs = [network.podCidr];
      if (network.serviceCidr !== undefined) network.serviceCidrs = [network.serviceCidr];
      if (network.outboundType === "loadBalancer") {
        fill(network, {
          loadBalancerProfile: {
            managedOutboundIPs: { count: 1 },
            effectiveOutboundIPs: [
              {
                id: `/subscriptions/${resource.id.split("/")[2]}/resourceGroups/${properties.nodeResourceGroup}/providers/Microsoft.Network/publicIPAddresses/${guid(resource.id)}`,
              },
            ],
            backendPoolType: "nodeIPConfiguration",
          },
        });
      }
      if (properties.oidcIssuerProfile.enabled === true) {
        properties.oidcIssuerProfile.issuerURL = `https://${resource.location}.oic.prod-aks.azure.com/${tenant}/${guid(resource.id)}/`;
      }
      const { imageCleaner } = properties.securityProfile;
      if (imageCleaner?.enabled === true) fill(imageCleaner, { intervalHours: 168 });
      if (isPrivate) fill(properties.apiServerAccessProfile, { privateDNSZone: "system", enablePrivateClusterPublicFQDN: true });
      if (properties.apiServerAccessProfile?.authorizedIPRanges?.length === 0)
        delete properties.apiServerAccessProfile.authorizedIPRanges;
      if (properties.ingressProfile?.webAppRouting?.enabled === true) {
        fill(properties.ingressProfile.webAppRouting, {
          nginx: { defaultIngressControllerType: "AnnotationControlled" },
          identity: addonIdentity(resource, "webapprouting"),
        });
      }
      for (const [name, addon] of Object.entries((properties.addonProfiles ?? {}) as Record<string, Json>)) {
        if (addon.enabled === true) fill(addon, { identity: addonIdentity(resource, name) });
      }
      properties.windowsProfile ??= { adminUsername: "azureuser", enableCSIProxy: true };
      for (const identity of Object.keys(resource["identity"]?.userAssignedIdentities ?? {})) {
        const found = store.get(identity)?.properties;
        resource["identity"].userAssignedIdentities[identity] = { clientId: found?.clientId, principalId: found?.principalId };
      }
      // Pools are stored as separate resources. `render` adds them to the cluster.
      for (const { name, ...pool } of pools) {
        const id = `${resource.id}/agentPools/${name}`;
        completePool(pool, name, properties, store.get(id)?.properties);
        store.put({ id, name, type: poolType, properties: pool });
      }
      delete properties.agentPoolProfiles;
    },
    render(resource, store) {
      const id = resource.id;
      resource.properties.agentPoolProfiles = store
        .list(poolType, id)
        .map(({ name, properties }) => ({ name, ...structuredClone(properties) }));
      // AKS returns this segment of a cluster's id in lower case.
      return { ...resource, id: id.replace("/resourceGroups/", "/resourcegroups/") };
    },
    removed: (resource, store) => store.remove(resource.id),
    read(name, { id, properties }) {
      if (name !== "availableagentpoolversions") return undefined;
      // Nodes may be up to three minor versions older than the control plane.
      const [major = 1, minor = 0] = String(properties.kubernetesVersion).split(".").map(Number);
      const versions = [0, 1, 2, 3].map((age) => ({ kubernetesVersion: `${major}.${minor - age}.2`, default: age === 0 }));
      return { id: `${id}/availableAgentPoolVersions`, name: "default", properties: { agentPoolVersions: versions } };
    },
    act(action, resource): Answer | undefined {
      if (!/^listCluster(User|Admin)Credential$/i.test(action)) return undefined;
      const isAdmin = /admin/i.test(action);
      if (isAdmin && resource.properties.disableLocalAccounts === true) {
        return renderError(
          400,
          "BadRequest",
          "Getting static credential is not allowed because this cluster is set to disable local accounts.",
        );
      }
      const value = Buffer.from(renderKubeconfig(resource)).toString("base64");
      return { status: 200, body: { kubeconfigs: [{ name: isAdmin ? "clusterAdmin" : "clusterUser", value }] } };
    },
  },
  [poolType]: {
    statuses: { create: 201, update: 200, remove: 202 },
    complete(resource, previous, store) {
      const clusterId = resource.id.slice(0, resource.id.toLowerCase().lastIndexOf("/agentpools/"));
      completePool(resource.properties, resource.name, store.get(clusterId)?.properties, previous?.properties);
    },
    checkRemoval(resource, store) {
      const clusterId = resource.id.slice(0, resource.id.toLowerCase().lastIndexOf("/agentpools/"));
      const others = store
        .list(poolType, clusterId)
        .filter(({ id, properties }) => id !== resource.id && properties.mode === "System");
      refuse(others.length === 0, "OperationNotAllowed", "There has to be at least one system pool.");
    },
  },
  [`${clusterType}/maintenanceconfigurations`]: {
    statuses: { create: 201, update: 200, remove: 200 },
    complete: ({ properties }) => {
      const window = properties.maintenanceWindow;
      if (window !== undefined) fill(window, { startDate: "2026-11-16", utcOffset: "+00:00" });
    },
  },
};

function addonIdentity({ id, properties }: Resource, name: string): Json {
  const place = `/subscriptions/${id.split("/")[2]}/resourcegroups/${properties.nodeResourceGroup}`;
  return {
    resourceId: `${place}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name.toLowerCase()}`,
    clientId: guid(`client ${name}`),
    objectId: guid(`object ${name}`),
  };
}

const autoScalerDefaults = {
  "balance-similar-node-groups": "false",
  expander: "random",
  "max-empty-bulk-delete": "10",
  "max-graceful-termination-sec": "600",
  "max-node-provision-time": "15m",
  "max-total-unready-percentage": "45",
  "new-pod-scale-up-delay": "0s",
  "ok-total-unready-count": "3",
  "scale-down-delay-after-add": "10m",
  "scale-down-delay-after-delete": "10s",
  "scale-down-delay-after-failure": "3m",
  "scale-down-unneeded-time": "10m",
  "scale-down-unready-time": "20m",
  "scale-down-utilization-threshold": "0.5",
  "scan-interval": "10s",
  "skip-nodes-with-local-storage": "false",
  "skip-nodes-with-system-pods": "true",
};
