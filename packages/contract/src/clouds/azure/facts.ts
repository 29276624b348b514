import type { CloudFacts } from "../cloud-facts.ts";

export const azureFacts: CloudFacts = {
  title: "Azure",
  services: "AKS, virtual networks, Blob Storage",
  isSupported: false,
  kubernetesService: "AKS",
  terms: { network: "virtual network", publicIp: "public IP address" },
  regions: {
    known: {
      eastus: "123",
      eastus2: "123",
      westus2: "123",
      westus3: "123",
      centralus: "123",
      canadacentral: "123",
      brazilsouth: "123",
      westeurope: "123",
      northeurope: "123",
      uksouth: "123",
      germanywestcentral: "123",
      swedencentral: "123",
      southeastasia: "123",
      japaneast: "123",
      australiaeast: "123",
    },
    default: "westeurope",
    isName: (text) => /^[a-z]+\d*$/.test(text),
    defaultZones: ["1", "2", "3"],
    renderZone: (region, zone) => (/^\d$/.test(zone) ? `${region}-${zone}` : zone),
  },
  machines: {
    defaultType: "Standard_D2s_v5",
    suggestedTypes: ["Standard_D2s_v5", "Standard_D4s_v5", "Standard_E4s_v5", "Standard_F4s_v2"],
  },
  network: { reservedAddresses: 5 },
  terraform: {
    providers: ["azurerm"],
    source: "registry.terraform.io/hashicorp/azurerm",
    volume: "azurerm_managed_disk",
    fileUploads: [
      [/^azurerm_storage_(blob|share_file)$/, "source"],
      [/^azurerm_.*(function|web)_app.*$/, "zip_deploy_file"],
    ],
  },
  agent: {
    endpointVariables: /^AZURE_(AUTHORITY_HOST|RESOURCE_MANAGER_ENDPOINT|STORAGE_ENDPOINT|CHECKIP_ENDPOINT)$/,
    identityTokenVariable: "AZURE_FEDERATED_TOKEN_FILE",
    findLabel: () => undefined,
    usesIdentity: ({ agentCredentials, managedIdentity, federatedToken }) =>
      agentCredentials === true || managedIdentity === true || federatedToken === true,
  },
  examples: {
    accountFlags:
      "--azure-subscription-id 0b1f... --azure-tenant-id 72f9... --azure-client-id 5c3a... --azure-client-secret-file secret.txt",
    network: { type: "azurerm_virtual_network", id: "main" },
    subnet: { type: "azurerm_subnet", id: "main-1" },
    change: "address_space=null",
    exhausted: { type: "azurerm_nat_gateway", message: "Quota exceeded" },
  },
  firstClusterFields: [],
};
