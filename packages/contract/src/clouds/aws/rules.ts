import type { AwsAccount } from "../../../gen/cloudwright/v1/account_pb.ts";
import type { AwsCluster } from "../../../gen/cloudwright/v1/cluster_pb.ts";
import type { CloudRules } from "../cloud-rules.ts";

const roleWords = "be the ARN of an IAM role such as arn:aws:iam::123456789012:role/deployer";

export const awsRules: CloudRules = {
  accountRules: {
    "aws.secret_needs_key_id": ({ secretAccessKey, accessKeyId }: AwsAccount) =>
      secretAccessKey === undefined || accessKeyId !== "",
    "aws.web_identity_needs_role": ({ webIdentity, roleArn }: AwsAccount) => !webIdentity || roleArn !== "",
    "aws.session_policy_needs_role": ({ sessionPolicy, roleArn }: AwsAccount) => sessionPolicy === "" || roleArn !== "",
    "aws.one_way": ({ secretAccessKey, agentCredentials, webIdentity }: AwsAccount) =>
      [secretAccessKey !== undefined, agentCredentials, webIdentity].filter(Boolean).length <= 1,
  },
  clusterRules: {
    "aws_cluster.log_types_none": ({ logTypes }: AwsCluster) => !logTypes.includes("none") || logTypes.length === 1,
  },
  listNetworkSettings(cloud) {
    if (cloud.case !== "aws") return [];
    const { loadBalancerIps, flowLogs, interfaceEndpoints, aclRules } = cloud.value;
    return [
      ["spec.aws.loadBalancerIps", loadBalancerIps > 0],
      ["spec.aws.flowLogs", flowLogs],
      ["spec.aws.interfaceEndpoints", interfaceEndpoints.length > 0],
      ["spec.aws.aclRules", aclRules.length > 0],
    ];
  },
  patternWords: {
    "^sg-[0-9a-f]{8,17}$": "be the id of a security group such as sg-0123456789abcdef0",
    "^(arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]{1,512})?$": roleWords,
    "^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]{1,512}$": roleWords,
    "^arn:aws[a-z-]*:iam::[0-9]{12}:role/([A-Za-z0-9+=,.@_/-]{1,512}|[A-Za-z0-9+=,.@_/-]{0,511}[*])$":
      "be the ARN of an IAM role, or the start of one followed by `*`, such as arn:aws:iam::123456789012:role/team-a/*",
    "^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/[A-Za-z0-9+=,.@_/-]{1,512}$":
      "be the ARN of an IAM role or user such as arn:aws:iam::123456789012:user/ada",
    "^(arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]{1,64})?$":
      "be the ARN of a KMS key such as arn:aws:kms:eu-west-1:123456789012:key/1234abcd",
    "^(arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/[A-Za-z0-9+=,.@_/-]{1,512})?$":
      "be the ARN of an IAM policy such as arn:aws:iam::123456789012:policy/boundary",
    "^(/([A-Za-z0-9+=,.@_-]+/)*)?$": "be a path that starts and ends with a slash, such as /platform/",
    "^([0-9]{12})?$": "be an AWS account id of 12 digits",
    "^([A-Z0-9]{16,128})?$": "be an AWS access key id: 16 to 128 upper-case letters and digits",
  },
};
