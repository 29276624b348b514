import { createWarmDirectories, type JsonObject } from "@cloudwright/deployer";
import { createTestTask } from "@cloudwright/deployer/testing";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderGoldenPlan } from "../testing/golden-plan.ts";
import { gkeNetwork, gkeParents } from "../testing/rich-specs-gke.ts";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

const pool = (name: string, spec: JsonObject) => ({ uid: name, name, spec });

/** Typical specs. Their plans are in `golden` and are reviewed like code. */
const requests: Readonly<Record<string, { spec: JsonObject; nodePools?: ReturnType<typeof pool>[] }>> = {
  small: { spec: { version: "1.34" } },
  "private-zonal-with-key": {
    spec: {
      version: "1.34",
      workers: 3,
      instanceType: "n2-standard-4",
      endpoint: { public: false },
      gcp: {
        zone: "c",
        releaseChannel: "none",
        createKmsKey: true,
        controlPlaneCidr: "172.16.0.0/28",
        logTypes: ["none"],
        gatewayApi: false,
        workloadIdentities: [
          { namespace: "apps", serviceAccount: "web", googleServiceAccount: "website@acme-1.iam.gserviceaccount.com" },
        ],
      },
    },
  },
  "spot-and-gpus": {
    spec: { version: "1.33", workers: 4, endpoint: { public: true, publicCidrs: ["192.0.2.0/24"] } },
    nodePools: [
      pool("spot", { min: 0, desired: 1, max: 4, autoscaling: true, capacity: "spot", nodeLabels: { spot: "true" } }),
      pool("gpus", {
        desired: 1,
        max: 1,
        zones: ["b"],
        instanceType: "g2-standard-4",
        taints: [{ key: "gpu", effect: "NoSchedule" }],
        gcp: { accelerator: "nvidia-l4", acceleratorCount: 1, maxSurge: 0, maxUnavailable: 1 },
      }),
    ],
  },
};

// The attributes of each resource type that a reviewer needs to see. Attributes known only after the apply are omitted.
const shown: Readonly<Record<string, readonly string[]>> = {
  google_container_cluster: [
    "name",
    "location",
    "node_locations",
    "min_master_version",
    "release_channel",
    "network",
    "subnetwork",
    "ip_allocation_policy",
    "private_cluster_config",
    "master_authorized_networks_config",
    "control_plane_endpoints_config",
    "datapath_provider",
    "enable_shielded_nodes",
    "database_encryption",
    "logging_config",
    "monitoring_config",
    "gateway_api_config",
    "security_posture_config",
    "rbac_binding_config",
    "resource_labels",
  ],
  google_container_node_pool: [
    "name",
    "version",
    "node_count",
    "initial_node_count",
    "node_locations",
    "autoscaling",
    "management",
    "upgrade_settings",
    "node_config",
  ],
  google_service_account: ["account_id", "description"],
  google_project_iam_member: ["role"],
  google_service_account_iam_member: ["service_account_id", "role", "member"],
  google_kms_key_ring: ["name", "location"],
  google_kms_crypto_key: ["name", "rotation_period", "labels"],
  google_kms_crypto_key_iam_member: ["role", "member"],
};

describe.skipIf(!terraform.found)("golden plans of clusters in Google Cloud", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  test.each(Object.entries(requests))("M034 M120 M124 M136 the GKE cluster %s is planned as reviewed", async (name, request) => {
    const account = { uid: `account-of-${name}`, cloud: "gcp" };
    const entityUid = "0199aaaa-0000-7000-8000-0123456789ab";
    for (const record of gkeNetwork) await platform.inventory.put(account.uid, record);
    const deployer = platform.createDeployer({ warm: createWarmDirectories({ directory: join(platform.directory, "warm") }) });
    const task = createTestTask("cluster.plan", {
      uid: `plan-of-${name}`,
      entityUid,
      kind: "Cluster",
      name: "shop",
      account,
      parents: gkeParents,
      ...request,
      spawn: platform.spawn,
      directory: mkdtempSync(join(platform.directory, "task-")),
      openState: async () => platform.endpoint.access(entityUid),
    });
    await deployer.handle(task);
    const stored = platform.endpoint.plans.get(`plan-of-${name}`);
    if (stored === undefined) throw new Error("the plan was not stored");
    await expect(renderGoldenPlan(stored, shown)).toMatchFileSnapshot(
      join(import.meta.dirname, "golden", `gke-cluster-${name}.json`),
    );
  });
});
