import { awsInstances } from "./instances.ts";
import type { ClusterName, CloudFacts } from "../cloud-facts.ts";
import { isMachineType, listSimilarMachineTypes } from "./machine-types.ts";
import { awsQuotas } from "./quotas.ts";
import { checkAwsStorage } from "./storages.ts";
import { checkAwsVolume } from "./volumes.ts";

/** Zones that AWS offers only to older accounts. */
const oldAccountZones: ReadonlySet<string> = new Set(["us-west-1b", "ap-northeast-1b", "ca-central-1c", "cn-north-1c"]);

export const awsFacts: CloudFacts = {
  title: "AWS",
  services: "EKS, VPC, S3, EBS",
  isSupported: true,
  kubernetesService: "EKS",
  clusterId: /^arn:aws[a-z-]*:eks:[a-z0-9-]+:[0-9]{12}:cluster\/[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/,
  provisioners: ["terraform", "direct"],
  hasInstances: true,
  hasSecurityGroups: true,
  hasVolumes: true,
  instances: awsInstances,
  checks: { Storage: checkAwsStorage, Volume: checkAwsVolume },
  lastingSettings: [
    { kind: "Network", path: ["aws", "ipv6"] },
    // S3 lets users change the default retention of new objects, but a bucket with object lock stays versioned forever.
    { kind: "Storage", path: ["bucket", "versioning"], lockedBy: ["bucket", "objectLock"], isAppliedFirst: true },
  ],
  terms: { network: "VPC", publicIp: "elastic IP" },
  regions: {
    known: {
      "us-east-1": "abcdef",
      "us-east-2": "abc",
      "us-west-1": "ac",
      "us-west-2": "abcd",
      "ca-central-1": "abd",
      "ca-west-1": "abc",
      "mx-central-1": "abc",
      "sa-east-1": "abc",
      "eu-west-1": "abc",
      "eu-west-2": "abc",
      "eu-west-3": "abc",
      "eu-central-1": "abc",
      "eu-central-2": "abc",
      "eu-north-1": "abc",
      "eu-south-1": "abc",
      "eu-south-2": "abc",
      "ap-northeast-1": "acd",
      "ap-northeast-2": "abcd",
      "ap-northeast-3": "abc",
      "ap-southeast-1": "abc",
      "ap-southeast-2": "abc",
      "ap-southeast-3": "abc",
      "ap-southeast-4": "abc",
      "ap-southeast-5": "abc",
      "ap-southeast-7": "abc",
      "ap-south-1": "abc",
      "ap-south-2": "abc",
      "ap-east-1": "abc",
      "me-south-1": "abc",
      "me-central-1": "abc",
      "il-central-1": "abc",
      "af-south-1": "abc",
      "us-gov-west-1": "abc",
      "us-gov-east-1": "abc",
      "cn-north-1": "abd",
      "cn-northwest-1": "abc",
    },
    default: "eu-west-1",
    isName: (text) => /^[a-z]{2}(-[a-z]+)+-\d+$/.test(text),
    defaultZones: ["a", "b", "c"],
    renderZone: (region, zone) => (/^[a-z]$/.test(zone) ? region + zone : zone),
    // Some zones exist only in older accounts, and accounts can enable local zones such as us-west-2-lax-1a.
    isUncommonZone: (region, zone) =>
      (oldAccountZones.has(zone) && zone.slice(0, -1) === region) ||
      (zone.startsWith(`${region}-`) && /^(-[a-z]+\d*)+-\d[a-z]$/.test(zone.slice(region.length))),
    zoneFields: [["aws", "natZone"]],
  },
  machines: {
    defaultType: "t3.medium",
    suggestedTypes: ["t3.medium", "t3.large", "m6i.large", "m6i.xlarge", "m7g.large", "c6i.large", "r6i.large"],
    isKnown: isMachineType,
    listSimilar: listSimilarMachineTypes,
  },
  kubernetesVersions: ["1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35"],
  kubernetesPatches: { "1.29": 15, "1.30": 14, "1.31": 14, "1.32": 10, "1.33": 6, "1.34": 2, "1.35": 0 },
  tags: {
    // AWS allows 50 tags per resource, and the configurations in `infra/` add up to 10.
    most: 40,
    // The load balancer controller, the EBS driver, Karpenter and the platform delete resources that carry these tags. IAM ignores the case
    // of tag keys, so `name` would collide with the `Name` tag.
    isReserved: (key) =>
      /^([a-z0-9.-]*\.)?(kubernetes\.io|k8s\.io|k8s\.aws|karpenter\.sh|amazonaws\.com|cloudwright\.dev)\//.test(key) ||
      key === "KubernetesCluster" ||
      (key !== "Name" && key.toLowerCase() === "name"),
  },
  network: {
    reservedAddresses: 5,
    reservedRanges: ["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4"],
    rangeFields: [["aws", "secondaryCidrs"]],
  },
  terraform: {
    providers: ["aws"],
    source: "registry.terraform.io/hashicorp/aws",
    cluster: { cluster: "aws_eks_cluster", machines: "aws_eks_node_group" },
    volume: "aws_ebs_volume",
    fileUploads: [
      [/^aws_(s3_object|s3_bucket_object)$/, "source"],
      [/^aws_lambda_(function|layer_version)$/, "filename"],
    ],
    placeArguments: ["region"],
    identityArguments: /^([a-z]+_)*(roles?(_arns?|_names?)?|instance_profiles?)$/,
  },
  agent: {
    endpointVariables: /^AWS_ENDPOINT_URL(_[A-Z0-9_]+)?$/,
    identityTokenVariable: "AWS_WEB_IDENTITY_TOKEN_FILE",
    findLabel: () => undefined,
    // Without an access key, the role is assumed with the agent's identity.
    usesIdentity: ({ agentCredentials, webIdentity, roleArn = "", accessKeyId = "" }) =>
      agentCredentials === true || webIdentity === true || (roleArn !== "" && accessKeyId === ""),
    externalIdField: "externalId",
  },
  kubeconfig: {
    command: "aws",
    renderArgs: ({ cluster, region }) => [
      "eks",
      "get-token",
      "--cluster-name",
      cluster,
      ...(region === "" ? [] : ["--region", region]),
      "--output",
      "json",
    ],
    findCluster,
  },
  commands: {
    showQuotas: (region) => `aws service-quotas list-service-quotas --region ${region} --service-code ec2`,
    raiseQuota: "aws service-quotas request-service-quota-increase",
    listMachineTypes: (region) =>
      `aws ec2 describe-instance-type-offerings --region ${region} --location-type availability-zone --output table`,
  },
  quotas: awsQuotas,
  examples: {
    cluster: "arn:aws:eks:eu-west-1:123456789012:cluster/shop",
    accountFlags: "--aws-access-key-id AKIA... --aws-secret-access-key-file key.txt",
    network: { type: "aws_vpc", id: "vpc-0a1b2c" },
    subnet: { type: "aws_subnet", id: "subnet-0a1b2c" },
    change: "enable_dns_support=false",
    exhausted: { type: "aws_nat_gateway", message: "NatGatewayLimitExceeded: no more" },
  },
  firstClusterFields: ["karpenter"],
};

function findCluster(args: readonly string[]): ClusterName | undefined {
  const after = (flag: string): string | undefined => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
  const [cluster, region] = [after("--cluster-name"), after("--region")];
  return cluster === undefined || region === undefined ? undefined : { cluster, region };
}
