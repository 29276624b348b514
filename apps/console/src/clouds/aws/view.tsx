import type { EntityByKind } from "@cloudwright/api-client";
import { mono, monoLines } from "../../kinds/mono.tsx";
import type { CloudView } from "../cloud-view.ts";
import { awsClusterSettings } from "./cluster-settings.ts";
import { awsExistingNetwork, awsNetworkSettings } from "./network-settings.ts";
import { awsNodePoolSettings } from "./node-pool-settings.ts";
import { planAddresses } from "./plan-addresses.ts";
import { awsBucketSettings, awsVolumeSettings } from "./storage-settings.ts";

export const awsView: CloudView = {
  methods: [
    { value: "agent", label: "Agent's own credentials", fields: [], settings: { agentCredentials: true } },
    {
      value: "role",
      label: "Assume a role",
      fields: [{ name: "roleArn", label: "Role", placeholder: "arn:aws:iam::123456789012:role/cloudwright" }],
    },
    {
      value: "web-identity",
      label: "Web identity",
      fields: [{ name: "roleArn", label: "Role", placeholder: "arn:aws:iam::123456789012:role/cloudwright", isShared: true }],
      settings: { webIdentity: true },
    },
    {
      value: "key",
      label: "Access key",
      fields: [
        { name: "accessKeyId", label: "Access key id" },
        { name: "secretAccessKey", label: "Secret access key", input: "secret" },
      ],
    },
  ],
  otherSecrets: ["externalId"],
  accountFields: [
    { name: "accountId", label: "Account id", description: "Twelve digits. Credentials for any other account are rejected." },
  ],
  listAccountFacts(account) {
    const { accountId, roleArn } = account as NonNullable<NonNullable<EntityByKind["Account"]["spec"]>["aws"]>;
    return [
      ["Account id", accountId],
      ["Role", mono(roleArn)],
    ];
  },
  zones: ["a", "b", "c", "d", "e", "f"],
  zoneCount: 2,
  icon: "arc",
  words: {
    network: "VPC",
    cluster: "EKS cluster",
    nodePool: "managed node group",
    bucket: "S3 bucket",
    volume: "EBS volume",
  },
  settings: {
    newNetwork: awsNetworkSettings,
    existingNetwork: awsExistingNetwork,
    cluster: awsClusterSettings,
    nodePool: awsNodePoolSettings,
    bucket: awsBucketSettings,
    volume: awsVolumeSettings,
  },
  egress: [
    ["", "Default: none"],
    ["per-zone", "One NAT gateway per zone: more resilient"],
    ["single", "One NAT gateway: cheaper"],
    ["none", "None: workers have no internet access"],
  ],
  planAddresses,
  listNetworkFacts: ({ networkId, publicSubnetIds, privateSubnetIds, intraSubnetIds }) => [
    ["VPC id", monoLines(networkId)],
    ["Public subnets", monoLines(publicSubnetIds)],
    ["Private subnets", monoLines(privateSubnetIds)],
    ["Control plane subnets", monoLines(intraSubnetIds)],
  ],
  sampleError: "InsufficientInstanceCapacity: no capacity in this zone",
  resourceIcons: [
    [/^aws_iam_/, "access"],
    [/^aws_eks_/, "cluster"],
    [/^aws_(s3|efs|ebs)_/, "storage"],
    [/^aws_(sqs|sns)_/, "operation"],
  ],
};
