import type { AwsAccount } from "../../../gen/cloudwright/v1/account_pb.ts";
import type { CloudRules } from "../cloud-rules.ts";

/** Validation rules of AWS. */
export const awsRules: CloudRules = {
  accountRules: {
    "aws.secret_needs_key_id": ({ secretAccessKey, accessKeyId }: AwsAccount) =>
      secretAccessKey === undefined || accessKeyId !== "",
    "aws.web_identity_needs_role": ({ webIdentity, roleArn }: AwsAccount) => !webIdentity || roleArn !== "",
    "aws.session_policy_needs_role": ({ sessionPolicy, roleArn }: AwsAccount) => sessionPolicy === "" || roleArn !== "",
    "aws.one_way": ({ secretAccessKey, agentCredentials, webIdentity }: AwsAccount) =>
      [secretAccessKey !== undefined, agentCredentials, webIdentity].filter(Boolean).length <= 1,
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
};
