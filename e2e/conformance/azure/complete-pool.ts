import { fill } from "./arm-store.ts";
import { refuse } from "./resource-type.ts";

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** Adds the properties that AKS computes to a pool. Rejects pools that AKS would reject. */
export function completePool(pool: Json, name: string, cluster: Json, previous?: Json): void {
  const isSpot = pool.scaleSetPriority === "Spot";
  refuse(!/^[a-z][a-z0-9]{0,11}$/.test(name), "InvalidParameter", `Invalid pool name ${name}.`);
  refuse(isSpot && pool.upgradeSettings?.maxSurge !== undefined, "InvalidParameter", "Spot pools have no surge.");
  refuse(isSpot && pool.mode === "System", "InvalidParameter", "System pools cannot use spot capacity.");
  refuse(
    pool.enableAutoScaling === true && !(pool.minCount >= 0 && pool.maxCount >= 1),
    "InvalidParameter",
    "Sizes are missing.",
  );
  refuse(
    pool.enableAutoScaling === true && pool.count !== undefined && (pool.count < pool.minCount || pool.count > pool.maxCount),
    "InvalidParameter",
    "The count is outside the range.",
  );
  refuse(pool.mode === "System" && (pool.count < 1 || pool.minCount === 0), "InvalidParameter", "System pools need a node.");
  refuse(
    pool.upgradeSettings?.maxSurge !== undefined &&
      pool.upgradeSettings?.maxUnavailable !== undefined &&
      pool.upgradeSettings.maxUnavailable !== "0",
    "InvalidParameter",
    "Surge and unavailable nodes exclude each other.",
  );
  for (const key of [
    "vmSize",
    "vnetSubnetID",
    "podSubnetID",
    "osDiskType",
    "availabilityZones",
    "maxPods",
    "enableEncryptionAtHost",
    "scaleSetPriority",
  ]) {
    refuse(
      previous !== undefined && JSON.stringify(previous[key] ?? null) !== JSON.stringify(pool[key] ?? previous[key] ?? null),
      "PropertyChangeNotAllowed",
      `Changing property 'properties.${key}' of the agent pool is not allowed.`,
    );
  }
  // AKS labels and taints spot pools automatically.
  if (isSpot) {
    pool.nodeLabels = { "kubernetes.azure.com/scalesetpriority": "spot", ...pool.nodeLabels };
    const taint = "kubernetes.azure.com/scalesetpriority=spot:NoSchedule";
    pool.nodeTaints = [...new Set([...(pool.nodeTaints ?? []), taint])];
    fill(pool, { spotMaxPrice: -1, scaleSetEvictionPolicy: "Delete" });
  }
  const version = pool.orchestratorVersion ?? previous?.orchestratorVersion ?? cluster.kubernetesVersion;
  const { podSubnetID: _pods, ...kept } = previous ?? {};
  for (const key of ["osDiskSizeGB", "maxPods", "count"])
    if (pool[key] === undefined && kept[key] !== undefined) pool[key] = kept[key];
  fill(pool, {
    count: pool.enableAutoScaling === true ? Math.max(1, pool.minCount) : 1,
    osDiskSizeGB: 128,
    osDiskType: "Managed",
    kubeletDiskType: "OS",
    maxPods: cluster.networkProfile?.networkPluginMode === "overlay" ? 250 : 30,
    type: "VirtualMachineScaleSets",
    enableAutoScaling: false,
    scaleDownMode: "Delete",
    powerState: { code: "Running" },
    mode: "User",
    osType: "Linux",
    osSKU: "Ubuntu",
    enableFIPS: false,
    enableNodePublicIP: false,
    enableUltraSSD: false,
    enableEncryptionAtHost: false,
    nodeImageVersion: "AKSAzureLinux-V3gen2-202611.01.0",
    upgradeSettings: isSpot ? {} : { maxSurge: "10%", maxUnavailable: "0" },
    securityProfile: { enableVTPM: false, enableSecureBoot: false, sshAccess: "LocalUser" },
    eTag: "1",
  });
  if (pool.enableAutoScaling === false) {
    delete pool.minCount;
    delete pool.maxCount;
  }
  pool.orchestratorVersion = version;
  pool.currentOrchestratorVersion = `${version.split(".").slice(0, 2).join(".")}.2`;
  pool.provisioningState = "Succeeded";
}
