import type { GcpCluster } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { findText } from "@cloudwright/platform";
import { findProject } from "../../network/gcp/find-project.ts";
import { textOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedAccount, DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { readChoices } from "./choices.ts";
import { getPlace, readEndpoint, readVersion } from "./desired.ts";
import { gcpOf } from "./gcp-of.ts";
import { renderNodePools } from "./node-pools.ts";

/** Renders the variables for the GKE configurations, which provide defaults for omitted fields. */
export function renderVariables(entity: DeployedEntity<"Cluster">, account: DeployedAccount, around: Surroundings): JsonObject {
  const { spec } = entity;
  const gcp = gcpOf(spec);
  const place = getPlace(entity, around);
  // A cluster cannot move to another project, so an existing cluster stays in its project.
  const project = findText(around.outputs["project"]) || findProject(account);
  const usual = chooseUsualRanges(entity, around);
  const { since, builtPools } = readChoices(around.outputs);
  const { isPublic, ranges } = readEndpoint(spec.endpoint);
  return {
    project: project ?? null,
    cluster_name: entity.name,
    region: place.region,
    zone: place.zone,
    zones: [...place.zones],
    ...renderVersions(entity, around),
    ...(gcp.releaseChannel === "" ? {} : { release_channel: gcp.releaseChannel }),
    network_id: place.networkId,
    subnet_id: place.subnetId,
    pod_range_name: place.podRange,
    service_range_name: place.serviceRange,
    public_access: isPublic,
    public_access_cidrs: !isPublic ? [] : ranges.length > 0 ? ranges : usual,
    kept_defaults: { ...(since === "" ? {} : { since }), public_access_cidrs: usual },
    ...renderSettings(gcp),
    built_pools: { ...builtPools },
    node_pools: renderNodePools(entity, around, place.region),
    owner: { project: entity.project, entity: entity.uid },
    labels: renderTags("gcp", entity),
  };
}

/**
 * Renders the version, and whether this run upgrades to it. Other runs leave the version of nodes unchanged, because GKE upgrades nodes
 * itself.
 */
function renderVersions(entity: DeployedEntity<"Cluster">, { outputs }: Surroundings): JsonObject {
  const wanted = readVersion(entity);
  const { minor, requestedVersion } = readChoices(outputs);
  // A release channel may already have upgraded the cluster beyond the version in the spec.
  const isUpgrade = wanted !== null && minor !== "" && minorOf(wanted) > minorOf(minor);
  return { cluster_version: wanted, current_version: isUpgrade ? null : (requestedVersion ?? null), upgrades_nodes: isUpgrade };
}

function minorOf(version: string): number {
  return Number(version.split(".")[1]);
}

function renderSettings(gcp: GcpCluster): JsonObject {
  const { maintenanceWindow: window, logTypes, monitoring } = gcp;
  return {
    dns_endpoint: gcp.dnsEndpoint,
    control_plane_cidr: gcp.controlPlaneCidr || null,
    create_kms_key: gcp.createKmsKey,
    kms_key: gcp.kmsKey || null,
    node_disk_kms_key: gcp.nodeDiskKmsKey || null,
    node_service_account: gcp.nodeServiceAccount || null,
    workload_identities: Object.fromEntries(
      gcp.workloadIdentities.map((each) => [`${each.namespace}/${each.serviceAccount}`, each.googleServiceAccount]),
    ),
    security_group: gcp.securityGroup || null,
    ...(logTypes.length === 0 ? {} : { log_types: logTypes.filter((type) => type !== "none") }),
    ...(monitoring.length === 0 ? {} : { monitoring: monitoring.filter((type) => type !== "none") }),
    managed_prometheus: gcp.managedPrometheus,
    ...(gcp.gatewayApi === undefined ? {} : { gateway_api: gcp.gatewayApi }),
    maintenance_window:
      window === undefined
        ? null
        : {
            days: [...window.days],
            start: window.start,
            ...(window.durationHours === 0 ? {} : { duration_hours: window.durationHours }),
          },
  };
}

/** Returns whether the agent's public address is needed. This is the case if nothing else determines who may reach the public endpoint. */
export function needsAddress(entity: DeployedEntity<"Cluster">, { outputs }: Pick<Surroundings, "outputs">): boolean {
  const { isPublic, ranges } = readEndpoint(entity.spec.endpoint);
  return isPublic && ranges.length === 0 && readChoices(outputs).publicRanges.length === 0;
}

/** Returns the ranges that apply if the spec does not name any: those that were chosen before, or else the agent's own address. */
export function chooseUsualRanges(entity: DeployedEntity<"Cluster">, around: Surroundings): string[] {
  const address = textOf(around.observed?.["address"]);
  return needsAddress(entity, around) && address !== "" ? [`${address}/32`] : [...readChoices(around.outputs).publicRanges];
}
