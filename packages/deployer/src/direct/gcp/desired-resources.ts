import { findText } from "@cloudwright/platform";
import { refer, type DesiredResource } from "../../executor/in-process/blueprint.ts";
import { readChoices } from "../../kubernetes/gcp/choices.ts";
import { getPlace, readEndpoint, readVersion, type ClusterPlace } from "../../kubernetes/gcp/desired.ts";
import { gcpOf } from "../../kubernetes/gcp/gcp-of.ts";
import { chooseUsualRanges } from "../../kubernetes/gcp/variables.ts";
import { findProject } from "../../network/gcp/find-project.ts";
import { listOf, objectOf, textOf, textsOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedAccount, DeployedEntity, Json, JsonObject, Surroundings } from "../../task.ts";
import { listZonalPools, poolLabel, type ZonalPool } from "./zonal-pools.ts";

const cluster = "google_container_cluster.this";

/**
 * Desired health of every resource. If a resource is not ready, an update waits until its interrupted creation has finished. If GKE could
 * not create a resource, the resource is replaced.
 */
const healthy = { ready: true, failed: false };

/** Lists the resources of a cluster: the cluster, and one GKE node pool per node pool and zone. */
export function listDesired(
  entity: DeployedEntity<"Cluster">,
  account: DeployedAccount,
  around: Surroundings,
): readonly DesiredResource[] {
  return [
    renderCluster(entity, account, around),
    ...listZonalPools(entity, around).map((pool) => renderPool(entity, around, pool)),
  ];
}

/** Returns GKE's name for the cluster's release channel. */
export function readChannel({ spec }: DeployedEntity<"Cluster">): string {
  const { releaseChannel } = gcpOf(spec);
  return releaseChannel === "none" ? "UNSPECIFIED" : (releaseChannel || "regular").toUpperCase();
}

/** Returns the region or zone of the control plane. */
export function locationOf({ zone, region }: ClusterPlace): string {
  return zone ?? region;
}

function renderCluster(entity: DeployedEntity<"Cluster">, account: DeployedAccount, around: Surroundings): DesiredResource {
  const place = getPlace(entity, around);
  const { isPublic, ranges } = readEndpoint(entity.spec.endpoint);
  const allowed = !isPublic ? [] : ranges.length > 0 ? ranges : chooseUsualRanges(entity, around);
  const { isNew } = readChoices(around.outputs);
  const { controlPlaneCidr } = gcpOf(entity.spec);
  const version = isNew ? (readVersion(entity) ?? undefined) : findUpgrade(entity, around);
  return {
    type: "google_container_cluster",
    name: "this",
    attributes: {
      name: textOf(around.outputs["cluster_name"]) || renderName(entity),
      location: locationOf(place),
      node_locations: place.zone === null ? [...place.zones] : [place.zone],
      ...(version === undefined ? {} : { min_master_version: version }),
      network: place.networkId,
      subnetwork: place.subnetId,
      datapath_provider: "ADVANCED_DATAPATH",
      release_channel: [{ channel: readChannel(entity) }],
      ip_allocation_policy: [{ cluster_secondary_range_name: place.podRange, services_secondary_range_name: place.serviceRange }],
      private_cluster_config: [{ enable_private_nodes: true, enable_private_endpoint: !isPublic }],
      ...(controlPlaneCidr === "" ? {} : { master_ipv4_cidr_block: controlPlaneCidr }),
      // Always present, because GKE allows all addresses without this block.
      master_authorized_networks_config: [{ cidr_blocks: allowed.toSorted().map((range) => ({ cidr_block: range })) }],
      workload_identity_config: [{ workload_pool: `${chooseProject(account, around, place)}.svc.id.goog` }],
      resource_labels: renderTags("gcp", entity),
      ...healthy,
    },
  };
}

/** Renders the cluster's name in GKE, which ends with the last characters of the uid. GKE allows at most 40 characters. */
function renderName({ name, uid }: DeployedEntity<"Cluster">): string {
  return `${name.slice(0, 31).replace(/-$/, "")}-${uid.replaceAll("-", "").slice(-8)}`;
}

/**
 * Returns the cluster's project: the one it was built in, or else the account's. If the account takes its project from its credentials,
 * the project is read from the network, which was built with the same credentials.
 */
