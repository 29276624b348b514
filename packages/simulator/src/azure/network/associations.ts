import { missingReference } from "../names.ts";
import type { AzureResource } from "../resource.ts";

/**
 * Creates a resource type for a subnet property that Terraform treats as a resource. The association is deleted with the subnet. Its target
 * cannot be deleted while the association exists.
 */
function createAssociation(noun: string, target: string, attribute: string): AzureResource {
  return {
    noun,
    path: "{subnet_id}",
    forceNew: [attribute],
    takes: { create: 5, update: 3, delete: 5 },
    names: [
      { path: "subnet_id", to: ["azurerm_subnet"], missing: missingReference, tie: "follows" },
      { path: attribute, to: [target], missing: missingReference, tie: "holds" },
    ],
  };
}

/** The resource types that associate subnets with gateways, security groups and route tables. */
export const associations = {
  azurerm_subnet_nat_gateway_association: createAssociation(
    "Subnet NAT Gateway Association",
    "azurerm_nat_gateway",
    "nat_gateway_id",
  ),
  azurerm_subnet_network_security_group_association: createAssociation(
    "Subnet Network Security Group Association",
    "azurerm_network_security_group",
    "network_security_group_id",
  ),
  azurerm_subnet_route_table_association: createAssociation(
    "Subnet Route Table Association",
    "azurerm_route_table",
    "route_table_id",
  ),
} as const;
