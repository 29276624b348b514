import { listOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
import type { FieldMapping, ResourceMapping } from "../../../api/map-fields.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf } from "../../../values/read-value.ts";
import { isList, type Value } from "../../../values/value.ts";
import { findLocation } from "../../gke/refusals.ts";
import { findVersion } from "../../gke/versions.ts";
import { hash } from "../../place.ts";
import { paths } from "../../resource.ts";
import { renderPath } from "../../../cloud/render-path.ts";

const readOnly = (api: string, attribute: string): FieldMapping => ({ api, attribute, isReadOnly: true });

/** The fields of a cluster. */
export const clusterMapping: ResourceMapping = {
  type: "google_container_cluster",
  model: "Cluster",
  fields: [
    ["name", "name"],
    ["description", "description"],
    { api: "network", attribute: "network", read: (value) => lastPart(value) || "default", write: toReference },
    { api: "subnetwork", attribute: "subnetwork", read: (value) => lastPart(value) || "default", write: toReference },
    { api: "networkConfig.network", attribute: "network", read: toPath("network"), isReadOnly: true },
    { api: "networkConfig.subnetwork", attribute: "subnetwork", read: toPath("subnetwork"), isReadOnly: true },
    ["networkConfig.datapathProvider", "datapath_provider"],
    readOnly("location", "location"),
    { api: "zone", attribute: "location", isReadOnly: true },
    { api: "locations", attribute: "node_locations", read: (_value, record) => listZones(record) },
    { api: "resourceLabels", attribute: "resource_labels", read: (_value, record) => labelsOf(record) },
    {
      api: "labelFingerprint",
      attribute: "label_fingerprint",
      read: (_value, record) => fingerprintOf(record),
      isReadOnly: true,
    },
    { api: "initialClusterVersion", attribute: "min_master_version", read: toInitial, write: (value) => textOf(value) },
    readOnly("currentMasterVersion", "master_version"),
    readOnly("currentNodeVersion", "node_version"),
    ["releaseChannel.channel", "release_channel.0.channel"],
    {
      api: "ipAllocationPolicy.useIpAliases",
      attribute: "networking_mode",
      read: (mode) => mode === "VPC_NATIVE",
      isReadOnly: true,
    },
    ["ipAllocationPolicy.clusterSecondaryRangeName", "ip_allocation_policy.0.cluster_secondary_range_name"],
    ["ipAllocationPolicy.servicesSecondaryRangeName", "ip_allocation_policy.0.services_secondary_range_name"],
    ["ipAllocationPolicy.clusterIpv4CidrBlock", "ip_allocation_policy.0.cluster_ipv4_cidr_block"],
    ["ipAllocationPolicy.servicesIpv4CidrBlock", "ip_allocation_policy.0.services_ipv4_cidr_block"],
    ["privateClusterConfig.enablePrivateNodes", "private_cluster_config.0.enable_private_nodes"],
    ["privateClusterConfig.enablePrivateEndpoint", "private_cluster_config.0.enable_private_endpoint"],
    ["privateClusterConfig.masterIpv4CidrBlock", "private_cluster_config.0.master_ipv4_cidr_block"],
    readOnly("privateClusterConfig.privateEndpoint", "private_cluster_config.0.private_endpoint"),
    readOnly("privateClusterConfig.publicEndpoint", "private_cluster_config.0.public_endpoint"),
    {
      api: "masterAuthorizedNetworksConfig",
      attribute: "master_authorized_networks_config",
      read: toNetworks,
      write: fromNetworks,
    },
    ["workloadIdentityConfig.workloadPool", "workload_identity_config.0.workload_pool"],
    {
      api: "controlPlaneEndpointsConfig.dnsEndpointConfig.endpoint",
      attribute: "control_plane_endpoints_config.0.dns_endpoint_config.0.endpoint",
      isReadOnly: true,
    },
    [
      "controlPlaneEndpointsConfig.dnsEndpointConfig.allowExternalTraffic",
      "control_plane_endpoints_config.0.dns_endpoint_config.0.allow_external_traffic",
    ],
    ["controlPlaneEndpointsConfig.ipEndpointsConfig.enabled", "control_plane_endpoints_config.0.ip_endpoints_config.0.enabled"],
    readOnly("endpoint", "endpoint"),
    readOnly("masterAuth.clusterCaCertificate", "master_auth.0.cluster_ca_certificate"),
    readOnly("clusterIpv4Cidr", "cluster_ipv4_cidr"),
    readOnly("servicesIpv4Cidr", "services_ipv4_cidr"),
    ["loggingService", "logging_service"],
    ["monitoringService", "monitoring_service"],
    ["autopilot.enabled", "enable_autopilot"],
    ["shieldedNodes.enabled", "enable_shielded_nodes"],
    ["legacyAbac.enabled", "enable_legacy_abac"],
    { api: "databaseEncryption.state", attribute: "database_encryption.0.state" },
    ["databaseEncryption.keyName", "database_encryption.0.key_name"],
    {
      api: "defaultMaxPodsConstraint.maxPodsPerNode",
      attribute: "default_max_pods_per_node",
      read: (value) => (typeof value === "number" && value > 0 ? String(value) : undefined),
      write: (value) => Number(value),
    },
  ],
};

/** Returns the last part of a path or link. */
function lastPart(value: Value | undefined): string {
  return textOf(value).split("/").at(-1) ?? "";
}

// Every project has a `default` network, which is not in the inventory. An unset reference means this network.
function toReference(value: unknown): Value {
  const text = textOf(value);
  return lastPart(text) === "default" || text === "" ? null : text.replace(/^.*?(?=projects\/)/, "");
}

function toPath(kind: "network" | "subnetwork"): (value: Value, record: CloudRecord) => unknown {
  return (value, { id, attributes }) => {
    const text = textOf(value).replace(/^.*?(?=projects\/)/, "");
    if (text.startsWith("projects/")) return text;
    const region = findLocation(textOf(attributes["location"]))?.region ?? "";
    return renderPath(paths[kind], { project: id.split("/")[1] ?? "", region, name: text || "default" });
  };
}

/** Returns the zones of a cluster's nodes. Terraform's attribute lacks the zone of a zonal cluster's control plane. */
function listZones({ attributes }: CloudRecord): readonly string[] {
  const location = textOf(attributes["location"]);
  const own = findLocation(location);
  const zones = textsOf(attributes["node_locations"]);
  const isZonal = own?.zones[0] === location;
  if (zones.length === 0) return own?.zones ?? [];
  return [...new Set([...(isZonal ? [location] : []), ...zones])].toSorted();
}

/** Returns all labels of a cluster, including the provider's default labels. */
function labelsOf({ attributes }: CloudRecord): Record<string, string> {
  const labels = { ...mapOf(attributes["effective_labels"]), ...mapOf(attributes["resource_labels"]) };
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, textOf(value)]));
}