function chooseProject(account: DeployedAccount, { outputs }: Surroundings, { networkId }: ClusterPlace): string {
  return findText(outputs["project"]) || findProject(account) || (/^projects\/([^/]+)\//.exec(networkId)?.[1] ?? "");
}

/**
 * Returns the version that this run upgrades to, or undefined if this run does not upgrade. Other runs leave versions unchanged, because
 * GKE itself upgrades clusters in a release channel.
 */
function findUpgrade(entity: DeployedEntity<"Cluster">, { outputs }: Surroundings): string | undefined {
  const wanted = readVersion(entity);
  const { minor } = readChoices(outputs);
  return wanted !== null && minor !== "" && minorOf(wanted) > minorOf(minor) ? wanted : undefined;
}

function minorOf(version: string): number {
  return Number(version.split(".")[1]);
}

const scopes = "https://www.googleapis.com/auth/";
/**
 * Compute Engine's default service account is allowed to change the whole project. These scopes limit it to what GKE's agents on the nodes
 * need. If the spec names a service account, its owner decides which roles it has.
 */
const narrowScopes = [
  `${scopes}devstorage.read_only`,
  `${scopes}logging.write`,
  `${scopes}monitoring`,
  `${scopes}service.management.readonly`,
  `${scopes}servicecontrol`,
  `${scopes}trace.append`,
];
const images: Readonly<Record<string, string>> = { cos: "COS_CONTAINERD", ubuntu: "UBUNTU_CONTAINERD" };

function renderPool(entity: DeployedEntity<"Cluster">, around: Surroundings, pool: ZonalPool): DesiredResource {
  const { settings, key, hash, min, max } = pool;
  const { nodeServiceAccount: account } = gcpOf(entity.spec);
  const version = findUpgrade(entity, around);
  const isScaled = settings["autoscaling"] === true;
  const isBuilt = readChoices(around.outputs).builtPools[key] === hash;
  return {
    type: "google_container_node_pool",
    name: pool.resource,
    attributes: {
      name: pool.name,
      cluster: refer(cluster, "name"),
      location: refer(cluster, "location"),
      node_locations: [pool.zone],
      ...(version === undefined ? {} : { version }),
      // The autoscaler controls the size of an existing pool. A new pool starts with the desired size.
      ...(isScaled && isBuilt ? {} : { node_count: pool.desired }),
      // GKE rejects a maximum of 0. A pool with this maximum has no nodes and needs no autoscaling.
      autoscaling: isScaled && max > 0 ? [{ min_node_count: min, max_node_count: max }] : [],
      // GKE requires automatic upgrades for clusters in a release channel.
      management: [{ auto_repair: true, auto_upgrade: readChannel(entity) !== "UNSPECIFIED" }],
      node_config: [
        {
          machine_type: textOf(settings["machine_type"]),
          image_type: images[textOf(settings["image"]) || "cos"] ?? "",
          disk_type: textOf(settings["disk_type"]) || "pd-balanced",
          disk_size_gb: Number(settings["disk_size_gib"] ?? 100),
          spot: settings["capacity"] === "spot",
          service_account: account || "default",
          oauth_scopes: account === "" ? narrowScopes : [`${scopes}cloud-platform`],
          tags: textsOf(settings["network_tags"]).toSorted(),
          labels: { ...objectOf(settings["labels"]), [poolLabel]: pool.pool },
          resource_labels: { ...renderTags("gcp", entity), ...objectOf(settings["resource_labels"]) },
          taint: renderTaints(settings["taints"]),
          shielded_instance_config: [
            { enable_secure_boot: settings["secure_boot"] !== false, enable_integrity_monitoring: true },
          ],
          // Gives pods the identity of their own service account instead of the node's.
          workload_metadata_config: [{ mode: "GKE_METADATA" }],
        },
      ],
      ...healthy,
    },
  };
}

const effects: Readonly<Record<string, string>> = {
  NoSchedule: "NO_SCHEDULE",
  PreferNoSchedule: "PREFER_NO_SCHEDULE",
  NoExecute: "NO_EXECUTE",
};

function renderTaints(value: Json | undefined): JsonObject[] {
  return listOf(value)
    .map((each) => objectOf(each))
    .map(({ key, value: text, effect }) => ({
      key: textOf(key),
      value: textOf(text),
      effect: effects[textOf(effect)] ?? textOf(effect),
    }))
    .toSorted((one, other) => `${one.key} ${one.effect}`.localeCompare(`${other.key} ${other.effect}`));
}
