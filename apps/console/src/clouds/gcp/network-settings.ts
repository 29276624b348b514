import type { SettingGroup } from "../../settings/setting.ts";

export const gcpNetworkSettings: readonly SettingGroup[] = [
  {
    title: "Subnet ranges",
    isAdvanced: true,
    settings: [
      {
        path: "subnets.private",
        label: "Range for nodes",
        input: "list",
        description: "The primary range of the subnet. Leave empty to use the first sixteenth of the network's range.",
        placeholder: "10.0.0.0/20",
      },
      {
        path: "gcp.podCidr",
        label: "Range for pods",
        input: "text",
        description: "Secondary range. Leave empty to use the upper half of the network's range.",
        placeholder: "10.0.128.0/17",
      },
      {
        path: "gcp.serviceCidr",
        label: "Range for Services",
        input: "text",
        description: "Secondary range. Leave empty to use a sixteenth of the network's range.",
        placeholder: "10.0.64.0/20",
      },
      { path: "gcp.podRangeName", label: "Name of the range for pods", input: "text", placeholder: "pods" },
      { path: "gcp.serviceRangeName", label: "Name of the range for Services", input: "text", placeholder: "services" },
    ],
  },
  {
    title: "Cloud NAT and reserved addresses",
    isAdvanced: true,
    settings: [
      {
        path: "gcp.natIps",
        label: "Static addresses for Cloud NAT",
        input: "number",
        max: 20,
        description: "Requires Cloud NAT. With 0, Google Cloud assigns addresses and may change them.",
        placeholder: "0",
      },
      { path: "gcp.natPortsPerMachine", label: "Minimum NAT ports per machine", input: "number", max: 32_768, placeholder: "64" },
      {
        path: "gcp.natLogs",
        label: "Cloud NAT logs",
        input: "choice",
        usual: "Errors (default)",
        options: [
          ["none", "None"],
          ["all", "All connections"],
        ],
      },
      { path: "gcp.loadBalancerIps", label: "Static addresses for load balancers", input: "number", max: 20, placeholder: "0" },
    ],
  },
  {
    title: "Routing, logs and peers",
    isAdvanced: true,
    settings: [
      {
        path: "gcp.routing",
        label: "Routing mode",
        input: "choice",
        usual: "Regional (default)",
        options: [["global", "Global"]],
      },
      { path: "gcp.flowLogs", label: "VPC flow logs", input: "switch" },
      {
        path: "gcp.flowLogSamplingPercent",
        label: "Percentage of connections to log",
        input: "number",
        max: 100,
        needs: "gcp.flowLogs",
        placeholder: "50",
      },
      { path: "gcp.firewallLogs", label: "Log connections that the firewall rejects", input: "switch" },
      { path: "gcp.withoutPrivateGoogleAccess", label: "Disable Private Google Access", input: "switch" },
      { path: "gcp.mtu", label: "MTU in bytes", input: "number", min: 1300, max: 8896, placeholder: "1460" },
      {
        path: "gcp.peers",
        label: "Peers",
        input: "list",
        description: "Networks to which you will connect this network, by id or address range",
      },
    ],
  },
];

export const gcpExistingNetwork: readonly SettingGroup[] = [
  {
    title: "Existing VPC network",
    settings: [
      {
        path: "existing.id",
        label: "VPC network",
        input: "text",
        description: "Its name or id. It must be in the account's project.",
        placeholder: "main",
      },
      {
        path: "existing.privateSubnetIds",
        label: "Subnet",
        input: "list",
        description: "The name of one subnet in the region",
        placeholder: "main-europe-west1",
      },
      {
        path: "gcp.podRangeName",
        label: "Name of the range for pods",
        input: "text",
        description: "A secondary range of the subnet",
        placeholder: "pods",
      },
      { path: "gcp.serviceRangeName", label: "Name of the range for Services", input: "text", placeholder: "services" },
    ],
  },
];
