import type { ApiOperation } from "../../../api/api-service.ts";
import { followOperations } from "../follow-operations.ts";
import { diskOperations } from "./disks.ts";
import { imageOperations } from "./images.ts";
import { machineOperations } from "./machines.ts";
import { sizeOperations } from "./sizes.ts";

/** The simulated operations of Azure Compute. */
export const computeOperations: readonly ApiOperation[] = [
  ...machineOperations,
  ...diskOperations,
  ...sizeOperations,
  ...imageOperations,
  ...followOperations("Microsoft.Compute"),
];
