import { join } from "node:path";
import type { Inventory } from "../../inventory/inventory.ts";
import { infra, openConfiguration, type OpenConfiguration } from "../../testing/open-configuration.ts";

/** The region of the cluster and its network. */
export const region = "europe-west1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const network = "projects/acme-1/global/networks/main";
const subnet = `projects/acme-1/regions/${region}/subnetworks/main`;

/** Opens a version of the cluster configuration. */
export function openClusters(inventory: Inventory, version = "v1.1.0"): Promise<OpenConfiguration> {
  return openConfiguration(join(infra, "kubernetes/gcp", version), inventory);
}

/** Creates the network directly in the inventory, because the network configuration has its own test. */
export async function addNetwork(inventory: Inventory): Promise<void> {
  const common = { project: "acme-1", name: "main" };
  await inventory.put("a", { type: "google_compute_network", id: network, attributes: { ...common, id: network } });
  const ranges = [
    { range_name: "pods", ip_cidr_range: "10.0.128.0/17" },
    { range_name: "services", ip_cidr_range: "10.0.64.0/20" },
  ];
  const attributes = { ...common, id: subnet, region, network, ip_cidr_range: "10.0.0.0/20", secondary_ip_range: ranges };
  await inventory.put("a", { type: "google_compute_subnetwork", id: subnet, attributes });
}

/** Returns one node pool for the `node_pools` variable. */
export const pool = (desired: number, more: object = {}): object => ({
  machine_type: "e2-standard-2",
  min: 1,
  desired,
  max: 5,
  ...more,
});
/** Returns the variables of a cluster. */
export const cluster = (change: object = {}): object => ({
  project: "acme-1",
  cluster_name: "dev",
  region,
  zones: ["europe-west1-b", "europe-west1-c", "europe-west1-d"],
  cluster_version: "1.33",
  network_id: network,
  subnet_id: subnet,
  node_pools: { default: pool(2) },
  owner,
  ...change,
});
