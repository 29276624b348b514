import type { ClusterName, CloudFacts } from "../cloud-facts.ts";
import { isMachineType } from "./machine-types.ts";

export const awsFacts: CloudFacts = {
  title: "AWS",
  services: "EKS, VPC, S3, EBS",
  isSupported: true,
  kubernetesService: "EKS",
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
  },
  machines: {
    defaultType: "t3.medium",
    suggestedTypes: ["t3.medium", "t3.large", "m6i.large", "m6i.xlarge", "m7g.large", "c6i.large", "r6i.large"],
    isKnown: isMachineType,
  },
  kubernetesVersions: ["1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35"],
  tags: {
    // AWS allows 50 tags per resource, and the configurations in `infra/` add up to 10.
    most: 40,
    // The load balancer controller, the EBS driver, Karpenter and the platform delete resources that carry these tags. IAM ignores the case
    // of tag keys, so `name` would collide with the tag `Name`.
    isReserved: (key) =>
      /^([a-z0-9.-]*\.)?(kubernetes\.io|k8s\.io|k8s\.aws|karpenter\.sh|amazonaws\.com|cloudwright\.dev)\//.test(key) ||
      key === "KubernetesCluster" ||
      (key !== "Name" && key.toLowerCase() === "name"),
  },
  network: { reservedAddresses: 5 },
  terraform: {
    providers: ["aws"],
    source: "registry.terraform.io/hashicorp/aws",
    cluster: { cluster: "aws_eks_cluster", machines: "aws_eks_node_group" },
    volume: "aws_ebs_volume",
    fileUploads: [
      [/^aws_(s3_object|s3_bucket_object)$/, "source"],
      [/^aws_lambda_(function|layer_version)$/, "filename"],
    ],
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
  examples: {
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
