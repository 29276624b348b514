import { findNumber, listOf, numberOf, objectOf, textOf, textsOf, type Json, type JsonObject } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { refuseRequest } from "../../library/errors.ts";
import type { NodeConfig, NodeTaint, ShieldedInstanceConfig as Shield, UpdateNodePoolRequest } from "../models.ts";
import { listOwnLabels, readBlock, readTexts, replaceOwnLabels } from "./part-support.ts";

/** Settings that GKE cannot change in an existing node pool. */
const fixedFields = ["spot", "service_account", "oauth_scopes", "shielded_instance_config", "workload_metadata_config"] as const;

/** Renders the `node_config` block of a node pool. GKE chooses the values of omitted fields. */
export function renderConfig(config: JsonObject): NodeConfig {
  const [machineType, imageType, diskType, serviceAccount] = ["machine_type", "image_type", "disk_type", "service_account"].map(
    (field) => textOf(config[field]) || undefined,
  );
  const diskSizeGb = findNumber(config["disk_size_gb"]);
  const mode = textOf(readBlock(config["workload_metadata_config"])["mode"]);
  return {
    ...(machineType === undefined ? {} : { machineType }),
    ...(imageType === undefined ? {} : { imageType }),
    ...(diskType === undefined ? {} : { diskType }),
    ...(diskSizeGb === undefined ? {} : { diskSizeGb }),
    ...(serviceAccount === undefined ? {} : { serviceAccount }),
    ...(config["oauth_scopes"] === undefined ? {} : { oauthScopes: textsOf(config["oauth_scopes"]) }),
    ...(config["tags"] === undefined ? {} : { tags: textsOf(config["tags"]) }),
    ...(config["shielded_instance_config"] === undefined
      ? {}
      : { shieldedInstanceConfig: renderShield(config["shielded_instance_config"]) }),
    ...(mode === "" ? {} : { workloadMetadataConfig: { mode } }),
    spot: config["spot"] === true,
    labels: readTexts(config["labels"]),
    taints: renderTaints(config["taint"]),
  };
}

function renderTaints(blocks: Json | undefined): NodeTaint[] {
  return listOf(blocks).map((block) => {
    const { key, value, effect } = objectOf(block);
    return { key: textOf(key), value: textOf(value), effect: textOf(effect) };
  });
}

function renderShield(value: Json | undefined): Shield {
  const { enable_secure_boot: secureBoot, enable_integrity_monitoring: integrity } = readBlock(value);
  return { enableSecureBoot: secureBoot === true, enableIntegrityMonitoring: integrity === true };
}

/** Lists the requests that change a pool's nodes. GKE accepts one setting per request. Throws `clouds.invalid` for a fixed setting. */
export function listConfigUpdates(
  desired: JsonObject,
  current: JsonObject,
  labels: Readonly<Record<string, string>> | undefined,
): readonly UpdateNodePoolRequest[] {
  const isChanged = (field: string): boolean =>
    desired[field] !== undefined && !isDeepStrictEqual(desired[field], current[field]);
  const fixed = fixedFields.find(isChanged);
  if (fixed !== undefined) throw refuseRequest("gcp", `GKE cannot change ${fixed} of an existing node pool; create another pool`);
  return [
    ...(isChanged("machine_type") ? [{ machineType: textOf(desired["machine_type"]) }] : []),
    ...(isChanged("image_type") ? [{ imageType: textOf(desired["image_type"]) }] : []),
    ...(isChanged("disk_type") ? [{ diskType: textOf(desired["disk_type"]) }] : []),
    ...(isChanged("disk_size_gb") ? [{ diskSizeGb: String(numberOf(desired["disk_size_gb"])) }] : []),
    ...(isChanged("tags") ? [{ tags: { tags: textsOf(desired["tags"]) } }] : []),
    ...(isChanged("labels") ? [{ labels: { labels: readTexts(desired["labels"]) } }] : []),
    ...(isChanged("taint") ? [{ taints: { taints: renderTaints(desired["taint"]) } }] : []),
    ...(isChanged("resource_labels")
      ? [{ resourceLabels: { labels: replaceOwnLabels(labels, desired["resource_labels"]) } }]
      : []),
  ];
}

/** Returns the `node_config` block of an existing pool. */
export function toConfigAttributes(config: NodeConfig): JsonObject {
  const shield = (config.shieldedInstanceConfig ?? {}) as Shield;
  const taints = (config.taints ?? [])
    .map(({ key = "", value = "", effect = "" }) => ({ key, value, effect }))
    .toSorted((one, other) => `${one.key} ${one.effect}`.localeCompare(`${other.key} ${other.effect}`));
  return {
    machine_type: config.machineType ?? "",
    image_type: config.imageType ?? "",
    disk_type: config.diskType ?? "",
    disk_size_gb: config.diskSizeGb ?? 0,
    spot: config.spot ?? false,
    service_account: config.serviceAccount ?? "",
    oauth_scopes: [...(config.oauthScopes ?? [])].toSorted(),
    tags: [...(config.tags ?? [])].toSorted(),
    shielded_instance_config: [
      {
        enable_secure_boot: shield.enableSecureBoot ?? false,
        enable_integrity_monitoring: shield.enableIntegrityMonitoring ?? false,
      },
    ],
    workload_metadata_config: [{ mode: config.workloadMetadataConfig?.mode ?? "" }],
    labels: { ...config.labels },
    resource_labels: listOwnLabels(config.resourceLabels),
    taint: taints,
  };
}
