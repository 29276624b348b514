import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../../executor/terraform/configurations.ts";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings, type TestTaskOptions } from "../../testing/test-task.ts";
import { gcpClusterBlueprint as blueprint } from "./cluster.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "gcp", simulated: true, spec: {} };
const uid = "0199aaaa-0000-7000-8000-0123456789ab";
const network = {
  network_id: "projects/shop/global/networks/main",
  private_subnet_ids: ["projects/shop/regions/europe-west1/subnetworks/main"],
  pod_range_name: "pods",
  service_range_name: "services",
  zones: ["europe-west1-c", "europe-west1-b", "europe-west1-d"],
};
const entity = (spec: JsonObject) =>
  createTestEntity("Cluster", { uid, name: "dev", labels: { team: "a" }, spec: { version: "1.34", ...spec } });
const around = (nodePools: TestTaskOptions["nodePools"] = [], outputs: JsonObject = {}) =>
  createTestSurroundings({
    parents: [{ kind: "Network", uid: "n", name: "net", spec: { region: "europe-west1" }, outputs: network }],
    nodePools,
    outputs,
  });
const observed = { address: "198.51.100.1" };
const list = (spec: JsonObject = {}, given = around(), of = account) =>
  new Map(
    blueprint.resources(entity(spec), of, { ...given, observed }).map((each) => [`${each.type}.${each.name}`, each.attributes]),
  );
const pool = (spec: JsonObject) => ({
  uid: "p",
  name: "extra",
  labels: { cost: "x" },
  spec: { min: 1, desired: 4, max: 5, ...spec },
});
const cluster = "google_container_cluster.this";
const poolType = "google_container_node_pool";

test("M120 M124 a default cluster without Terraform is private, limits its public endpoint, and has one GKE pool per zone", () => {
  const resources = list({ workers: 4 });
  expect([...resources.keys()]).toEqual([cluster, ...["b", "c", "d"].map((zone) => `${poolType}.default-${zone}`)]);
  expect(resources.get(cluster)).toEqual({
    name: "dev-456789ab",
    location: "europe-west1",
    node_locations: ["europe-west1-b", "europe-west1-c", "europe-west1-d"],
    min_master_version: "1.34",
    network: network.network_id,
    subnetwork: network.private_subnet_ids[0],
    datapath_provider: "ADVANCED_DATAPATH",
    release_channel: [{ channel: "REGULAR" }],
    ip_allocation_policy: [{ cluster_secondary_range_name: "pods", services_secondary_range_name: "services" }],
    private_cluster_config: [{ enable_private_nodes: true, enable_private_endpoint: false }],
    master_authorized_networks_config: [{ cidr_blocks: [{ cidr_block: "198.51.100.1/32" }] }],
    workload_identity_config: [{ workload_pool: "shop.svc.id.goog" }],
    resource_labels: { team: "a" },
    ready: true,
    failed: false,
  });
  const sizes = ["b", "c", "d"].map((zone) => resources.get(`${poolType}.default-${zone}`)?.["node_count"]);
  expect(sizes).toEqual([2, 1, 1]);
  expect(resources.get(`${poolType}.default-c`)).toMatchObject({
    name: expect.stringMatching(/^default-c-[0-9a-f]{6}$/) as string,
    node_locations: ["europe-west1-c"],
    autoscaling: [],
    management: [{ auto_repair: true, auto_upgrade: true }],
    node_config: [
      {
        machine_type: "e2-standard-2",
        image_type: "COS_CONTAINERD",
        spot: false,
        service_account: "default",
        oauth_scopes: expect.not.arrayContaining(["https://www.googleapis.com/auth/cloud-platform"]) as string[],
        labels: { "cloudwright.dev/pool": "default" },
        resource_labels: { team: "a" },
        shielded_instance_config: [{ enable_secure_boot: true, enable_integrity_monitoring: true }],
        workload_metadata_config: [{ mode: "GKE_METADATA" }],
      },
    ],
  });
});

