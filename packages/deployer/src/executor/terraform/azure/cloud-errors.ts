import type { FaultDefinition } from "@cloudwright/platform";
import { deployerFaults } from "../../../faults.ts";

/**
 * Azure's error codes in Terraform messages. Permanent errors come first, then transient ones. Errors that a new plan resolves, such as a
 * resource that already exists, are not listed.
 */
export const azureErrors: readonly (readonly [FaultDefinition, RegExp])[] = [
  // A new identity or role takes some minutes to reach all of Azure. Until then, AKS reports that its identity lacks permissions.
  [
    deployerFaults.role_not_ready,
    /\b(PrincipalNotFound|CustomKubeletIdentityMissingPermissionError|ControlPlaneAddOnsNotReady|KeyVaultKeyPermissionDenied|ServicePrincipalNotFound|ForbiddenByRbac)\b|does not exist in the directory/,
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

/** The codes with which Azure rejects the deletion of a resource that is in use. */
export const azureDependencyError = /\b(InUse\w*CannotBeDeleted|\w+InUse|ResourceGroupNotEmpty)\b|still contains Resources/;
