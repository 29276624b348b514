import type { AzureAccount } from "../../../gen/cloudwright/v1/account_pb.ts";
import type { AzureRoute, AzureSecurityRule } from "../../../gen/cloudwright/v1/network_pb.ts";
import type { CloudRules } from "../cloud-rules.ts";

export const azureRules: CloudRules = {
  accountRules: {
    "azure.application": ({ clientCertificate, federatedToken, tenantId, clientId }: AzureAccount) =>
      (clientCertificate === undefined && !federatedToken) || (tenantId !== "" && clientId !== ""),
    // Earlier releases accepted a secret beside `agentCredentials`, which takes precedence.
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
  },
};