test("M123 the account's project, a zonal control plane, a private endpoint and a service account for nodes are used", () => {
  const spec = {
    endpoint: { public: false },
    gcp: {
      zone: "b",
      releaseChannel: "none",
      controlPlaneCidr: "172.16.0.0/28",
      nodeServiceAccount: "nodes-1@shop.iam.gserviceaccount.com",
    },
  };
  const resources = list(spec, around(), { ...account, spec: { gcp: { projectId: "other-project" } } });
  expect([...resources.keys()]).toEqual([cluster, `${poolType}.default-b`]);
  expect(resources.get(cluster)).toMatchObject({
    location: "europe-west1-b",
    node_locations: ["europe-west1-b"],
    release_channel: [{ channel: "UNSPECIFIED" }],
    private_cluster_config: [{ enable_private_endpoint: true }],
    master_ipv4_cidr_block: "172.16.0.0/28",
    master_authorized_networks_config: [{ cidr_blocks: [] }],
    workload_identity_config: [{ workload_pool: "other-project.svc.id.goog" }],
  });
  expect(resources.get(`${poolType}.default-b`)).toMatchObject({
    management: [{ auto_upgrade: false }],
    node_config: [
      {
        service_account: "nodes-1@shop.iam.gserviceaccount.com",
        oauth_scopes: ["https://www.googleapis.com/auth/cloud-platform"],
      },
    ],
  });
  const name = (given: JsonObject) => list(given).get(`${poolType}.default-b`)?.["name"];
  expect(name(spec)).not.toBe(name({}));
});

test("M125 a pool's type, zones, taints, labels, disk, image, tags and purchase option reach its GKE pools", () => {
  const taints = [
    { key: "b", effect: "NoExecute" },
    { key: "a", value: "1", effect: "NoSchedule" },
  ];
  const spec = {
    instanceType: "n2-standard-4",
    capacity: "spot",
    diskSizeGib: 50,
    zones: ["c"],
    nodeLabels: { tier: "x" },
    taints,
    gcp: { image: "ubuntu", diskType: "pd-ssd", networkTags: ["web", "db"], secureBoot: false },
  };
  const resources = list({ workers: 1 }, around([pool(spec)]));
  expect([...resources.keys()].filter((name) => name.includes("extra"))).toEqual([`${poolType}.extra-c`]);
  expect(resources.get(`${poolType}.extra-c`)).toMatchObject({
    node_count: 4,
    node_config: [
      {
        machine_type: "n2-standard-4",
        image_type: "UBUNTU_CONTAINERD",
        disk_type: "pd-ssd",
        disk_size_gb: 50,
        spot: true,
        tags: ["db", "web"],
        labels: { tier: "x", "cloudwright.dev/pool": "extra" },
        resource_labels: { team: "a", cost: "x" },
        taint: [
          { key: "a", value: "1", effect: "NO_SCHEDULE" },
          { key: "b", value: "", effect: "NO_EXECUTE" },
        ],
        shielded_instance_config: [{ enable_secure_boot: false }],
      },
    ],
  });
});

test("M120 every setting that only the Terraform configuration implements is rejected by name, and disabling it is allowed", () => {
  const refused: readonly (readonly [JsonObject, string])[] = [
    [{ gcp: { dnsEndpoint: true } }, "spec.gcp.dnsEndpoint"],
    [{ gcp: { createKmsKey: true } }, "spec.gcp.createKmsKey"],
    [{ gcp: { nodeDiskKmsKey: "k" } }, "spec.gcp.nodeDiskKmsKey"],
    [{ gcp: { logTypes: ["system"] } }, "spec.gcp.logTypes"],
    [{ gcp: { gatewayApi: true } }, "spec.gcp.gatewayApi"],
    [{ gcp: { workloadIdentities: [{ namespace: "a" }] } }, "spec.gcp.workloadIdentities"],
    [{ gcp: { maintenanceWindow: { start: "03:00" } } }, "spec.gcp.maintenanceWindow"],
    [{ addOns: [{ name: "node-local-dns" }] }, "node-local-dns"],
  ];
  for (const [spec, name] of refused) {
    expect(() => list(spec)).toThrow(
      expect.objectContaining({ code: "deployer.not_supported", message: expect.stringContaining(name) as string }),
    );
  }
  for (const gcp of [
    { accelerator: "nvidia-l4", acceleratorCount: 1 },
    { maxPods: 32 },
    { maxSurge: 2 },
    { maxUnavailable: 1 },
  ]) {
    expect(() => list({}, around([pool({ gcp })]))).toThrow(
      expect.objectContaining({ message: expect.stringContaining('node pool "extra"') as string }),
    );
  }
  expect(() => list({ networking: { podCidr: "10.96.0.0/16" } })).toThrow(expect.objectContaining({ code: "deployer.bad_spec" }));
  const allowed = { gcp: { gatewayApi: false }, addOns: [{ name: "node-local-dns", disabled: true }] };
  expect(list(allowed).size).toBe(4);
});

