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
])("M046 %s becomes a specific fault that is not retried", (message, definition) => {
  const fault = explainRefusal(failed(message));
  expect(fault).toMatchObject({ code: definition.code, retry: "never", message });
});

test.each([
  [`${said} RequestLimitExceeded: Request limit exceeded.`, deployerFaults.throttled],
  ["api error ThrottlingException: Rate exceeded", deployerFaults.throttled],
  ["InvalidParameterException: The role defined for the cluster cannot be assumed", deployerFaults.role_not_ready],
  ["unexpected state 'CREATE_FAILED'. last error: i-1: NodeCreationFailure: no nodes joined", deployerFaults.nodes_failed],
])("M046 %s becomes a specific fault that is retried", (message, definition) => {
  expect(explainRefusal(failed(message))).toMatchObject({ code: definition.code, retry: "backoff", message });
});

test.each([
  "api error InternalError: An internal error has occurred",
  "api error EntityAlreadyExists: Role with name x already exists.",
])("M046 %s remains a generic failure that is retried", (message) => {
  const fault = failed(message);
  expect(explainRefusal(fault)).toBe(fault);
});

test("M046 other faults are returned unchanged", () => {
  const fault = new Fault(deployerFaults.bad_spec, "AccessDenied");
  expect(explainRefusal(fault)).toBe(fault);
});

const google = "Error creating Network: googleapi: Error 403:";

test.each([
  [
    `${google} Required 'compute.networks.create' permission for 'projects/p/global/networks/n', forbidden`,
    deployerFaults.cloud_denies,
  ],
  [
    `${google} Compute Engine API has not been used in project 123 before or it is disabled., accessNotConfigured`,
    deployerFaults.cloud_denies,
  ],
  [`${google} Quota 'NETWORKS' exceeded.  Limit: 15.0 globally., quotaExceeded`, deployerFaults.quota_exhausted],
  ['oauth2: cannot fetch token: 400 Bad Request Response: {"error":"invalid_grant"}', deployerFaults.credentials_refused],
  ["googleapi: Error 401: Request had invalid authentication credentials., authError", deployerFaults.credentials_refused],
  ['googleapi: Error 400: Master version "1.19.0" is unsupported., badRequest', deployerFaults.version_not_offered],
])("M046 M157 %s becomes a specific fault that is not retried", (message, definition) => {
  expect(explainRefusal(failed(message))).toMatchObject({ code: definition.code, retry: "never", message });
});

test.each([
  ["googleapi: Error 429: Quota exceeded for quota metric 'Queries', rateLimitExceeded", deployerFaults.throttled],
  [`${google} Rate Limit Exceeded, rateLimitExceeded`, deployerFaults.throttled],
  ["The zone 'projects/p/zones/z' does not have enough resources available to fulfill the request", deployerFaults.nodes_failed],
  [
    'googleapi: Error 400: Service account "n@p.iam.gserviceaccount.com" does not exist., badRequest',
    deployerFaults.role_not_ready,
  ],
])("M046 M157 %s becomes a specific fault that is retried", (message, definition) => {
  expect(explainRefusal(failed(message))).toMatchObject({ code: definition.code, retry: "backoff", message });
});

test("M046 M157 a name that already exists in Google Cloud remains a generic failure that is retried", () => {
  const fault = failed(
    "Error creating Network: googleapi: Error 409: The resource 'projects/p/global/networks/n' already exists, alreadyExists",
  );
  expect(explainRefusal(fault)).toBe(fault);
});

const azure = (status: number, code: string, message = "no"): string =>
  `creating Virtual Network: performing CreateOrUpdate: unexpected status ${status} with error: ${code}: ${message}`;

test.each([
  [azure(403, "AuthorizationFailed"), deployerFaults.cloud_denies],
  [azure(403, "LinkedAuthorizationFailed"), deployerFaults.cloud_denies],
  [azure(403, "RequestDisallowedByPolicy"), deployerFaults.cloud_denies],
  [azure(409, "MissingSubscriptionRegistration", "not registered to use Microsoft.Network"), deployerFaults.cloud_denies],
  [azure(400, "ErrCode_InsufficientVCPUQuota", "left regional vcpu quota 0"), deployerFaults.quota_exhausted],
  [azure(400, "PublicIPCountLimitReached"), deployerFaults.quota_exhausted],
  [azure(400, "K8sVersionNotSupported", "Version 1.19.0 is not supported in this region"), deployerFaults.version_not_offered],
  ["building account: AADSTS7000222: The provided client secret keys are expired", deployerFaults.credentials_refused],
  ["ManagedIdentityAuthorizer: failed to request token from metadata endpoint", deployerFaults.credentials_refused],
])("M046 M157 %s becomes a specific fault that is not retried", (message, definition) => {
  expect(explainRefusal(failed(message))).toMatchObject({ code: definition.code, retry: "never", message });
});

test.each([
  [azure(429, "TooManyRequests"), deployerFaults.throttled],
  [azure(429, "SubscriptionRequestsThrottled"), deployerFaults.throttled],
  [azure(400, "ZonalAllocationFailed"), deployerFaults.nodes_failed],
  [azure(400, "PrincipalNotFound", "Principal 1 does not exist in the directory 2"), deployerFaults.role_not_ready],
  [azure(400, "CustomKubeletIdentityMissingPermissionError"), deployerFaults.role_not_ready],
  [azure(400, "CustomPrivateDNSZoneMissingPermissionError"), deployerFaults.role_not_ready],
  [
    azure(403, "ResourceMissingPermissionError", "AuthorizationFailed: no permission on the route table"),
    deployerFaults.role_not_ready,
  ],
])("M046 M157 %s becomes a specific fault that is retried", (message, definition) => {
  expect(explainRefusal(failed(message))).toMatchObject({ code: definition.code, retry: "backoff", message });
});

test("M046 M157 a resource that already exists in Azure remains a generic failure that is retried", () => {
  const fault = failed('a resource with the ID "/subscriptions/s/resourceGroups/g" already exists - to be managed via Terraform');
  expect(explainRefusal(fault)).toBe(fault);
});
