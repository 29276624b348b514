import { listPathNames, renderPath } from "../cloud/render-path.ts";
import type { HookContext, ResourceHooks } from "../provider/definition.ts";
import { listBlanks, mergeValues } from "../schema/blank-values.ts";
import type { ProviderSchema } from "../schema/schema.ts";
import { isMap, type ValueMap } from "../values/value.ts";
import { known, placeOf } from "./place.ts";
import { offeredVersions } from "./versions.ts";

interface GcpType {
  /** Template of the resource id. A change to any attribute in the template replaces the resource. */
  readonly path: string;
  readonly forceNew?: readonly string[];
  /** Creation time in simulated seconds. */
  readonly takes?: number;
}

const compute = "projects/{project}";
const types: Readonly<Record<string, GcpType>> = {
  google_compute_address: { path: `${compute}/regions/{region}/addresses/{name}`, forceNew: ["address_type", "subnetwork"] },
  google_compute_attached_disk: { path: `${compute}/zones/{zone}/instances/{instance}/{disk}` },
  google_compute_disk: { path: `${compute}/zones/{zone}/disks/{name}`, forceNew: ["type", "image", "snapshot"], takes: 5 },
  google_compute_firewall: { path: `${compute}/global/firewalls/{name}`, forceNew: ["network", "direction"] },
  google_compute_global_address: { path: `${compute}/global/addresses/{name}`, forceNew: ["network", "purpose"] },
  google_compute_instance: { path: `${compute}/zones/{zone}/instances/{name}`, forceNew: ["boot_disk"], takes: 20 },
  google_compute_network: { path: `${compute}/global/networks/{name}`, forceNew: ["auto_create_subnetworks"], takes: 20 },
  google_compute_router: { path: `${compute}/regions/{region}/routers/{name}`, forceNew: ["network"], takes: 10 },
  google_compute_router_nat: { path: "{project}/{region}/{router}/{name}", takes: 10 },
  google_compute_subnetwork: {
    path: `${compute}/regions/{region}/subnetworks/{name}`,
    forceNew: ["network", "purpose"],
    takes: 20,
  },
  google_container_cluster: {
    path: `${compute}/locations/{location}/clusters/{name}`,
    forceNew: ["network", "subnetwork", "cluster_ipv4_cidr", "networking_mode"],
    takes: 420,
  },
  google_container_node_pool: {
    path: `${compute}/locations/{location}/clusters/{cluster}/nodePools/{name}`,
    forceNew: ["initial_node_count", "node_config.machine_type", "node_config.disk_size_gb"],
    takes: 90,
  },
  google_filestore_instance: { path: `${compute}/locations/{location}/instances/{name}`, forceNew: ["tier"], takes: 180 },
  google_kms_crypto_key: { path: "{key_ring}/cryptoKeys/{name}" },
  google_kms_crypto_key_iam_member: { path: "{crypto_key_id}/{role}/{member}" },
  google_kms_key_ring: { path: `${compute}/locations/{location}/keyRings/{name}` },
  google_project_iam_member: { path: "{project}/{role}/{member}" },
  google_project_service: { path: "{project}/{service}", takes: 9 },
  google_service_account: { path: `${compute}/serviceAccounts/{account_id}@{project}.iam.gserviceaccount.com` },
  google_service_account_iam_member: { path: "{service_account_id}/{role}/{member}" },
  google_service_networking_connection: { path: "{network}:{service}", takes: 60 },
  google_storage_bucket: { path: "{name}", forceNew: ["location", "project"] },
  google_storage_bucket_iam_member: { path: "b/{bucket}/{role}/{member}" },
};

/** Creates the hooks of every resource type that the GCP simulator supports. */
export function createResources(schema: ProviderSchema): Readonly<Record<string, ResourceHooks>> {
  return Object.fromEntries(Object.entries(types).map(([type, special]) => [type, createHooks(type, special, schema)]));
}

function createHooks(type: string, { path, forceNew = [], takes = 2 }: GcpType, schema: ProviderSchema): ResourceHooks {
  const block = schema.resources[type]?.block;
  const names = listPathNames(path).filter((name) => block?.attributes[name] !== undefined);
  const fill = (planned: ValueMap, context: HookContext): string => renderPath(path, { ...placeOf(context), ...known(planned) });
  return {
    forceNew: [...new Set([...names, ...forceNew])],
    takesMs: { create: takes * 1000, update: takes * 500, delete: takes * 500 },
    createId: fill,
    async check({ operation, id }, context) {
      if (operation !== "create" || (await context.find({ type, id })) === undefined) return [];
      return [
        {
          summary: `Error creating ${describeType(type)}: googleapi: Error 409: The resource '${id}' already exists, alreadyExists`,
        },
      ];
    },
    compute({ id, planned }, context) {
      const place = placeOf(context);
      const labels = isMap(planned?.["labels"]) ? planned["labels"] : {};
      const usual = {
        ...place,
        location: place["region"] ?? "",
        self_link: `https://www.googleapis.com/${id.includes("/clusters/") ? "container/v1" : "compute/v1"}/${id}`,
        creation_timestamp: new Date(context.nowMs).toISOString(),
        effective_labels: { ...labels, "goog-terraform-provisioned": "true" },
        terraform_labels: { ...labels, "goog-terraform-provisioned": "true" },
        ...(type === "google_container_cluster" ? { endpoint: "203.0.113.10", master_version: offeredVersions[0] ?? "" } : {}),
        ...(type === "google_service_account"
          ? { email: id.split("/").at(-1) ?? "", name: id, member: `serviceAccount:${id.split("/").at(-1) ?? ""}` }
          : {}),
        ...(type === "google_storage_bucket" ? { url: `gs://${id}` } : {}),
      };
      return mergeValues(block === undefined ? {} : listBlanks(block, planned ?? {}), usual) as ValueMap;
    },
  };
}

function describeType(type: string): string {
  const words = type
    .split("_")
    .slice(2)
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  return words.join("");
}
