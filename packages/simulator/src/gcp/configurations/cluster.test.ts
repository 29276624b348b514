import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inventory } from "../../inventory/inventory.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { infra, openConfiguration, terraform, type OpenConfiguration } from "../../testing/open-configuration.ts";

const region = "europe-west1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const network = "projects/acme-1/global/networks/main";
const subnet = `projects/acme-1/regions/${region}/subnetworks/main`;

async function open(inventory: Inventory): Promise<OpenConfiguration> {
  const opened = await openConfiguration(join(infra, "kubernetes/gcp/v1.0.0"), inventory);
  onTestFinished(opened.close);
  return opened;
}

// Creates the network directly, because the network configuration has its own test.
async function addNetwork(inventory: Inventory): Promise<void> {
  const common = { project: "acme-1", name: "main" };
  await inventory.put("a", { type: "google_compute_network", id: network, attributes: { ...common, id: network } });
  const ranges = [
    { range_name: "pods", ip_cidr_range: "10.0.128.0/17" },
    { range_name: "services", ip_cidr_range: "10.0.64.0/20" },
  ];
  const attributes = { ...common, id: subnet, region, network, ip_cidr_range: "10.0.0.0/20", secondary_ip_range: ranges };
  await inventory.put("a", { type: "google_compute_subnetwork", id: subnet, attributes });
}

const pool = (desired: number, more: object = {}): object => ({
  machine_type: "e2-standard-2",
  min: 1,
  desired,
  max: 5,
  ...more,
});
const cluster = (change: object = {}): object => ({
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

describe.skipIf(!terraform.found)("a cluster's configuration on the simulated Google Cloud", () => {
  test("M120 M121 M123 M124 M126 the configuration creates a complete cluster, plans no further change, and deletes everything", async () => {
    const inventory = createMemoryInventory();
    await addNetwork(inventory);
    const stack = await open(inventory);
    await stack.give(
      cluster({
        zone: null,
        release_channel: "stable",
        dns_endpoint: true,
        public_access_cidrs: ["192.0.2.0/24"],
        control_plane_cidr: "172.16.0.0/28",
        create_kms_key: true,
        log_types: ["system", "apiserver"],
        monitoring: ["system", "pod"],
        managed_prometheus: true,
        gateway_api: false,
        security_group: "gke-security-groups@example.org",
        maintenance_window: { days: ["SA"], start: "23:30", duration_hours: 12 },
        workload_identities: { "apps/web": "web@acme-1.iam.gserviceaccount.com" },
        labels: { team: "a" },
        node_pools: {
          default: pool(2),
          gpus: pool(1, {
            machine_type: "g2-standard-4",
            zones: ["europe-west1-b"],
            accelerator: "nvidia-l4",
            accelerator_count: 1,
            capacity: "spot",
            autoscaling: true,
            image: "ubuntu",
            secure_boot: false,
            disk_type: "pd-ssd",
            disk_size_gib: 200,
            max_surge: 0,
            max_unavailable: 1,
            max_pods: 64,
            network_tags: ["gpu"],
            labels: { kind: "gpu" },
            resource_labels: { cost: "high" },
            taints: [
              { key: "gpu", effect: "NoSchedule" },
              { key: "team", value: "ml", effect: "NoExecute" },
            ],
          }),
        },
      }),
    );
    await stack.run("apply", "-auto-approve", "-json");
    const outputs = await stack.outputs();
    expect(outputs).toMatchObject({
      cluster_name: "dev-456789ab",
      version: "1.33",
      location: region,
      node_group_names: ["default", "gpus"],
      ready_nodes: 3,
      workload_pool: "acme-1.svc.id.goog",
      kms_key: `projects/acme-1/locations/${region}/keyRings/dev-456789ab/cryptoKeys/secrets`,
      node_service_account: "dev-n456789ab@acme-1.iam.gserviceaccount.com",
    });
    expect(await stack.plan()).toEqual({});
    await stack.run("destroy", "-auto-approve", "-json");
    // Cloud KMS never deletes keys and key rings.
    expect((await inventory.list("a")).map(({ type }) => type)).toEqual([
      "google_compute_network",
      "google_compute_subnetwork",
      "google_kms_crypto_key",
      "google_kms_key_ring",
    ]);
  });

  test("M125 M138 scaling replaces no node, and an upgrade changes the control plane and then every pool", async () => {
    const inventory = createMemoryInventory();
    await addNetwork(inventory);
    const stack = await open(inventory);
    await stack.give(cluster());
    await stack.run("apply", "-auto-approve", "-json");
    const counts = async (): Promise<unknown[]> =>
      (await inventory.list("a", "google_container_node_pool")).map(({ attributes }) => attributes["node_count"]);
    expect(await counts()).toEqual([1, 1, 0]);
    await stack.give(cluster({ node_pools: { default: pool(5) } }));
    expect(await stack.plan()).toEqual({
      'google_container_node_pool.pool["default/b"]': "update",
      'google_container_node_pool.pool["default/c"]': "update",
      'google_container_node_pool.pool["default/d"]': "update",
    });
    await stack.run("apply", "-auto-approve", "-json");
    expect(await counts()).toEqual([2, 2, 1]);
    const five = { node_pools: { default: pool(5) } };
    await stack.give(cluster({ ...five, cluster_version: "1.34", upgrades_nodes: true }));
    expect(await stack.plan()).toEqual({
      "google_container_cluster.this": "update",
      'google_container_node_pool.pool["default/b"]': "update",
      'google_container_node_pool.pool["default/c"]': "update",
      'google_container_node_pool.pool["default/d"]': "update",
    });
    await stack.run("apply", "-auto-approve", "-json");
    const { version, choices } = (await stack.outputs()) as { version: string; choices: { requested_version: string } };
    expect([version, choices.requested_version]).toEqual(["1.34", "1.34.3-gke.1000000"]);
    await stack.give(cluster({ ...five, cluster_version: "1.34", current_version: choices.requested_version }));
    expect(await stack.plan()).toEqual({});
    await stack.give(
      cluster({
        node_pools: { default: pool(5, { autoscaling: true }) },
        cluster_version: "1.34",
        current_version: choices.requested_version,
      }),
    );
    expect(Object.values(await stack.plan())).toEqual(["update", "update", "update"]);
    await stack.run("apply", "-auto-approve", "-json");
    // The autoscaler changes the number of nodes, and no plan reverts it.
    for (const record of await inventory.list("a", "google_container_node_pool")) {
      await inventory.put("a", { ...record, attributes: { ...record.attributes, node_count: 4 } });
    }
    expect(await stack.plan()).toEqual({});
  });
});
