/** Kinds that are resynced and have tasks and states. */
export const resyncKinds = [
  "Account",
  "Network",
  "Cluster",
  "NodePool",
  "Storage",
  "Instance",
  "SecurityGroup",
  "Volume",
  "Inventory",
  "VolumeSnapshot",
];
