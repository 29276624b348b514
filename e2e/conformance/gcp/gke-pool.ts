import { resolveVersion } from "./gke-versions.ts";
import { dropNulls, listAt, objectAt, Refusal, textAt, type Resource } from "./reply.ts";

/**
 * Adds the fields that GKE fills in for a node pool. The additional `size` field, which the real API does not return, is the number of
 * nodes per zone.
 */
export function completePool(cluster: Resource, asked: Resource): Resource {
  const { size: current, ...pool } = dropNulls(asked);
  const name = textAt(pool, "name");
  if (!/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name)) throw new Refusal(400, `The name ${name} is invalid`);
  const autoscaling = objectAt(pool, "autoscaling");
  const isScaled = autoscaling["enabled"] === true;
  if (isScaled && !(Number(autoscaling["maxNodeCount"] ?? 0) >= 1)) throw new Refusal(400, "maxNodeCount must be at least 1");
  if (isScaled && Number(autoscaling["minNodeCount"] ?? 0) > Number(autoscaling["maxNodeCount"])) {
    throw new Refusal(400, "minNodeCount must not exceed maxNodeCount");
  }
  const management: Resource = {
    autoRepair: true,
    ...objectAt(pool, "management"),
    ...(isInChannel(cluster) ? { autoUpgrade: true } : {}),
  };
  const zones = (pool["locations"] ?? cluster["locations"]) as string[];
  const selfLink = `${textAt(cluster, "selfLink")}/nodePools/${name}`;
  const project = /projects\/([^/]+)/.exec(selfLink)?.[1] ?? "";
  const limit = objectAt(pool, "maxPodsConstraint");
  return {
    podIpv4CidrSize: 24,
    ...pool,
    upgradeSettings: { strategy: "SURGE", maxSurge: 1, ...dropZero(objectAt(pool, "upgradeSettings"), "maxSurge", pool) },
    config: completeConfig(objectAt(pool, "config")),
    autoscaling: isScaled ? { locationPolicy: "BALANCED", ...dropNulls(autoscaling) } : {},
    management: Object.fromEntries(Object.entries(management).filter(([, value]) => value === true)),
    maxPodsConstraint: { maxPodsPerNode: `${Number(limit["maxPodsPerNode"] ?? 110)}` },
    networkConfig: {
      podRange: "pods",
      podIpv4CidrBlock: "10.0.128.0/17",
      podIpv4RangeUtilization: 0.01,
      subnetwork: textAt(objectAt(cluster, "networkConfig"), "subnetwork"),
      ...objectAt(pool, "networkConfig"),
    },
    locations: zones,
    version: resolveVersion(textAt(pool, "version") || textAt(cluster, "currentMasterVersion")),
    instanceGroupUrls: zones.map(
      (zone) => `https://www.googleapis.com/compute/v1/projects/${project}/zones/${zone}/instanceGroupManagers/gke-${name}-grp`,
    ),
    size: current ?? pool["initialNodeCount"] ?? 0,
    selfLink,
    status: "RUNNING",
    etag: "etag",
  };
}

/** Throws if the cluster is in a release channel and a request creates or updates a node pool without automatic upgrades. */
export function checkManagement(cluster: Resource, pool: Resource): void {
  if (isInChannel(cluster) && objectAt(pool, "management")["autoUpgrade"] !== true) {
    throw new Refusal(400, "Auto_upgrade cannot be false when release_channel is set");
  }
}

function isInChannel(cluster: Resource): boolean {
  return (textAt(objectAt(cluster, "releaseChannel"), "channel") || "UNSPECIFIED") !== "UNSPECIFIED";
}

/** Sets a missing field to 0 if the pool has upgrade settings. The default applies only to a pool without upgrade settings. */
function dropZero(settings: Resource, field: string, pool: Resource): Resource {
  const isSet = "upgradeSettings" in pool;
  return isSet ? { [field]: 0, ...settings } : settings;
}

function completeConfig(config: Resource): Resource {
  const machine = textAt(config, "machineType") || "e2-medium";
  const gpus = listAt(config, "accelerators");
  const isArm = /^(t2a|c4a|n4a|a4x)-/.test(machine);
  const taints = listAt(config, "taints").filter(({ key }) => key !== "nvidia.com/gpu" && key !== "kubernetes.io/arch");
  const added = [
    // GKE taints nodes that have GPUs or Arm processors.
    ...(gpus.length > 0 ? [{ key: "nvidia.com/gpu", value: "present", effect: "NO_SCHEDULE" }] : []),
    ...(isArm ? [{ key: "kubernetes.io/arch", value: "arm64", effect: "NO_SCHEDULE" }] : []),
  ];
  const size = Number(config["diskSizeGb"] ?? 100);
  const type = textAt(config, "diskType") || "pd-balanced";
  return {
    imageType: "COS_CONTAINERD",
    oauthScopes: ["https://www.googleapis.com/auth/cloud-platform"],
    serviceAccount: "default",
    effectiveCgroupMode: "EFFECTIVE_CGROUP_MODE_V2",
    kubeletConfig: { insecureKubeletReadonlyPortEnabled: false, maxParallelImagePulls: 2 },
    loggingConfig: { variantConfig: { variant: "DEFAULT" } },
    windowsNodeConfig: {},
    ...config,
    machineType: machine,
    diskSizeGb: size,
    diskType: type,
    bootDisk: { diskType: type, sizeGb: String(size) },
    metadata: { "disable-legacy-endpoints": "true", ...objectAt(config, "metadata") },
    shieldedInstanceConfig: { enableIntegrityMonitoring: true, ...objectAt(config, "shieldedInstanceConfig") },
    resourceLabels: {
      ...objectAt(config, "resourceLabels"),
      "goog-gke-node-pool-provisioning-model": config["spot"] === true ? "spot" : "on-demand",
    },
    ...(taints.length + added.length === 0 ? {} : { taints: [...taints, ...added] }),
  };
}

/** Returns a node pool with an update applied. The fields of the request map to different parts of the pool. */
export function updatePool(pool: Resource, request: Resource): Resource {
  const changed = { ...pool };
  const config = { ...objectAt(pool, "config") };
  for (const [field, value] of Object.entries(request)) {
    switch (field) {
      case "nodePoolId":
      case "name":
      case "etag":
        break;
      case "nodeVersion":
        changed["version"] = value;
        break;
      case "locations":
      case "upgradeSettings":
        changed[field] = value;
        break;
      case "bootDisk": {
        const { diskType = config["diskType"], sizeGb = config["diskSizeGb"] } = value as Resource;
        Object.assign(config, { diskType, diskSizeGb: sizeGb });
        break;
      }
      case "nodeNetworkConfig":
        changed["networkConfig"] = { ...objectAt(pool, "networkConfig"), ...(value as Resource) };
        break;
      case "labels":
      case "resourceLabels":
        config[field] = objectAt(value as Resource, "labels");
        break;
      case "tags":
      case "taints":
        config[field] = (value as Resource)[field] ?? [];
        break;
      case "imageType":
      case "machineType":
      case "diskType":
      case "diskSizeGb":
      case "workloadMetadataConfig":
      case "loggingConfig":
      case "kubeletConfig":
      case "accelerators":
        config[field] = value;
        break;
      default:
        throw new Refusal(501, `The local GKE does not know the update ${field}`);
    }
  }
  return { ...changed, config };
}
