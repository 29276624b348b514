import { expect, test } from "vitest";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { createClusterCloud, getContents, listClusters } from "../../managed-kubernetes.ts";
import { createLeftovers } from "../account/leftovers.ts";

const id = "projects/acme-1/locations/europe-west1/clusters/dev";

async function openCluster(count: number) {
  const inventory = createMemoryInventory();
  const attributes = {
    name: "dev",
    location: "europe-west1",
    network: "projects/acme-1/global/networks/main",
    node_locations: ["europe-west1-b", "europe-west1-c"],
    master_version: "1.34.3-gke.1000000",
  };
  await inventory.put("a", { type: "google_container_cluster", id, attributes });
  const pool = {
    name: "workers-b-1a2b3c",
    cluster: "dev",
    location: "europe-west1",
    node_locations: ["europe-west1-c"],
    node_count: count,
    version: "1.33.6-gke.1000000",
    node_config: [
      {
        machine_type: "t2a-standard-4",
        image_type: "COS_CONTAINERD",
        disk_type: "pd-ssd",
        spot: true,
        labels: { team: "a" },
        taint: [{ key: "k", value: "", effect: "NO_EXECUTE" }],
      },
    ],
  };
  await inventory.put("a", { type: "google_container_node_pool", id: `${id}/nodePools/${pool.name}`, attributes: pool });
  return inventory;
}

test("M124 the nodes of a GKE cluster are named and labelled as in GKE, and scaling replaces none", async () => {
  const [small] = await listClusters(await openCluster(2), "a");
  const [large] = await listClusters(await openCluster(3), "a");
  expect(small).toMatchObject({ name: "dev", region: "europe-west1", version: "v1.34.3-gke.1000000" });
  expect(large?.nodes.slice(0, 2)).toEqual(small?.nodes);
  expect(new Set(large?.nodes.map(({ name }) => name)).size).toBe(3);
  expect(small?.nodes[0]).toMatchObject({
    name: expect.stringMatching(/^gke-dev-workers-b-1a2b3-[0-9a-f]{8}-[0-9a-z]{4}$/),
    providerId: expect.stringMatching(/^gce:\/\/acme-1\/europe-west1-c\/gke-dev-/),
    instanceType: "t2a-standard-4",
    cpu: 4,
    memoryGiB: 16,
    version: "v1.33.6-gke.1000000",
    labels: {
      team: "a",
      "cloud.google.com/gke-nodepool": "workers-b-1a2b3c",
      "cloud.google.com/gke-spot": "true",
      "kubernetes.io/arch": "arm64",
      "topology.gke.io/zone": "europe-west1-c",
    },
    taints: [
      { key: "k", value: "", effect: "NoExecute" },
      { key: "kubernetes.io/arch", value: "arm64", effect: "NoSchedule" },
    ],
  });
});

test("M130 a GKE cluster starts with GKE's workloads and storage classes", () => {
  const { workloads, storageClasses } = getContents("gcp");
  expect(workloads.map(({ name }) => name)).toEqual(expect.arrayContaining(["anetd", "kube-dns", "pdcsi-node"]));
  expect(storageClasses.filter(({ isDefault }) => isDefault).map(({ name }) => name)).toEqual(["standard-rwo"]);
});

test("M130 the Gateway API of a GKE cluster follows the cluster's setting", async () => {
  const inventory = await openCluster(0);
  const cloud = createClusterCloud({ inventory }, async () => ({ tenant: "a", name: "dev", cloud: "gcp" }));
  const [record] = await inventory.list("a", "google_container_cluster");
  const set = (channel: string) =>
    inventory.put("a", {
      type: "google_container_cluster",
      id,
      attributes: { ...record?.attributes, gateway_api_config: [{ channel }] },
    });
  expect(await cloud.hasGateways?.("id")).toBe(false);
  await set("CHANNEL_STANDARD");
  expect(await cloud.hasGateways?.("id")).toBe(true);
  await set("CHANNEL_DISABLED");
  expect(await cloud.hasGateways?.("id")).toBe(false);
});

test("M032 load balancers and disks that a GKE cluster created are leftovers until they are removed", async () => {
  const inventory = await openCluster(0);
  const cloud = createClusterCloud({ inventory }, async () => ({ tenant: "a", name: "dev", cloud: "gcp" }));
  const uid = "0199aaaa-0000-7000-8000-0123456789ab";
  const first = await cloud.createLoadBalancer("id", { uid });
  expect(await cloud.createLoadBalancer("id", { uid })).toEqual(first);
  expect(first.ip).toMatch(/^34\.140\.\d+\.\d+$/);
  const claim = { uid, namespace: "default", name: "data", sizeGiB: 20, zone: "europe-west1-c", parameters: {} };
  const { volumeId } = await cloud.createVolume("id", claim);
  expect((await cloud.createVolume("id", claim)).volumeId).toBe(volumeId);
  await cloud.resizeVolume("id", volumeId, 30);
  expect((await inventory.find("a", { type: "google_compute_disk", id: volumeId }))?.attributes["size"]).toBe(30);
  for (const type of ["google_container_cluster", "google_container_node_pool"]) {
    for (const record of await inventory.list("a", type)) await inventory.delete("a", { type, id: record.id });
  }
  const leftovers = createLeftovers(inventory, "a");
  expect((await leftovers.listLeftovers("dev")).map(({ type }) => type)).toEqual([
    "google_compute_forwarding_rule",
    "google_compute_target_pool",
    "google_compute_firewall",
    "google_compute_disk",
  ]);
  await cloud.deleteLoadBalancer("id", uid);
  await cloud.deleteVolume("id", volumeId);
  expect(await inventory.list("a")).toEqual([]);
});
