import type { ApiOperation } from "../../../api/api-service.ts";
import { operationOperations } from "./compute-operations.ts";
import { diskOperations } from "./disks.ts";
import { firewallOperations } from "./firewalls.ts";
import { groupOperations } from "./groups.ts";
import { imageOperations } from "./images.ts";
import { instanceOperations } from "./instances.ts";
import { networkOperations } from "./networks.ts";
import { placeOperations } from "./places.ts";

/** The simulated operations of Compute Engine. */
export const computeOperations: readonly ApiOperation[] = [
  ...instanceOperations,
  ...operationOperations,
  ...diskOperations,
  ...imageOperations,
  ...networkOperations,
  ...firewallOperations,
  ...groupOperations,
  ...placeOperations,
];
