import { clusterPermissions } from "./cluster-permissions.ts";
import { resourcePermissions } from "./resource-permissions.ts";

/** A feature whose permissions can be granted separately. */
export type GcpFeature = keyof typeof resources;

/** Resource types in each feature's configurations. A test compares this list with `infra/`. */
const resources = {
  network: [
    "google_compute_network",
    "google_compute_subnetwork",
    "google_compute_router",
    "google_compute_router_nat",
    "google_compute_firewall",
    "google_compute_address",
    "data.google_compute_network",
    "data.google_compute_subnetwork",
  ],
  cluster: [
    "google_container_cluster",
    "google_container_node_pool",
    "google_service_account",
    "google_service_account_iam_member",
    "google_project_iam_member",
    "google_kms_key_ring",
    "google_kms_crypto_key",
    "google_kms_crypto_key_iam_member",
    "data.google_client_config",
    "data.google_container_engine_versions",
    "data.google_project",
  ],
  storage: [
    "google_storage_bucket",
    "google_storage_bucket_iam_member",
    "google_compute_disk",
    "google_kms_crypto_key_iam_member",
    "data.google_client_config",
    "data.google_project",
    "data.google_storage_project_service_account",
  ],
  // The following features are built without Terraform.
  instance: ["google_compute_instance"],
  securitygroup: ["google_compute_firewall"],
  volume: ["google_compute_attached_disk"],
} as const satisfies Record<string, readonly (keyof typeof resourcePermissions)[]>;

/** Services that must be enabled in the project, keyed by feature. */
const services: Readonly<Record<GcpFeature, readonly string[]>> = {
  network: ["compute.googleapis.com"],
  cluster: [
    "cloudkms.googleapis.com",
    "compute.googleapis.com",
    "container.googleapis.com",
    "iam.googleapis.com",
    "iamcredentials.googleapis.com",
  ],
  storage: ["compute.googleapis.com", "storage.googleapis.com"],
  instance: ["compute.googleapis.com"],
  securitygroup: ["compute.googleapis.com"],
  volume: ["compute.googleapis.com"],
};

// Permissions to find the resources of an entity.
const lookup = [
  "compute.addresses.list",
  "compute.disks.list",
  "compute.firewalls.list",
  "compute.globalAddresses.list",
  "compute.networks.list",
  "compute.projects.get",
  "compute.regions.get",
  "compute.routers.list",
  "compute.subnetworks.list",
  "compute.zones.list",
];

// Permissions that every run needs, regardless of the feature: to verify the account, to check the enabled services, and to read the audit
// log.
const always = ["logging.logEntries.list", "resourcemanager.projects.get", "serviceusage.services.get"];
// Permissions to find resources, run preflight checks and remove leftover resources.
const additional: Readonly<Record<GcpFeature, readonly string[]>> = {
  network: [
    "compute.addresses.list",
    "compute.firewalls.list",
    "compute.globalAddresses.list",
    "compute.networks.list",
    "compute.projects.get",
    "compute.regions.get",
    "compute.routers.list",
    "compute.subnetworks.list",
    "compute.zones.list",
  ],
  cluster: [
    "cloudkms.cryptoKeys.list",
    "cloudkms.keyRings.list",
    "compute.addresses.delete",
    "compute.addresses.list",
    "compute.backendServices.delete",
    "compute.backendServices.list",
    "compute.disks.delete",
    "compute.disks.get",
    "compute.disks.list",
    "compute.disks.setLabels",
    "compute.firewalls.delete",
    "compute.firewalls.list",
    "compute.forwardingRules.delete",
    "compute.forwardingRules.list",
    "compute.globalOperations.get",
    "compute.healthChecks.delete",
    "compute.healthChecks.list",
    "compute.instances.list",
    "compute.machineTypes.list",
    "compute.networkEndpointGroups.delete",
    "compute.networkEndpointGroups.list",
    "compute.networks.list",
    "compute.networks.updatePolicy",
    "compute.projects.get",
    "compute.regionBackendServices.delete",
    "compute.regionBackendServices.list",
    "compute.regionOperations.get",
    "compute.regions.get",
    "compute.subnetworks.list",
    "compute.targetPools.delete",
    "compute.targetPools.list",
    "compute.zoneOperations.get",
    "compute.zones.list",
    "iam.serviceAccounts.list",
    ...clusterPermissions,
  ],
  storage: ["compute.disks.list", "compute.projects.get", "compute.zones.list", "storage.buckets.list"],
  instance: ["compute.machineTypes.list", ...lookup],
  securitygroup: lookup,
  // The platform takes no snapshots of these disks, so the permissions are fewer than those of the Terraform resource.
  volume: [
    "compute.disks.create",
    "compute.disks.delete",
    "compute.disks.get",
    "compute.disks.resize",
    "compute.disks.setLabels",
    ...lookup,
  ],
};

export const gcpFeatures = Object.keys(resources) as readonly GcpFeature[];

/** Returns the resource types that a feature's configurations contain. */
export function listResources(feature: GcpFeature): readonly string[] {
  return resources[feature];
}

/** Returns the services that a feature needs. */
export function listServices(feature: GcpFeature): readonly string[] {
  return ["cloudresourcemanager.googleapis.com", ...services[feature]];
}

/** Returns the permissions that a feature needs, sorted. */
export function listPermissions(feature: GcpFeature): readonly string[] {
  const built = resources[feature].flatMap((type) => resourcePermissions[type] ?? []);
  return [...new Set([...built, ...always, ...additional[feature]])].toSorted();
}
