import type { AzureAccount } from "../../../gen/cloudwright/v1/account_pb.ts";
import type { AzureCluster } from "../../../gen/cloudwright/v1/cluster_pb.ts";
import type { AzureRoute, AzureSecurityRule } from "../../../gen/cloudwright/v1/network_pb.ts";
import type { CloudRules } from "../cloud-rules.ts";

export const azureRules: CloudRules = {
  accountRules: {
    "azure.application": ({ clientCertificate, federatedToken, tenantId, clientId }: AzureAccount) =>
      (clientCertificate === undefined && !federatedToken) || (tenantId !== "" && clientId !== ""),
    // A secret together with `agentCredentials` is valid, because earlier releases accepted it. `agentCredentials` takes precedence.
    "azure.one_way": ({ clientSecret, clientCertificate, federatedToken, managedIdentity, agentCredentials }: AzureAccount) =>
      [clientSecret !== undefined || agentCredentials, clientCertificate !== undefined, federatedToken, managedIdentity].filter(
        Boolean,
      ).length <= 1,
  },
  networkRules: {
    "azure_security_rule.ports": ({ fromPort, toPort, protocol }: AzureSecurityRule) =>
      fromPort <= toPort && (protocol === "tcp" || protocol === "udp" || toPort === 0),
    "azure_route.next_hop_ip": ({ nextHop, nextHopIp }: AzureRoute) => (nextHop === "appliance") === (nextHopIp !== ""),
  },
  clusterRules: {
    "azure_cluster.local_accounts": ({ localAccounts, entra }: AzureCluster) => localAccounts !== false || entra !== undefined,
    "azure_cluster.access_entries": ({ accessEntries, entra }: AzureCluster) => accessEntries.length === 0 || entra !== undefined,
    "azure_cluster.long_term_support": ({ longTermSupport, tier }: AzureCluster) => !longTermSupport || tier === "premium",
    "azure_cluster.node_image": ({ upgradeChannel, nodeOsUpgradeChannel }: AzureCluster) =>
      upgradeChannel !== "node-image" || nodeOsUpgradeChannel === "" || nodeOsUpgradeChannel === "node-image",
    "azure_cluster.key_vault": ({ keyVaultId, keyVaultKeyId }: AzureCluster) => keyVaultId === "" || keyVaultKeyId !== "",
  },
  listNetworkSettings(cloud) {
    if (cloud.case !== "azure") return [];
    const azure = cloud.value;
    return [
      ["spec.azure.resourceGroup", azure.resourceGroup !== ""],
      ["spec.azure.loadBalancerIps", azure.loadBalancerIps > 0],
      ["spec.azure.natIps", azure.natIps > 0],
      ["spec.azure.podSubnet", azure.podSubnet],
      ["spec.azure.podSubnetCidr", azure.podSubnetCidr !== ""],
      ["spec.azure.apiServerSubnet", azure.apiServerSubnet],
      ["spec.azure.privateDns", azure.privateDns],
      ["spec.azure.securityRules", azure.securityRules.length > 0],
      ["spec.azure.routes", azure.routes.length > 0],
      ["spec.azure.serviceEndpoints", azure.serviceEndpoints.length > 0],
      ["spec.azure.defaultOutboundAccess", azure.defaultOutboundAccess === true],
    ];
  },
  patternWords: {
    "^([A-Za-z0-9_().-]{0,89}[A-Za-z0-9_()-])?$":
      "be the name of a resource group: up to 90 letters, digits, underscores, parentheses, hyphens and periods, not ending with a period",
    "^Microsoft[.][A-Za-z]{2,40}([.][A-Za-z]{2,40})?$": "be the name of a service such as Microsoft.Storage",
    "^[A-Za-z0-9]([A-Za-z0-9_.-]{0,78}[A-Za-z0-9_])?$":
      "consist of at most 80 letters, digits, underscores, periods and hyphens, start with a letter or digit and end with a letter, digit or underscore",
    "^(/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[A-Za-z0-9_().-]{1,90}/providers/Microsoft[.]ManagedIdentity/userAssignedIdentities/[A-Za-z0-9_.-]{1,128})?$":
      "be the id of a user-assigned identity such as /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/main/providers/Microsoft.ManagedIdentity/userAssignedIdentities/app",
    "^/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[A-Za-z0-9_().-]{1,90}/providers/Microsoft[.]ManagedIdentity/userAssignedIdentities/[A-Za-z0-9_.-]{1,128}$":
      "be the id of a user-assigned identity such as /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/main/providers/Microsoft.ManagedIdentity/userAssignedIdentities/app",
    "^(/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[A-Za-z0-9_().-]{1,90}/providers/Microsoft[.]KeyVault/vaults/[A-Za-z0-9_.-]{1,128})?$":
      "be the id of a vault such as /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/main/providers/Microsoft.KeyVault/vaults/main",
    "^(/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[A-Za-z0-9_().-]{1,90}/providers/Microsoft[.]OperationalInsights/workspaces/[A-Za-z0-9_.-]{1,128})?$":
      "be the id of a workspace such as /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/main/providers/Microsoft.OperationalInsights/workspaces/main",
    "^(/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[A-Za-z0-9_().-]{1,90}/providers/Microsoft[.]Network/networkSecurityGroups/[A-Za-z0-9_.-]{1,80})?$":
      "be the id of a network security group such as /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/main/providers/Microsoft.Network/networkSecurityGroups/main",
    "^(/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[A-Za-z0-9_().-]{1,90}/providers/Microsoft[.]Compute/diskEncryptionSets/[A-Za-z0-9_.-]{1,128})?$":
      "be the id of a disk encryption set such as /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/main/providers/Microsoft.Compute/diskEncryptionSets/main",
    "^/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[A-Za-z0-9_().-]{1,90}/providers/Microsoft[.]ContainerRegistry/registries/[A-Za-z0-9_.-]{1,128}$":
      "be the id of a registry such as /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/main/providers/Microsoft.ContainerRegistry/registries/main",
    "^(https://[A-Za-z0-9-]{3,24}[.]vault[.][a-z.]+/keys/[A-Za-z0-9-]{1,127}/[0-9a-f]{32})?$":
      "be the id of a key with its version such as https://main.vault.azure.net/keys/secrets/0123456789abcdef0123456789abcdef",
    "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$":
      "be the object id of a user, group or service principal such as 00000000-0000-0000-0000-000000000000",
    "^([01][0-9]|2[0-3]):[0-5][0-9]$": "be a time of day such as 02:00",
    "^([0-9]{1,4}([.][0-9]{1,5})?)?$": "be a price in US dollars such as 0.05",
    "^([1-9][0-9]{0,2}%?)?$": "be a number of nodes such as 1 or a percentage such as 33%",
  },
};
