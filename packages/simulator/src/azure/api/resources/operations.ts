import type { ApiOperation } from "../../../api/api-service.ts";
import { groupOperations } from "./groups.ts";
import { genericOperations } from "./resources.ts";
import { subscriptionOperations } from "./subscriptions.ts";

/** The simulated operations of Azure Resource Manager itself. */
export const resourceOperations: readonly ApiOperation[] = [...subscriptionOperations, ...groupOperations, ...genericOperations];