const attributes: Record<string, JsonObject> = {
  [cluster]: {
    id: "projects/shop/locations/europe-west1/clusters/dev-1",
    name: "dev-1",
    endpoint: "https://e",
    master_version: "1.34.3-gke.100",
    min_master_version: "1.34",
    workload_identity_config: [{ workload_pool: "shop.svc.id.goog" }],
    master_authorized_networks_config: [{ cidr_blocks: [{ cidr_block: "198.51.100.1/32" }] }],
  },
  [`${poolType}.default-b`]: { node_count: 1 },
  [`${poolType}.default-c`]: { node_count: 1 },
};
const readOutputs = (spec: JsonObject = {}, given = around()) =>
  blueprint.outputs((address) => attributes[address] ?? {}, entity(spec), given);

test("M072 the outputs have the names of the Terraform configuration's outputs, so that whatever uses a cluster works for both", () => {
  const text = readFileSync(join(ownConfigurations, "kubernetes/gcp/v1.1.0/outputs.tf"), "utf8");
  const declared = [...text.matchAll(/^output "(\w+)"/gm)].map(([, name]) => name ?? "");
  const outputs = readOutputs();
  expect(Object.keys(outputs).toSorted()).toEqual(declared.toSorted());
  expect(outputs).toMatchObject({
    cluster_name: "dev-1",
    cluster_id: "projects/shop/locations/europe-west1/clusters/dev-1",
    project: "shop",
    location: "europe-west1",
    version: "1.34",
    upgraded_by_cloud: true,
    ready_nodes: 2,
    node_group_names: ["default"],
  });

  // Running on an agent with a different address does not change who can reach the cluster.
  const later = { ...around([], outputs), observed: { address: "203.0.113.9" } };
  const [found] = blueprint.resources(entity({}), account, later);
  expect(found?.attributes).toMatchObject({
    name: "dev-1",
    master_authorized_networks_config: [{ cidr_blocks: [{ cidr_block: "198.51.100.1/32" }] }],
  });
});

test("M034 versions are requested for new clusters and for upgrades only, because GKE upgrades clusters itself", () => {
  const built = around([], readOutputs());
  const versions = (version: string, given = built) => {
    const resources = list({ version }, given);
    return [resources.get(cluster)?.["min_master_version"], resources.get(`${poolType}.default-b`)?.["version"]];
  };
  expect(versions("1.34", around())).toEqual(["1.34", undefined]);
  expect(versions("1.34")).toEqual([undefined, undefined]);
  expect(versions("1.35")).toEqual(["1.35", "1.35"]);
  // GKE has already upgraded the cluster beyond the version in the spec.
  expect(versions("1.33")).toEqual([undefined, undefined]);
});

test("M042 X033 an autoscaler's size and a change by GKE itself are no drift, other sizes are", () => {
  const scaled = pool({ autoscaling: true });
  const given = around([scaled]);
  const of = (name: string) => ({ resourceType: poolType, address: `${poolType}.${name}` });
  expect(blueprint.isChangedByOthers?.(of("extra-b"), ["node_count"], given)).toBe(true);
  expect(blueprint.isChangedByOthers?.(of("default-b"), ["node_count"], given)).toBe(false);
  expect(blueprint.isChangedByOthers?.(of("extra-b"), ["node_config", 0, "spot"], given)).toBe(false);
  expect(blueprint.isChangedByOthers?.(of("default-b"), ["version"], given)).toBe(true);
  expect(blueprint.isChangedByOthers?.({ resourceType: "google_container_cluster", address: cluster }, ["ready"], given)).toBe(
    true,
  );
  // A new pool starts with the desired size. Later, the autoscaler controls the size.
  expect(list({}, given).get(`${poolType}.extra-b`)).toMatchObject({ node_count: 2, autoscaling: [{ max_node_count: 2 }] });
  const later = list({}, around([scaled], readOutputs({}, given))).get(`${poolType}.extra-b`);
  expect(later).not.toHaveProperty("node_count");
});

test("M120 a preview names the platform's pool and the zone of each GKE pool", () => {
  const [change] = [{ node_count: 2 }].map((after) => ({
    address: `${poolType}.my-pool-b`,
    mode: "managed" as const,
    resourceType: poolType,
    name: "my-pool-b",
    action: "create" as const,
    replacePaths: [],
    before: null,
    after,
    changedPaths: [],
  }));
  expect(change && blueprint.describeChange?.(change)).toEqual([
    { part: "nodes", name: "my-pool/b", action: "create", message: "2 nodes" },
  ]);
});
