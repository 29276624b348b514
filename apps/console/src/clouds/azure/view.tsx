import type { EntityByKind } from "@cloudwright/api-client";
import { mono, monoLines } from "../../kinds/mono.tsx";
import type { CloudView, CredentialField } from "../cloud-view.ts";
import { azureClusterSettings } from "./cluster-settings.ts";
import { azureExistingNetwork, azureNetworkSettings } from "./network-settings.ts";
import { azureNodePoolSettings } from "./node-pool-settings.ts";
import { planAddresses } from "./plan-addresses.ts";
import { azureBucketSettings, azureVolumeSettings } from "./storage-settings.ts";

const application: readonly CredentialField[] = [
  { name: "tenantId", label: "Tenant id", isShared: true },
  { name: "clientId", label: "Client id", description: "Application id of the service principal", isShared: true },
];

export const azureView: CloudView = {
  methods: [
    { value: "agent", label: "Agent's own credentials", fields: [], settings: { agentCredentials: true } },
    {
      value: "managed",
      label: "Managed identity",
      fields: [{ name: "clientId", label: "Client id", description: "Only for a user-assigned identity", isShared: true }],
      settings: { managedIdentity: true },
    },
    { value: "federated", label: "Federated token", fields: application, settings: { federatedToken: true } },
    {
      value: "secret",
      label: "Client secret",
      fields: [...application, { name: "clientSecret", label: "Client secret", input: "secret" }],
    },
    {
      value: "certificate",
      label: "Certificate",
      fields: [...application, { name: "clientCertificate", label: "Certificate and private key (PEM)", input: "secret-text" }],
    },
  ],
  accountFields: [
    { name: "subscriptionId", label: "Subscription id", description: "Credentials for any other subscription are rejected." },
    {
      name: "resourceGroup",
      label: "Resource group",
      description: "Existing group to which the credentials are limited. Leave empty if they cover the whole subscription.",
    },
  ],
  listAccountFacts(account) {
    const { subscriptionId, tenantId, resourceGroup } = account as NonNullable<
      NonNullable<EntityByKind["Account"]["spec"]>["azure"]
    >;
    return [
      ["Subscription id", mono(subscriptionId)],
      ["Tenant id", mono(tenantId)],
      ["Resource group", resourceGroup],
    ];
  },
  zones: ["1", "2", "3"],
  zoneCount: 3,
  icon: "peak",
  words: {
    network: "virtual network",
    cluster: "AKS cluster",
    nodePool: "node pool",
    bucket: "blob container",
    volume: "managed disk",
  },
  settings: {
    newNetwork: azureNetworkSettings,
    existingNetwork: azureExistingNetwork,
    cluster: azureClusterSettings,
    nodePool: azureNodePoolSettings,
    bucket: azureBucketSettings,
    volume: azureVolumeSettings,
  },
  egress: [
    ["", "Default: none"],
    ["single", "NAT gateway in one zone: cheaper"],
    ["per-zone", "NAT gateway in all zones: more resilient"],
    ["none", "None: the cluster's outbound setting decides"],
  ],
  planAddresses,
  listNetworkFacts: ({ networkId, privateSubnetIds, intraSubnetIds }) => [
    ["Virtual network", monoLines(networkId)],
    ["Node subnet", monoLines(privateSubnetIds)],
    ["API server subnet", monoLines(intraSubnetIds)],
  ],
  sampleError: "SkuNotAvailable: the requested size is not available in this location",
  resourceIcons: [
    [/^azurerm_(user_assigned_identity|role_assignment|federated_identity)/, "access"],
    [/^azurerm_kubernetes_/, "cluster"],
    [/^azurerm_(storage_|managed_disk)/, "storage"],
    [/^azurerm_key_vault/, "access"],
  ],
};
