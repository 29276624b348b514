import type { SettingGroup } from "../../settings/setting.ts";

export const azureNetworkSettings: readonly SettingGroup[] = [
  {
    title: "Subnets",
    settings: [
      {
        path: "azure.podSubnet",
        label: "Subnet for pods",
        input: "switch",
        description: "Only needed if pods get addresses from the virtual network instead of from an overlay network",
      },
      {
        path: "azure.apiServerSubnet",
        label: "Subnet for API servers",
        input: "switch",
        description: "For clusters whose API server runs inside the virtual network",
      },
    ],
  },
  {
    title: "Subnet ranges",
    isAdvanced: true,
    settings: [
      {
        path: "subnets.private",
        label: "Range of the node subnet",
        input: "list",
        description: "Leave empty to use the first quarter of the network's range",
        placeholder: "10.0.0.0/18",
      },
      {
        path: "azure.podSubnetCidr",
        label: "Range of the pod subnet",
        input: "text",
        description: "Leave empty to use the upper half of the network's range",
        placeholder: "10.0.128.0/17",
        needs: "azure.podSubnet",
      },
      {
        path: "subnets.intra",
        label: "Range of the API server subnet",
        input: "list",
        placeholder: "10.0.64.0/20",
        needs: "azure.apiServerSubnet",
      },
    ],
  },
  {
    title: "Resource group, addresses and DNS",
    isAdvanced: true,
    settings: [
      {
        path: "azure.resourceGroup",
        label: "Resource group",
        input: "text",
        description: "An existing group. Leave empty to create a group that is deleted with the network.",
      },
      {
        path: "azure.natIps",
        label: "Public addresses of the NAT gateway",
        input: "number",
        max: 16,
        description: "Requires a NAT gateway",
        placeholder: "1",
      },
      { path: "azure.loadBalancerIps", label: "Public addresses for load balancers", input: "number", max: 20, placeholder: "0" },
      {
        path: "azure.privateDns",
        label: "Private DNS zone",
        input: "switch",
        description: "For the API servers of private clusters",
      },
      {
        path: "azure.serviceEndpoints",
        label: "Service endpoints",
        input: "list",
        description: "Azure services that nodes and pods can reach over Azure's own network",
        placeholder: "Microsoft.Storage",
      },
      { path: "azure.defaultOutboundAccess", label: "Default outbound access (implicit public addresses)", input: "switch" },
    ],
  },
];

export const azureExistingNetwork: readonly SettingGroup[] = [
  {
    title: "Existing virtual network",
    settings: [
      {
        path: "existing.id",
        label: "Virtual network id",
        input: "text",
        placeholder: "/subscriptions/…/resourceGroups/main/providers/Microsoft.Network/virtualNetworks/main",
      },
      { path: "existing.privateSubnetIds", label: "Node subnet", input: "list", description: "The id of one subnet" },
      {
        path: "existing.controlPlaneSubnetIds",
        label: "API server subnet",
        input: "list",
        description: "Only needed for clusters whose API server runs inside the virtual network",
      },
      {
        path: "azure.existingPodSubnetId",
        label: "Pod subnet id",
        input: "text",
        description: "Only needed if pods get addresses from the virtual network",
      },
    ],
  },
];
