import type { FaultDefinition } from "@cloudwright/platform";
import { deployerFaults } from "../../../faults.ts";

/**
 * Faults for Azure's error codes in Terraform messages. The first match wins. Errors about roles that have not taken effect yet come first,
 * because their messages can also contain the code of a permanent error such as AuthorizationFailed. The permanent errors follow, and then
 * the other transient ones. Errors that a new plan resolves, such as a resource that already exists, are not listed.
 */
export const azureErrors: readonly (readonly [FaultDefinition, RegExp])[] = [
  // A new identity or role takes a few minutes to reach all of Azure. During that time, AKS reports that its identity lacks permissions.
  [
    deployerFaults.role_not_ready,
    /\b(PrincipalNotFound|\w*MissingPermission(Error)?|ControlPlaneAddOnsNotReady|KeyVaultKeyPermissionDenied|ServicePrincipalNotFound|ForbiddenByRbac)\b|does not exist in the directory/,
  ],
  [
    deployerFaults.credentials_refused,
    /\b(AADSTS(?!(90033|90024|90012|50196)\b)\d+|InvalidAuthenticationToken\w*|ExpiredAuthenticationToken)\b|ManagedIdentityAuthorizer: failed to request token|unable to build authorizer/,
  ],
  [
    deployerFaults.cloud_denies,
    /\b(AuthorizationFailed|LinkedAuthorizationFailed|RequestDisallowedByPolicy|DenyAssignmentAuthorizationFailed|MissingSubscriptionRegistration|NoRegisteredProviderFound|ReadOnlyDisabledSubscription|ScopeLocked)\b/,
  ],
  [
    deployerFaults.quota_exhausted,
    /\b(\w*QuotaExceeded|ErrCode_InsufficientVCPUQuota|InsufficientVCPUQuota|\w*CountLimitReached|\w*LimitExceeded|SkuNotAvailable)\b|exceeding approved \S.* quota/i,
  ],
  [
    deployerFaults.version_not_offered,
    /\b(K8sVersionNotSupported|AgentPoolK8sVersionNotSupported|NodePoolMcVersionIncompatible)\b|Version \S+ is not supported in this region/i,
  ],
  [
    deployerFaults.nodes_failed,
    /\b(AllocationFailed|ZonalAllocationFailed|OverconstrainedAllocationRequest|OverconstrainedZonalAllocationRequest|VMExtensionProvisioningError|VMExtensionError_\w+|NodesNotReady|SpotVMAllocationFailed)\b/,
  ],
  [
    deployerFaults.throttled,
    /\b(TooManyRequests|\w*Throttled\w*|RetryableError|AnotherOperationInProgress)\b|unexpected status 429\b/,
  ],
];

/** The error codes that Azure returns when it rejects the deletion of a resource that is in use. */
export const azureDependencyError = /\b(InUse\w*CannotBeDeleted|\w+InUse|ResourceGroupNotEmpty)\b|still contains Resources/;
