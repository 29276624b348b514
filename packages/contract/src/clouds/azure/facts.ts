import type { CloudFacts } from "../cloud-facts.ts";
import { checkAzureInstance } from "./check-instance.ts";
import { azureInstances } from "./instances.ts";
import { listSimilarMachineTypes } from "./machine-sizes.ts";
import { isMachineType } from "./machine-types.ts";
import { checkAzurePool } from "./node-pools.ts";
import { azureQuotas } from "./quotas.ts";
import { clusterReserved, networkReserved } from "./reserved-ranges.ts";
import { findUnlocking } from "../retention.ts";
import { checkAzureStorage } from "./storages.ts";
import { isReservedTag, renderTagKey } from "./tags.ts";
import { checkAzureVolume } from "./volumes.ts";
import { zoneSuffixes } from "./zones.ts";

export const azureFacts: CloudFacts = {
  title: "Azure",
  services: "AKS, virtual networks, Blob Storage, managed disks",
  isSupported: true,
  kubernetesService: "AKS",
  clusterId:
    /^\/subscriptions\/[^/\s]+\/resourceGroups\/[^/\s]+\/providers\/Microsoft\.ContainerService\/managedClusters\/[^/\s]+$/i,
  provisioners: ["terraform", "direct"],
  hasInstances: true,
  hasSecurityGroups: true,
  hasVolumes: true,
  instances: azureInstances,
  checks: { Instance: checkAzureInstance, NodePool: checkAzurePool, Storage: checkAzureStorage, Volume: checkAzureVolume },
  lastingSettings: [
    { kind: "Cluster", path: ["azure", "entra"] },
    // A cluster with the user's own key has no vault that could be protected.
    { kind: "Cluster", path: ["azure", "purgeProtection"], replacedBy: ["azure", "keyVaultKeyId"] },
    { kind: "Storage", path: ["bucket", "objectLock"], findLoss: findUnlocking, isAppliedFirst: true },
  ],
  leastWorkers: { count: 1, reason: "the workers form the cluster's first node pool, which runs its system pods" },
  terms: { network: "virtual network", publicIp: "public IP address" },
  regions: {
    known: zoneSuffixes,
    default: "westeurope",
    isName: (text) => /^[a-z]{4,}\d?$/.test(text),
    defaultZones: ["1", "2", "3"],
    findDefaultZones: (region) => (Object.hasOwn(zoneSuffixes, region) ? (zoneSuffixes[region] ?? "") : "123").split(""),
    // Nodes carry the zone as `westeurope-1` in the label topology.kubernetes.io/zone. Azure's own API uses only the number.
    renderZone: (region, zone) => (/^\d$/.test(zone) ? `${region}-${zone}` : zone),
  },
  machines: {
    defaultType: "Standard_D2s_v5",
    suggestedTypes: [
      "Standard_D2s_v5",
      "Standard_D4s_v5",
      "Standard_D4ds_v5",
      "Standard_D4ps_v5",
      "Standard_E4s_v5",
      "Standard_F4s_v2",
    ],
    isKnown: isMachineType,
    listSimilar: listSimilarMachineTypes,
  },
  kubernetesVersions: ["1.32", "1.33", "1.34", "1.35"],
  kubernetesPatches: { "1.32": 10, "1.33": 6, "1.34": 2, "1.35": 0 },
  tags: {
    // Azure allows 50 tags per resource, and the configurations in `infra/` add up to 10.
    most: 40,
    isReserved: isReservedTag,
    render: ([key, value]) => [renderTagKey(key), value],
  },
  network: {
    reservedAddresses: 5,
    reservedRanges: [...new Set([...networkReserved, ...clusterReserved])],
    rangeFields: [],
  },
  terraform: {
    providers: ["azurerm"],
    source: "registry.terraform.io/hashicorp/azurerm",
    cluster: { cluster: "azurerm_kubernetes_cluster", machines: "azurerm_kubernetes_cluster_node_pool" },
    volume: "azurerm_managed_disk",
    fileUploads: [
      [/^azurerm_storage_(blob|share_file)$/, "source"],
      [/^azurerm_.*(function|web)_app/, "zip_deploy_file"],
    ],
    placeArguments: ["subscription_id", "tenant_id"],
    identityArguments: /^(identity_ids|[a-z_]*user_assigned_identity_id|principal_id|role_definition_(name|id))$/,
  },
  agent: {
    endpointVariables: /^AZURE_(AUTHORITY_HOST|RESOURCE_MANAGER_ENDPOINT|STORAGE_ENDPOINT|CHECKIP_ENDPOINT)$/,
    identityTokenVariable: "AZURE_FEDERATED_TOKEN_FILE",
    findLabel: () => undefined,
    usesIdentity: ({ agentCredentials, managedIdentity, federatedToken }) =>
      agentCredentials === true || managedIdentity === true || federatedToken === true,
  },
  kubeconfig: {
    command: "kubelogin",
    // This is the id of the AKS server application. It is the same in every tenant.
    renderArgs: () => ["get-token", "--login", "azurecli", "--server-id", "6dae42f8-4368-4678-94ff-3960e28e3630"],
    // The arguments do not name a cluster, because tokens are valid for all clusters with Entra ID. The dash stands for any region.
    findCluster: (args, context) =>
      args[0] === "get-token" && args.includes("--server-id") && context !== "" ? { cluster: context, region: "-" } : undefined,
    installHint: "Install it with `az aks install-cli`, or use `cloud k8s kubeconfig --exec cloud`.",
  },
  commands: {
    showQuotas: (region) => `az vm list-usage --location ${region} --output table`,
    raiseQuota: "az quota update",
    listMachineTypes: (region) => `az vm list-skus --location ${region} --resource-type virtualMachines --zone --output table`,
  },
  quotas: azureQuotas,
  examples: {
    cluster: "/subscriptions/SUBSCRIPTION/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/shop",
    accountFlags:
      "--azure-subscription-id 0b1f... --azure-tenant-id 72f9... --azure-client-id 5c3a... --azure-client-secret-file secret.txt",
    network: { type: "azurerm_virtual_network", id: "main" },
    subnet: { type: "azurerm_subnet", id: "main-1" },
    change: "flow_timeout_in_minutes=10",
    exhausted: { type: "azurerm_nat_gateway", message: "Quota exceeded" },
  },
  firstClusterFields: [],
};
