import type { SettingGroup } from "../../settings/setting.ts";

export const awsNetworkSettings: readonly SettingGroup[] = [
  {
    title: "Logs and reserved addresses",
    isAdvanced: true,
    settings: [
      { path: "aws.flowLogs", label: "Flow logs", input: "switch", description: "Record the VPC's traffic in CloudWatch" },
      {
        path: "aws.flowLogRetentionDays",
        label: "Flow log retention in days",
        input: "number",
        max: 3653,
        needs: "aws.flowLogs",
        placeholder: "30",
      },
      { path: "aws.loadBalancerIps", label: "Elastic IPs for load balancers", input: "number", max: 20, placeholder: "0" },
      {
        path: "aws.natZone",
        label: "Zone of the single NAT gateway",
        input: "text",
        description: "Leave empty to use the first zone with a public subnet",
      },
      { path: "aws.publicIpsOnLaunch", label: "Public addresses for instances in public subnets", input: "switch" },
    ],
  },
  {
    title: "Endpoints, peers and secondary ranges",
    isAdvanced: true,
    settings: [
      {
        path: "aws.interfaceEndpoints",
        label: "Interface endpoints",
        input: "list",
        description: "In addition to the S3 gateway endpoint",
        placeholder: "ecr.api",
      },
      {
        path: "aws.withoutS3Endpoint",
        label: "Do not create the S3 gateway endpoint",
        input: "switch",
        description: "The endpoint is free of charge",
      },
      {
        path: "aws.peers",
        label: "Peers",
        input: "list",
        description: "Networks to which you will connect this VPC, by id or address range",
        placeholder: "vpc-0a1b2c",
      },
      {
        path: "aws.controlPlanePeerCidrs",
        label: "Address ranges that can reach the control plane subnets",
        input: "list",
        placeholder: "10.20.0.0/16",
      },
      {
        path: "aws.ipv6",
        label: "IPv6",
        input: "switch",
        description: "Give all subnets IPv6 addresses as well. Cannot be turned off later.",
      },
      { path: "aws.secondaryCidrs", label: "Secondary ranges", input: "list", placeholder: "100.64.0.0/16" },
    ],
  },
];

export const awsExistingNetwork: readonly SettingGroup[] = [
  {
    title: "Existing VPC",
    settings: [
      { path: "existing.id", label: "VPC id", input: "text", placeholder: "vpc-0a1b2c" },
      {
        path: "existing.privateSubnetIds",
        label: "Private subnets",
        input: "list",
        description: "For workers, in at least two zones. Press Enter after each id.",
        placeholder: "subnet-0a1b2c",
      },
      {
        path: "existing.publicSubnetIds",
        label: "Public subnets",
        input: "list",
        description: "For load balancers",
        placeholder: "subnet-0d3e4f",
      },
      {
        path: "existing.controlPlaneSubnetIds",
        label: "Control plane subnets",
        input: "list",
        description: "Leave empty to use the private subnets",
        placeholder: "subnet-0f5a6b",
      },
    ],
  },
];
