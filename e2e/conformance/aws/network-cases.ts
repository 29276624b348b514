import type { ConformanceCase, Variables } from "../conformance-case.ts";

const region = "eu-west-1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const second = "network/aws/v1.1.0";
const newest = "network/aws/v1.2.0";
const zone = (letter: string): string => region + letter;

const rule = { subnets: "public", direction: "in", number: 10, action: "deny", protocol: "tcp", from_port: 22, to_port: 23 };

/** All settings of a new network in v1.0.0, each with a non-default value. Later versions support them too. */
const rich: Variables = {
  vpc_name: "rich",
  region,
  cidr_range: "10.8.0.0/16",
  aws_azs: [zone("a"), zone("b")],
  aws_public_subnet_cidrs: ["10.8.0.0/24", "10.8.1.0/24"],
  aws_private_subnet_cidrs: ["10.8.16.0/20", "10.8.32.0/20"],
  aws_eks_controlplane_subnet_cidrs: ["10.8.2.0/24", "10.8.3.0/24"],
  nat: "per-zone",
  load_balancer_ips: 2,
  s3_endpoint: false,
  interface_endpoints: ["ecr.api", "sts"],
  network_acl_rules: [
    { ...rule, cidr: "192.0.2.0/24" },
    {
      subnets: "intra",
      direction: "out",
      number: 20,
      action: "allow",
      protocol: "udp",
      from_port: 53,
      to_port: 53,
      cidr: "10.9.0.0/16",
    },
    { subnets: "private", direction: "in", number: 30, action: "deny", cidr: "198.51.100.0/24" },
  ],
  flow_logs: { retention_days: 14 },
  owner,
  tags: { team: "a" },
};

/** Settings added in v1.1.0. */
const later: Variables = {
  secondary_cidr_ranges: ["100.64.0.0/16"],
  controlplane_peer_cidrs: ["10.9.0.0/16"],
  public_ips_on_launch: true,
  nat_zone: zone("b"),
};

/** The default routes. Versions before v1.1.0 defined them inside the route tables, so an upgrade must adopt them as separate resources. */
const adoptsRoutes = Object.fromEntries(
  ['public["network"]', `private["${zone("a")}"]`, `private["${zone("b")}"]`].map((key) => [
    `aws_route.${key}`,
    { of: `aws_route_table.${key}`, id: "{id}_0.0.0.0/0" },
  ]),
);

const first = {
  name: "old",
  region,
  cidr: "10.0.0.0/16",
  zones: Object.fromEntries(
    ["a", "b"].map((letter, place) => [
      zone(letter),
      { public: `10.0.${place * 8}.0/21`, private: `10.0.${128 + place * 16}.0/20`, intra: `10.0.${64 + place * 8}.0/21` },
    ]),
  ),
  nat: "single",
  owner,
  tags: { team: "a" },
};

const existing = {
  vpc_name: "found",
  region,
  vpc_id: "{vpc}",
  public_subnet_ids: ["{subnet a}"],
  private_subnet_ids: ["{subnet b}"],
  controlplane_subnet_ids: ["{subnet a}", "{subnet b}"],
  owner,
};

