import { objectOf, textOf, textsOf } from "@cloudwright/platform";
import { mergeBlocks, writeFields } from "../../../api/map-fields.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import type { ValueMap } from "../../../values/value.ts";
import { invalid, refuse } from "../errors.ts";
import { clusterMapping } from "./cluster-mapping.ts";
import { pickChanged, readVersion } from "./gke-records.ts";

/** The fields of a cluster that an update can change, keyed by the name in the request. */
const fields: Readonly<Record<string, string>> = {
  desiredReleaseChannel: "releaseChannel",
  desiredWorkloadIdentityConfig: "workloadIdentityConfig",
  desiredMasterAuthorizedNetworksConfig: "masterAuthorizedNetworksConfig",
  desiredControlPlaneEndpointsConfig: "controlPlaneEndpointsConfig",
  desiredPrivateClusterConfig: "privateClusterConfig",
  desiredDatabaseEncryption: "databaseEncryption",
  desiredShieldedNodes: "shieldedNodes",
  desiredLoggingService: "loggingService",
  desiredMonitoringService: "monitoringService",
};

/** Returns the change to the record and GKE's name for it. GKE accepts one field per update. */
export function planUpdate(
  { attributes }: CloudRecord,
  update: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly patch: ValueMap } {
  const [given, another] = Object.keys(update).filter((name) => update[name] !== undefined && name !== "etag");
  if (given === undefined) return refuse(invalid("Must specify a field to update."));
  if (another !== undefined) return refuse(invalid("Must specify one and only one field to update."));
  if (given === "desiredMasterVersion") {
    const version = readVersion(textOf(update[given]), textOf(attributes["master_version"]));
    return { name: "UPGRADE_MASTER", patch: { min_master_version: version } };
  }
  if (given === "desiredLocations") {
    const zones = textsOf(update[given]).filter((zone) => zone !== attributes["location"]);
    return { name: "UPDATE_CLUSTER", patch: { node_locations: zones } };
  }
  const field = Object.hasOwn(fields, given) ? fields[given] : undefined;
  if (field === undefined) return refuse(invalid(`The update of ${given.slice(0, 100)} is not simulated.`));
  const written = { ...writeFields(clusterMapping, objectOf({ [field]: update[given] })), ...readPublicEndpoint(update) };
  return { name: "UPDATE_CLUSTER", patch: pickChanged(mergeBlocks(attributes, written), written) };
}

/** Converts the setting of the public IP endpoint to that of the private endpoint, because Terraform has no other attribute for it. */
function readPublicEndpoint({ desiredControlPlaneEndpointsConfig: endpoints }: Readonly<Record<string, unknown>>): ValueMap {
  const { enablePublicEndpoint } = objectOf(objectOf(endpoints)["ipEndpointsConfig"]);
  if (typeof enablePublicEndpoint !== "boolean") return {};
  return { private_cluster_config: [{ enable_private_endpoint: !enablePublicEndpoint }] };
}
