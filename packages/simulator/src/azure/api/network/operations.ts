import type { ApiOperation } from "../../../api/api-service.ts";
import { followOperations } from "../follow-operations.ts";
import { addressOperations } from "./addresses.ts";
import { applicationGroupOperations } from "./application-groups.ts";
import { interfaceOperations } from "./interfaces.ts";
import { networkListOperations } from "./lists.ts";
import { securityGroupOperations } from "./security-groups.ts";
import { virtualNetworkOperations } from "./virtual-networks.ts";

/** The simulated operations of Azure's networks. */
export const networkOperations: readonly ApiOperation[] = [
  ...virtualNetworkOperations,
  ...addressOperations,
  ...interfaceOperations,
  ...securityGroupOperations,
  ...applicationGroupOperations,
  ...networkListOperations,
  ...followOperations("Microsoft.Network"),
];
