import { accountLifecycle } from "./account/lifecycle.ts";
import { clusterLifecycle } from "./cluster/lifecycle.ts";
import type { Lifecycle } from "./engine/step.ts";
import { instanceLifecycle } from "./instance/lifecycle.ts";
import { inventoryLifecycle } from "./inventory/lifecycle.ts";
import { networkLifecycle } from "./network/lifecycle.ts";
import { nodePoolLifecycle } from "./node-pool/lifecycle.ts";
import { securityGroupLifecycle } from "./security-group/lifecycle.ts";
import { storageLifecycle } from "./storage/lifecycle.ts";
import { volumeLifecycle } from "./volume/lifecycle.ts";
import { volumeSnapshotLifecycle } from "./volume-snapshot/lifecycle.ts";

export const lifecycles: Readonly<Record<string, Lifecycle>> = {
  Account: accountLifecycle,
  Network: networkLifecycle,
  Cluster: clusterLifecycle,
  NodePool: nodePoolLifecycle,
  Storage: storageLifecycle,
  Instance: instanceLifecycle,
  SecurityGroup: securityGroupLifecycle,
  Volume: volumeLifecycle,
  Inventory: inventoryLifecycle,
  VolumeSnapshot: volumeSnapshotLifecycle,
};
