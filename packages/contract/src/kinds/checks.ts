import type { Message } from "@bufbuild/protobuf";
import type { FieldViolation } from "@cloudwright/platform";
import { checkCluster } from "./check-cluster.ts";
import { checkInventory } from "./check-inventory.ts";
import { checkMaintenanceWindows } from "./check-maintenance-windows.ts";
import { checkNetwork } from "./check-network.ts";
import { checkSecurityGroup } from "./check-security-group.ts";
import { checkVolume } from "./check-volume.ts";

type Check = (message: never) => FieldViolation[];

const checks: Readonly<Record<string, Check>> = {
  Cluster: checkCluster,
  Environment: checkMaintenanceWindows,
  Inventory: checkInventory,
  Network: checkNetwork,
  Project: checkMaintenanceWindows,
  SecurityGroup: checkSecurityGroup,
  Volume: checkVolume,
  VolumeSnapshot: checkVolume,
};

/** Returns the check for rules that a kind's proto file cannot express. Returns undefined if the kind has no such rules. */
export function findCheck(kind: string): ((message: Message) => FieldViolation[]) | undefined {
  return checks[kind] as ((message: Message) => FieldViolation[]) | undefined;
}
