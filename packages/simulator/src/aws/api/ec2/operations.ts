import type { ApiOperation } from "../../../api/api-service.ts";
import { imageOperations } from "./images.ts";
import { instanceOperations } from "./instances.ts";
import { keyPairOperations } from "./key-pairs.ts";
import { placeOperations } from "./places.ts";
import { securityGroupOperations } from "./security-groups.ts";
import { tagOperations } from "./tags.ts";
import { volumeOperations } from "./volumes.ts";
import { vpcOperations } from "./vpcs.ts";

/** The simulated operations of EC2. */
export const ec2Operations: readonly ApiOperation[] = [
  ...vpcOperations,
  ...securityGroupOperations,
  ...instanceOperations,
  ...imageOperations,
  ...keyPairOperations,
  ...volumeOperations,
  ...placeOperations,
  ...tagOperations,
];
