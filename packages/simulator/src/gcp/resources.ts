import type { ResourceHooks } from "../provider/definition.ts";
import type { ProviderSchema } from "../schema/schema.ts";
import { createHooks } from "./create-hooks.ts";
import { addresses } from "./network/addresses.ts";
import { nats } from "./network/nat.ts";
import { networks } from "./network/networks.ts";
import type { GcpResources } from "./resource.ts";
import { buckets } from "./storage/buckets.ts";
import { disks } from "./storage/disks.ts";
import { offeredVersions } from "./versions.ts";

const zonal = "projects/{project}/zones/{zone}";
const located = "projects/{project}/locations/{location}";
const slow = { create: 20, update: 10, delete: 10 };

const others: GcpResources = {
  google_compute_instance: { noun: "Instance", path: `${zonal}/instances/{name}`, forceNew: ["boot_disk"], takes: slow },
  google_container_cluster: {
    noun: "Cluster",
    path: `${located}/clusters/{name}`,
    api: "container/v1",
    forceNew: ["network", "subnetwork", "cluster_ipv4_cidr", "networking_mode"],
    takes: { create: 420, update: 210, delete: 210 },
    compute: () => ({ endpoint: "203.0.113.10", master_version: offeredVersions[0] ?? "" }),
  },
  google_container_node_pool: {
    noun: "NodePool",
    path: `${located}/clusters/{cluster}/nodePools/{name}`,
    api: "container/v1",
    forceNew: ["initial_node_count", "node_config.machine_type", "node_config.disk_size_gb"],
    takes: { create: 90, update: 45, delete: 45 },
  },
  google_filestore_instance: {
    noun: "Instance",
    path: `${located}/instances/{name}`,
    api: "file/v1",
    forceNew: ["tier"],
    takes: { create: 180, update: 90, delete: 90 },
  },
  google_kms_crypto_key: { noun: "CryptoKey", path: "{key_ring}/cryptoKeys/{name}", api: "cloudkms/v1" },
  google_kms_crypto_key_iam_member: { noun: "CryptoKeyIamMember", path: "{crypto_key_id}/{role}/{member}", api: "cloudkms/v1" },
  google_kms_key_ring: { noun: "KeyRing", path: `${located}/keyRings/{name}`, api: "cloudkms/v1" },
  google_project_iam_member: { noun: "ProjectIamMember", path: "{project}/{role}/{member}", api: "cloudresourcemanager/v1" },
  google_project_service: {
    noun: "Service",
    path: "{project}/{service}",
    api: "serviceusage/v1",
    takes: { create: 9, delete: 2 },
  },
  google_service_account: {
    noun: "ServiceAccount",
    path: "projects/{project}/serviceAccounts/{account_id}@{project}.iam.gserviceaccount.com",
    api: "iam/v1",
    compute: ({ id }) => {
      const email = id.split("/").at(-1) ?? "";
      return { email, name: id, member: `serviceAccount:${email}` };
    },
  },
  google_service_account_iam_member: {
    noun: "ServiceAccountIamMember",
    path: "{service_account_id}/{role}/{member}",
    api: "iam/v1",
  },
  google_service_networking_connection: {
    noun: "Connection",
    path: "{network}:{service}",
    api: "servicenetworking/v1",
    takes: { create: 60, update: 30, delete: 30 },
  },
};

/** Creates the hooks of every resource type that the GCP simulator supports. */
export function createResources(schema: ProviderSchema): Readonly<Record<string, ResourceHooks>> {
  const resources: GcpResources = { ...others, ...networks, ...nats, ...addresses, ...disks, ...buckets };
  return Object.fromEntries(
    Object.entries(schema.resources).flatMap(([type, one]) =>
      resources[type] === undefined ? [] : [[type, createHooks(type, resources, one)] as const],
    ),
  );
}
