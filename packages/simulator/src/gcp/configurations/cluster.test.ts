import { describe, expect, onTestFinished, test } from "vitest";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { terraform } from "../../testing/open-configuration.ts";
import { addNetwork, cluster, openClusters, pool, region } from "./cluster-fixture.ts";

describe.skipIf(!terraform.found)("a cluster's configuration on the simulated Google Cloud", () => {
  test("M120 M121 M123 M124 M126 the configuration creates a complete cluster, plans no further change, and deletes everything", async () => {
    const inventory = createMemoryInventory();
    await addNetwork(inventory);
    const stack = await openClusters(inventory);
    onTestFinished(stack.close);
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
        workload_identities: { "apps/web": "website@acme-1.iam.gserviceaccount.com" },
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
    // Cloud KMS never deletes keys or key rings.
    expect((await inventory.list("a")).map(({ type }) => type)).toEqual([
      "google_compute_network",
      "google_compute_subnetwork",
      "google_kms_crypto_key",
      "google_kms_key_ring",
    ]);
  });
});
