import type { ClusterFacts, ClusterNode } from "../../cloud/managed-kubernetes.ts";
import type { CloudRecord, Inventory } from "../../inventory/inventory.ts";
import { blockOf, mapOf, textOf, textsAt } from "../../values/read-value.ts";
import { isList, type ValueMap } from "../../values/value.ts";
import { findMachineType } from "../compute/machine-types.ts";
import { hash } from "../place.ts";
import { nameGroup, nodesPerZone, zonesOf } from "./node-pools.ts";
import { findLocation } from "./refusals.ts";
import { createNodeLimits, limitLabels, limitTaints, limitText, limitZones, type GrantNodes } from "../../cloud/limit-nodes.ts";

/** The types of the resources that describe GKE clusters and their nodes. */
export const gkeRecordTypes = ["google_container_cluster", "google_container_node_pool"];

/** Returns a tenant's GKE clusters from the inventory. */
export async function listGkeClusters(inventory: Inventory, tenant: string): Promise<readonly ClusterFacts[]> {
  const clusters = await inventory.list(tenant, "google_container_cluster");
  if (clusters.length === 0) return [];
  const pools = Map.groupBy(await inventory.list(tenant, "google_container_node_pool"), ({ id }) => id.split("/nodePools/")[0]);
  const startCluster = createNodeLimits();
  return clusters.map(({ id, attributes }) => {
    const grant = startCluster();
    const place = {
      location: textOf(attributes["location"]),
      node_locations: [...limitZones(textsAt(attributes, "node_locations"))],
    };
    return {
      name: textOf(attributes["name"]),
      region: regionOf(attributes),
      version: `v${textOf(attributes["master_version"])}`,
      serviceRange: textOf(attributes["services_ipv4_cidr"]),
      hasGateways: textOf(blockOf(attributes, "gateway_api_config")["channel"]) === "CHANNEL_STANDARD",
      nodes: (pools.get(id) ?? []).flatMap((pool) => listNodes(pool, place, grant)),
    };
  });
}

/** Returns the region of a cluster. The cluster's location may be a region or a zone. */
export function regionOf(attributes: ValueMap): string {
  const location = textOf(attributes["location"]);
  return findLocation(location)?.region ?? location;
}

const effects: Readonly<Record<string, string>> = {
  NO_SCHEDULE: "NoSchedule",
  PREFER_NO_SCHEDULE: "PreferNoSchedule",
  NO_EXECUTE: "NoExecute",
};

// A node's name depends on its pool, version, machine type and index. Scaling keeps the names; upgrading or replacing a pool changes them.
function listNodes({ id, attributes }: CloudRecord, cluster: ValueMap, grant: GrantNodes): readonly ClusterNode[] {
  const config = blockOf(attributes, "node_config");
  const type = limitText(textOf(config["machine_type"]) || "e2-medium");
  const { vcpus = 2, memoryGiB = 4, architecture = "amd64" } = findMachineType(type) ?? {};
  const version = limitText(textOf(attributes["version"]));
  const place = limitText(id);
  const project = place.split("/")[1] ?? "";
  const accelerator = limitText(textOf(blockOf(config, "guest_accelerator")["type"]));
  const common = {
    labels: {
      ...limitLabels(mapOf(config["labels"])),
      "beta.kubernetes.io/arch": architecture,
      "kubernetes.io/arch": architecture,
      "cloud.google.com/gke-boot-disk": limitText(textOf(config["disk_type"])),
      "cloud.google.com/gke-container-runtime": "containerd",
      "cloud.google.com/gke-nodepool": limitText(textOf(attributes["name"])),
      "cloud.google.com/gke-os-distribution": textOf(config["image_type"]).startsWith("UBUNTU") ? "ubuntu" : "cos",
      "cloud.google.com/machine-family": type.split("-")[0] ?? "",
      "cloud.google.com/private-node": "true",
      "iam.gke.io/gke-metadata-server-enabled": "true",
      ...(config["spot"] === true && { "cloud.google.com/gke-spot": "true" }),
      ...(accelerator !== "" && { "cloud.google.com/gke-accelerator": accelerator }),
    },
    taints: [
      ...listTaints(config),
      // GKE taints GPU nodes to keep ordinary pods away, and Arm nodes to keep pods for other architectures away.
      ...(accelerator === "" ? [] : [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }]),
      ...(architecture === "arm64" ? [{ key: "kubernetes.io/arch", value: "arm64", effect: "NoSchedule" }] : []),
    ],
    instanceType: type,
    region: limitText(regionOf(cluster)),
    cpu: vcpus,
    memoryGiB,
    version: `v${version}`,
  };
  const nodes: ClusterNode[] = [];
  for (const zone of limitZones(zonesOf(attributes, cluster))) {
    const inZone = { ...common, labels: { ...common.labels, "topology.gke.io/zone": zone }, zone };
    const granted = grant(nodesPerZone(attributes), inZone);
    if (granted === 0) break;
    const group = nameGroup(place, attributes, zone);
    for (let index = 0; index < granted; index++) {
      const digits = hash(`${place} ${zone} ${type} ${version} ${index}`);
      const name = group.replace(/grp$/, toLetters(digits));
      nodes.push({
        ...inZone,
        name,
        providerId: `gce://${project}/${zone}/${name}`,
        internalIp: `10.0.${Number.parseInt(digits.slice(0, 1), 16)}.${2 + (Number.parseInt(digits.slice(1, 3), 16) % 250)}`,
      });
    }
  }
  return nodes;
}

function listTaints({ taint }: ValueMap): ClusterNode["taints"] {
  return limitTaints(
    (isList(taint) ? taint : []).map(mapOf).map(({ key, value, effect }) => ({
      key: textOf(key),
      value: textOf(value),
      effect: effects[textOf(effect)] ?? "NoSchedule",
    })),
  );
}

/** Returns four letters and digits, like those at the end of GKE node names. */
function toLetters(digits: string): string {
  return BigInt(`0x${digits.slice(0, 16)}`)
    .toString(36)
    .slice(-4)
    .padStart(4, "0");
}