/** Returns the fingerprint of a cluster's labels. Requests include it, so that the API can reject concurrent changes. */
export function fingerprintOf(record: CloudRecord): string {
  const labels = Object.entries(labelsOf(record)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return hash(JSON.stringify(labels)).slice(0, 8);
}

function toInitial(value: Value, { attributes }: CloudRecord): unknown {
  return findVersion(textOf(value)) ?? attributes["master_version"];
}

function toNetworks(value: Value): unknown {
  const [block] = isList(value) ? value : [];
  if (block === undefined) return undefined;
  const ranges = mapOf(block)["cidr_blocks"];
  const cidrBlocks = (isList(ranges) ? ranges : []).map(mapOf).map((range) => ({
    cidrBlock: textOf(range["cidr_block"]),
    ...(textOf(range["display_name"]) === "" ? {} : { displayName: textOf(range["display_name"]) }),
  }));
  return { enabled: true, ...(cidrBlocks.length === 0 ? {} : { cidrBlocks }) };
}

function fromNetworks(value: unknown): Value {
  const { enabled, cidrBlocks } = objectOf(value);
  if (enabled !== true) return [];
  const ranges = listOf(cidrBlocks)
    .map(objectOf)
    .map((range) => ({ cidr_block: textOf(range["cidrBlock"]), display_name: textOf(range["displayName"]) }));
  return [{ cidr_blocks: ranges }];
}
