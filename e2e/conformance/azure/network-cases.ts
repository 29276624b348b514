import type { ConformanceCase } from "../conformance-case.ts";
import { network, owner, region, subnets } from "./fixtures.ts";

const least = { name: "net", region, zones: ["1", "2", "3"], owner };
const smtp = {
  name: "no-smtp",
  priority: 100,
  direction: "out",
  action: "deny",
  protocol: "tcp",
  from_port: 25,
  to_port: 25,
  cidr: "0.0.0.0/0",
};
const web = {
  name: "Web_1",
  priority: 110,
  direction: "in",
  action: "allow",
  protocol: "udp",
  from_port: 80,
  to_port: 90,
  cidr: "192.0.2.0/24",
};
const ping = { name: "ping", priority: 110, direction: "out", action: "allow", protocol: "icmp", cidr: "10.0.0.0/8" };
const appliance = { name: "office", cidr: "172.16.0.0/16", next_hop: "appliance", next_hop_ip: "10.0.0.4" };
const hop = (name: string, cidr: string, next: string): object => ({ name, cidr, next_hop: next });

const whole = {
  ...least,
  cidr_range: "10.8.0.0/14",
  node_subnet_cidr: "10.8.0.0/16",
  pod_subnet: true,
  pod_subnet_cidr: "10.9.0.0/16",
  api_server_subnet: true,
  api_server_subnet_cidr: "10.10.0.0/28",
  nat: "single",
  nat_ips: 2,
  load_balancer_ips: 2,
  private_dns: true,
  service_endpoints: ["Microsoft.Storage", "Microsoft.KeyVault"],
  security_rules: [smtp, web, ping],
  routes: [
    appliance,
    hop("vpn", "172.17.0.0/16", "gateway"),
    hop("out", "192.0.2.0/24", "internet"),
    hop("own", "10.8.0.0/14", "network"),
    hop("black", "198.51.100.0/24", "none"),
  ],
  tags: { team: "a", "cost center": "ä ü" },
};

const both = (version: string): ConformanceCase[] => [
  {
    title: "the defaults",
    place: `network/azure/${version}`,
    variables: least,
    changes: [
      { variables: { tags: { team: "b" } } },
      { variables: { nat: "single" } },
      { variables: { nat: "none" }, mayRemove: /nat/ },
    ],
  },
  {
    title: "every setting",
    place: `network/azure/${version}`,
    variables: whole,
    changes: [
      {
        variables: {
          tags: {},
          nat_ips: 3,
          load_balancer_ips: 1,
          service_endpoints: ["Microsoft.KeyVault", "Microsoft.AzureCosmosDB"],
        },
        mayRemove: /load_balancer/,
      },
      {
        variables: {
          nat_ips: 1,
          security_rules: [{ ...web, priority: 200, to_port: 80, protocol: "tcp" }],
          routes: [{ ...appliance, next_hop_ip: "10.0.0.5" }],
        },
        mayRemove: /nat|security_rule|azurerm_route\b/,
      },
      { variables: { nat: "per-zone" }, mayRemove: /nat/ },
      { variables: { nat: "single" }, mayRemove: /nat/ },
      {
        variables: {
          private_dns: false,
          routes: [],
          security_rules: [],
          nat: "none",
          pod_subnet: false,
          pod_subnet_cidr: null,
          api_server_subnet: false,
          api_server_subnet_cidr: null,
        },
        mayRemove: /./,
      },
    ],
  },
  {
    title: "a NAT gateway that spans all zones, in an existing resource group",
    place: `network/azure/${version}`,
    variables: {
      ...least,
      resource_group_name: "existing",
      nat: "per-zone",
      nat_ips: 2,
      load_balancer_ips: 1,
      private_dns: true,
    },
  },
  {
    title: "a region without zones",
    place: `network/azure/${version}`,
    variables: { ...least, region: "westus", zones: null, nat: "single", load_balancer_ips: 1 },
  },
  {
    title: "an existing network",
    place: `network/azure/${version}`,
    variables: {
      ...least,
      vnet_id: network,
      node_subnet_id: subnets.nodes,
      pod_subnet_id: subnets.pods,
      api_server_subnet_id: subnets.apiServer,
    },
  },
];

/** Conformance cases for the network configurations. */
export const networkCases: readonly ConformanceCase[] = [
  ...both("v1.0.0"),
  ...both("v1.1.0"),
  {
    title: "implicit outbound addresses",
    place: "network/azure/v1.1.0",
    variables: { ...least, default_outbound_access: true },
    changes: [{ variables: { default_outbound_access: false } }],
  },
  {
    title: "upgrade of a network with defaults",
    place: "network/azure/v1.0.0",
    variables: least,
    changes: [{ place: "network/azure/v1.1.0" }],
  },
  {
    title: "upgrade of a network with every setting",
    place: "network/azure/v1.0.0",
    variables: whole,
    changes: [{ place: "network/azure/v1.1.0" }],
  },
];
