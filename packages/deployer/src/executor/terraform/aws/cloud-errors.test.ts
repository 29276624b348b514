import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import { deployerFaults } from "../../../faults.ts";
import { explainRefusal } from "../explain-refusal.ts";

const explain = (message: string): Fault => explainRefusal(new Fault(terraformFaults.failed, message));

const refused = (code: string, message: string, operation = "EC2: RunInstances"): string =>
  `creating: operation error ${operation}, https response error StatusCode: 400, RequestID: 7a62c49f-347e, ${code}: ${message}`;

test.each([
  refused("api error InvalidParameterValue", "Value (10.0.0.0/8) for parameter cidrBlock is invalid."),
  refused("api error InvalidParameterCombination", "The instance type does not support the specified CPU options."),
  refused(
    "api error ValidationException",
    "1 validation error detected: Value '0' at 'desiredSize' failed to satisfy constraint",
    "EKS: CreateNodegroup",
  ),
  refused("InvalidParameterException", "Subnets specified must be in at least two different AZs", "EKS: CreateCluster"),
  refused("InvalidParameterException", "[g9.large] is not a valid instance type", "EKS: CreateNodegroup"),
  refused("MalformedPolicyDocument", "Syntax errors in policy.", "IAM: CreateRole"),
  refused("api error InvalidVpc.Range", "The CIDR '10.0.0.0/8' is invalid."),
  "putting S3 Bucket Lifecycle: operation error S3: PutBucketLifecycleConfiguration, https response error StatusCode: 400, RequestID: 1, HostID: a/b=, api error MalformedXML: The XML you provided was not well-formed",
])("M046 M157 %s is a rejected request that is not retried", (message) => {
  expect(explain(message)).toMatchObject({ code: deployerFaults.request_rejected.code, retry: "never", message });
});

test.each([
  refused("InvalidParameterException", "The role defined for the cluster cannot be assumed", "EKS: CreateCluster"),
  refused(
    "InvalidParameterException",
    "Role with arn: arn:aws:iam::1:role/x, could not be assumed because it does not exist",
    "EKS: CreateCluster",
  ),
  refused(
    "InvalidRequestException",
    "arn:aws:iam::1:role/x is not authorized to perform: ec2:DescribeSubnets",
    "EKS: CreateNodegroup",
  ),
  refused(
    "api error InvalidParameterValue",
    "Value (x) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name",
  ),
  refused("api error MalformedPolicy", "Invalid principal in policy", "S3: PutBucketPolicy"),
  refused(
    "MalformedPolicyDocumentException",
    "Policy contains a statement with one or more invalid principals.",
    "KMS: CreateKey",
  ),
  refused("InvalidRequestException", "Cluster is currently updating, there is an update in progress", "EKS: UpdateClusterConfig"),
  refused("InvalidParameterException", "The subnet ID 'subnet-1' does not exist", "EKS: CreateCluster"),
  refused("api error InvalidGroup.NotFound", "The security group 'sg-1' does not exist"),
  refused("api error DependencyViolation", "The subnet has dependencies and cannot be deleted."),
  refused("api error SomethingNew", "An unknown problem."),
])("M046 M157 %s is retried", (message) => {
  expect(explain(message)).toMatchObject({ retry: "backoff", message });
});
