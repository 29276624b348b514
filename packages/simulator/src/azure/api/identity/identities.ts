import { objectOf } from "@cloudwright/platform";
import type { ApiOperation } from "../../../api/api-service.ts";
import type { ResourceMapping } from "../../../api/map-fields.ts";
import { listArmOperations } from "../arm-kind.ts";

/** The fields of a user-assigned identity. */
export const identityMapping: ResourceMapping = {
  type: "azurerm_user_assigned_identity",
  model: "Identity",
  fields: [
    { api: "properties.principalId", attribute: "principal_id", isReadOnly: true },
    { api: "properties.clientId", attribute: "client_id", isReadOnly: true },
    { api: "properties.tenantId", attribute: "tenant_id", isReadOnly: true },
  ],
};

/** Operations on user-assigned identities. */
export const identityOperations: readonly ApiOperation[] = listArmOperations({
  mapping: identityMapping,
  path: "Microsoft.ManagedIdentity/userAssignedIdentities/{resourceName}",
  title: "UserAssignedIdentities",
  names: { list: "ListByResourceGroup", listAll: "ListBySubscription", update: "Update" },
  // Identities have no provisioning state.
  complete(_call, _record, rendered) {
    const { provisioningState: _state, ...properties } = objectOf(rendered["properties"]);
    return { ...rendered, properties };
  },
});
