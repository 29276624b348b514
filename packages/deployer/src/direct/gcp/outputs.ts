import { readChoices } from "../../kubernetes/gcp/choices.ts";
import { getPlace, readEndpoint } from "../../kubernetes/gcp/desired.ts";
import { gcpOf } from "../../kubernetes/gcp/gcp-of.ts";
import { listOf, objectOf, textOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { locationOf, readChannel } from "./desired-resources.ts";
import { listZonalPools } from "./zonal-pools.ts";

/**
 * Renders the same outputs as the Terraform configuration for GKE clusters. Outputs of resources that the blueprint does not build are
 * empty.
 */
export function renderOutputs(
  attributesOf: (address: string) => JsonObject,
  entity: DeployedEntity<"Cluster">,
  around: Surroundings,
): JsonObject {
  const cluster = attributesOf("google_container_cluster.this");
  const place = getPlace(entity, around);
  const pools = listZonalPools(entity, around);
  const names = [...new Set(pools.map(({ pool }) => pool))].toSorted();
  const sizes = pools.map(({ resource }) => Number(attributesOf(`google_container_node_pool.${resource}`)["node_count"] ?? 0));
  const masterVersion = textOf(cluster["master_version"]);
  const id = textOf(cluster["id"]);
  return {
    cluster_name: textOf(cluster["name"]),
    cluster_id: id,
    project: id.split("/")[1] ?? "",
    region: place.region,
    location: locationOf(place),
    network_id: place.networkId,
    worker_subnet_ids: [place.subnetId],
    endpoint: textOf(cluster["endpoint"]),
    dns_endpoint: textOf(cluster["dns_endpoint"]),
    certificate_authority: textOf(cluster["certificate_authority"]),
    version: /^\d+\.\d+/.exec(masterVersion)?.[0] ?? "",
    master_version: masterVersion,
    upgraded_by_cloud: readChannel(entity) !== "UNSPECIFIED",
    workload_pool: textOf(objectOf(listOf(cluster["workload_identity_config"])[0])["workload_pool"]),
    kms_key: "",
    node_service_account: gcpOf(entity.spec).nodeServiceAccount || "default",
    node_group_names: names,
    ready_nodes: sizes.reduce((sum, size) => sum + size, 0),
    choices: {
      since: "v1.1.0",
      requested_version: textOf(cluster["min_master_version"]),
      public_access_cidrs: keepRanges(cluster, entity, around),
      built_pools: Object.fromEntries(pools.map(({ key, hash }) => [key, hash])),
      zones_of_pools: Object.fromEntries(
        names.map((name) => [name, pools.filter(({ pool }) => pool === name).map(({ zone }) => zone)]),
      ),
    },
  };
}

/**
 * If the spec names no ranges, the ranges that were applied before are kept. A run on an agent with a different address must not change
 * who can reach the cluster.
 */
function keepRanges(cluster: JsonObject, entity: DeployedEntity<"Cluster">, { outputs }: Surroundings): string[] {
  const { isPublic, ranges } = readEndpoint(entity.spec.endpoint);
  if (!isPublic || ranges.length > 0) return [...readChoices(outputs).publicRanges];
  const block = objectOf(listOf(cluster["master_authorized_networks_config"])[0]);
  return listOf(block["cidr_blocks"]).map((each) => textOf(objectOf(each)["cidr_block"]));
}
