import type { CloudFacts } from "../cloud-facts.ts";
import { azureInstances } from "./instances.ts";
import { listSimilarMachineTypes } from "./machine-sizes.ts";
import { isMachineType } from "./machine-types.ts";
import { azureQuotas } from "./quotas.ts";
import { clusterReserved, networkReserved } from "./reserved-ranges.ts";
import { isReservedTag, renderTagKey } from "./tags.ts";

/** Zone suffixes of each region. An empty string means that the region has no availability zones. */
const known: Readonly<Record<string, string>> = {
  eastus: "123",
  eastus2: "123",
  centralus: "123",
  southcentralus: "123",
  westus2: "123",
  westus3: "123",
  westus: "",
  northcentralus: "",
  westcentralus: "",
  canadacentral: "123",
  canadaeast: "",
  mexicocentral: "123",
  brazilsouth: "123",
  brazilsoutheast: "",
  chilecentral: "123",
  westeurope: "123",
  northeurope: "123",
  uksouth: "123",
  ukwest: "",
  francecentral: "123",
  francesouth: "",
  germanywestcentral: "123",
  germanynorth: "",
  switzerlandnorth: "123",
  switzerlandwest: "",
  norwayeast: "123",
  norwaywest: "",
  swedencentral: "123",
  polandcentral: "123",
  italynorth: "123",
  spaincentral: "123",
  austriaeast: "123",
  belgiumcentral: "123",
  israelcentral: "123",
  qatarcentral: "123",
  uaenorth: "123",
  uaecentral: "",
  southafricanorth: "123",
  southafricawest: "",
  centralindia: "123",
  southindia: "",
  westindia: "",
  eastasia: "123",
  southeastasia: "123",
  indonesiacentral: "123",
  malaysiawest: "123",
  japaneast: "123",
  japanwest: "123",
  koreacentral: "123",
  koreasouth: "",
  australiaeast: "123",
  australiasoutheast: "",
  australiacentral: "",
  newzealandnorth: "123",
};

export const azureFacts: CloudFacts = {
  title: "Azure",
  services: "AKS, virtual networks, Blob Storage, managed disks",
  isSupported: true,
  kubernetesService: "AKS",
  clusterId:
    /^\/subscriptions\/[^/\s]+\/resourceGroups\/[^/\s]+\/providers\/Microsoft\.ContainerService\/managedClusters\/[^/\s]+$/i,
  provisioners: ["terraform", "direct"],
  hasInstances: true,
  instances: azureInstances,
  lastingSettings: [
    { kind: "Cluster", path: ["azure", "entra"] },
    // A cluster with the user's own key has no vault that could be protected.
    { kind: "Cluster", path: ["azure", "purgeProtection"], replacedBy: ["azure", "keyVaultKeyId"] },
  ],
  leastWorkers: { count: 1, reason: "the workers form the cluster's first node pool, which runs its system pods" },
  terms: { network: "virtual network", publicIp: "public IP address" },
  regions: {
    known,
    default: "westeurope",
    isName: (text) => /^[a-z]{4,}\d?$/.test(text),
    defaultZones: ["1", "2", "3"],
    findDefaultZones: (region) => (Object.hasOwn(known, region) ? (known[region] ?? "") : "123").split(""),
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
