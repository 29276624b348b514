import type { ApiOperation } from "../../../api/api-service.ts";
import { followOperations } from "../follow-operations.ts";
import { identityOperations as managedIdentities } from "./identities.ts";
import { roleAssignmentOperations } from "./role-assignments.ts";

/** The simulated operations of managed identities and their roles. */
export const identityOperations: readonly ApiOperation[] = [
  ...managedIdentities,
  ...roleAssignmentOperations,
  ...followOperations("Microsoft.ManagedIdentity"),
];
