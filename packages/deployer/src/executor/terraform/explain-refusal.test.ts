import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import { deployerFaults } from "../../faults.ts";
import { explainRefusal } from "./explain-refusal.ts";

const failed = (message: string): Fault => new Fault(terraformFaults.failed, message);
const said = "creating EC2 VPC: operation error EC2: CreateVpc, https response error StatusCode: 400, RequestID: 1, api error";

test.each([
  [`${said} UnauthorizedOperation: You are not authorized to perform this operation.`, deployerFaults.cloud_denies],
  ["putting S3 Bucket Policy: AccessDenied: Access Denied", deployerFaults.cloud_denies],
  [`${said} VpcLimitExceeded: The maximum number of VPCs has been reached.`, deployerFaults.quota_exhausted],
  ["creating IAM Role (x): LimitExceeded: Cannot exceed quota for RolesPerAccount: 1000", deployerFaults.quota_exhausted],
  ["api error ExpiredToken: The security token included in the request is expired", deployerFaults.credentials_refused],
  [
    "updating EKS Cluster (x): InvalidParameterException: unsupported Kubernetes version 1.99",
    deployerFaults.version_not_offered,
  ],
  ["api error InvalidClientTokenId: The security token is invalid", deployerFaults.credentials_refused],
])("M046 %s has a fault of its own that is not retried", (message, definition) => {
  const fault = explainRefusal(failed(message));
  expect(fault).toMatchObject({ code: definition.code, retry: "never", message });
});

test.each([
  [`${said} RequestLimitExceeded: Request limit exceeded.`, deployerFaults.throttled],
  ["api error ThrottlingException: Rate exceeded", deployerFaults.throttled],
  ["InvalidParameterException: The role defined for the cluster cannot be assumed", deployerFaults.role_not_ready],
  ["unexpected state 'CREATE_FAILED'. last error: i-1: NodeCreationFailure: no nodes joined", deployerFaults.nodes_failed],
])("M046 %s has a fault of its own that is retried", (message, definition) => {
  expect(explainRefusal(failed(message))).toMatchObject({ code: definition.code, retry: "backoff", message });
});

test.each([
  "api error InternalError: An internal error has occurred",
  "api error EntityAlreadyExists: Role with name x already exists.",
])("M046 %s stays a failure that is retried", (message) => {
  const fault = failed(message);
  expect(explainRefusal(fault)).toBe(fault);
});

test("M046 other faults are returned unchanged", () => {
  const fault = new Fault(deployerFaults.bad_spec, "AccessDenied");
  expect(explainRefusal(fault)).toBe(fault);
});
