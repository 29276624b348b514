import type { FaultDefinition } from "@cloudwright/platform";
import { deployerFaults } from "../../../faults.ts";

/** Codes of requests that Azure rejects as invalid. */
const rejected =
  /BadRequest|InvalidParameter\w*|InvalidRequest\w*|InvalidTemplate\w*|InvalidResourceName|InvalidResourceType|InvalidLocation|InvalidCidr\w*|InvalidAddressPrefix\w*|LocationNotAvailableForResourceType|PropertyChangeNotAllowed|AccountNameInvalid|NetcfgInvalidSubnet|NetcfgInvalidIPAddressPrefix|VMSizeNotSupported|UnsupportedVMSize|InvalidVMSize|VirtualMachineSizeNotSupported/;

/**
 * Matches messages of rejected requests that may succeed later. They are about another operation in progress, or about a new resource,
 * identity or role assignment that is not visible everywhere yet.
 */
const transient =
  /\b(ReferencedResourceNotProvisioned|RetryableError|AnotherOperationInProgress|InvalidResourceReference|OperationNotAllowed|\w*NotFound|\w*InProgress|\w*Conflict)\b|role assignments?|permissions?\b|authoriz|propagat|does(n't| not) exist|not (be )?found|cannot find|not (yet )?(ready|provisioned|active|visible)|in progress|(try|retry) (again|later|the)|being (created|deleted|updated|upgraded)|provisioning ?state|'?(Updating|Creating|Deleting)'? state/;

/**
 * Faults for Azure's error codes in Terraform messages. The first match wins. Errors about roles that have not taken effect yet come first,
 * because their messages can also contain the code of a permanent error such as AuthorizationFailed. The permanent errors follow, and then
 * the other transient ones. Rejected requests come last, because BadRequest can wrap any other code. Errors that a new plan resolves, such as a resource that already exists, are not listed.
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
  [
    deployerFaults.request_rejected,
    new RegExp(`(with error: |Code[:=] ?"|"code": ?")(${rejected.source})\\b(?!.*(${transient.source}))`, "i"),
  ],
];

/** The error codes that Azure returns when it rejects the deletion of a resource that is in use. */
export const azureDependencyError = /\b(InUse\w*CannotBeDeleted|\w+InUse|ResourceGroupNotEmpty)\b|still contains Resources/;