/** The cases of the network configurations. */
export const networkCases: readonly ConformanceCase[] = [
  { title: "defaults", place: newest, variables: { vpc_name: "plain", region, aws_azs: [zone("a"), zone("b")], owner } },
  {
    title: "every setting, and changes to live settings",
    place: newest,
    variables: { ...rich, ...later },
    changes: [
      {
        variables: {
          nat: "single",
          load_balancer_ips: 1,
          s3_endpoint: true,
          interface_endpoints: ["ecr.api"],
          network_acl_rules: [{ ...rule, cidr: "203.0.113.0/24" }],
          flow_logs: { retention_days: 30 },
          controlplane_peer_cidrs: ["10.9.0.0/16", "10.10.0.0/16"],
          public_ips_on_launch: false,
          tags: { team: "b", cost: "1" },
          ipv6: true,
          // This change keeps the gateway in the first zone until the next apply.
          former_nat_zones: [zone("a"), zone("b")],
        },
        mayRemove: /^aws_(eip\.load_balancer|vpc_endpoint)\b/,
      },
      {
        // Adds a zone whose subnets are in the secondary range.
        variables: {
          former_nat_zones: [zone("b")],
          aws_azs: [zone("a"), zone("b"), zone("c")],
          aws_public_subnet_cidrs: ["10.8.0.0/24", "10.8.1.0/24", "100.64.0.0/24"],
          aws_private_subnet_cidrs: ["10.8.16.0/20", "10.8.32.0/20", "100.64.16.0/20"],
          aws_eks_controlplane_subnet_cidrs: ["10.8.2.0/24", "10.8.3.0/24", "100.64.1.0/24"],
        },
        mayRemove: /^aws_(nat_gateway\.this|eip\.nat)\["eu-west-1a"\]$/,
      },
      { variables: { nat: "none", flow_logs: null, interface_endpoints: [] }, mayRemove: /./ },
    ],
  },
  {
    title: "zones and NAT gateways are added and removed",
    place: newest,
    variables: { vpc_name: "zones", region, aws_azs: [zone("b")], nat: "single", flow_logs: {}, owner },
    changes: [
      {
        variables: {
          aws_azs: [zone("a"), zone("b")],
          nat_zone: zone("b"),
          secondary_cidr_ranges: ["100.64.0.0/16", "100.65.0.0/16"],
        },
      },
      {
        variables: {
          aws_azs: [zone("a")],
          secondary_cidr_ranges: ["100.65.0.0/16"],
          network_acl_rules: [{ ...rule, subnets: "private", direction: "out", from_port: 25, to_port: 25, cidr: "0.0.0.0/0" }],
        },
        mayRemove: /\["(eu-west-1b|100\.64\.0\.0\/16)"\]$/,
      },
      {
        variables: { nat: "none", tags: { Name: "mine", empty: "" } },
        mayRemove: /^aws_(eip\.nat|nat_gateway\.this|route\.private)\[/,
      },
      { variables: { nat: "per-zone", tags: {} } },
    ],
  },
  {
    title: "IPv6 from the start, with another zone, and without NAT",
    place: newest,
    variables: { vpc_name: "six", region, aws_azs: [zone("b")], nat: "single", ipv6: true, owner },
    changes: [
      { variables: { aws_azs: [zone("a"), zone("b")], nat_zone: zone("b"), public_ips_on_launch: true } },
      {
        variables: { nat: "none" },
        mayRemove: /^aws_(eip\.nat|nat_gateway\.this|route\.private|route\.private_ipv6|egress_only_internet_gateway\.this)\[/,
      },
    ],
  },
  { title: "an existing VPC", place: newest, variables: existing },
  {
    title: "every setting of v1.0.0, upgraded",
    place: "network/aws/v1.0.0",
    variables: rich,
    changes: [
      { place: second, variables: { public_ips_on_launch: true, nat_zone: zone("a") }, adopts: adoptsRoutes },
      { place: newest },
      { variables: later },
    ],
  },
  {
    title: "every setting of v1.1.0, upgraded",
    place: second,
    variables: { ...rich, ...later },
    changes: [{ place: newest }],
  },
  {
    title: "an existing VPC, upgraded",
    place: "network/aws/v1.0.0",
    variables: existing,
    changes: [{ place: second, variables: existing }, { place: newest }],
  },
  {
    title: "upgraded from v0.1.0 through v1.0.0",
    place: "network/aws/v0.1.0",
    variables: first,
    changes: [
      {
        place: "network/aws/v1.0.0",
        variables: { vpc_name: "old", cidr_range: "10.0.0.0/16", aws_azs: [zone("a"), zone("b")] },
      },
      { place: second, variables: { public_ips_on_launch: true, nat_zone: zone("a") }, adopts: adoptsRoutes },
      { place: newest },
    ],
  },
];
