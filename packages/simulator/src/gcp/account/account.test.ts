import { expect, test } from "vitest";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { openGcpAccount } from "./account.ts";

const entity = "0199aaaa-0000-7000-8000-0000deadbeef";
const owned = (part: string): string => `Managed by Cloudwright (cloudwright:entity=${entity} cloudwright:part=${part})`;

test("X010 the resources of an entity are found by label, by description and by reference, and those of others are not", async () => {
  const inventory = createMemoryInventory();
  const put = (type: string, id: string, attributes: Parameters<typeof inventory.put>[1]["attributes"]) =>
    inventory.put("t", { type, id, attributes });
  await put("google_compute_router", "r", { name: "main-deadbeef", description: owned("this/router"), region: "europe-west1" });
  await put("google_compute_router_nat", "r/nat", { router: "main-deadbeef", name: "nat" });
  await put("google_compute_router_nat", "other/nat", { router: "other", name: "nat" });
  await put("google_compute_address", "a", { labels: { cloudwright_entity: entity, cloudwright_part: "nat__2f0" } });
  await put("google_container_cluster", "c", { name: "c", resource_labels: { cloudwright_entity: entity } });
  await put("google_container_node_pool", "p", {
    node_config: [{ resource_labels: { cloudwright_entity: entity, cloudwright_part: "pool__2fa__2fb" } }],
  });
  const email = "main-n@simulated.iam.gserviceaccount.com";
  await put("google_service_account", "sa", { email, description: owned("nodes/made") });
  await put("google_project_iam_member", "m", { member: `serviceAccount:${email}`, role: "roles/logging.logWriter" });
  await put("google_project_iam_member", "m2", { member: "serviceAccount:other@x.iam.gserviceaccount.com", role: "r" });
  await put("google_kms_key_ring", "ring", { name: "main-deadbeef" });
  await put("google_kms_key_ring", "ring-2", { name: "main-0badcafe" });
  await put("google_compute_network", "n", { name: "default", description: "Default network for the project" });
  const { listOwned } = openGcpAccount({ inventory, tenant: "t", region: "europe-west1" });
  const found = (await listOwned?.(entity)) ?? [];
  expect(found.map(({ id }) => id).toSorted()).toEqual(["a", "c", "m", "p", "r", "r/nat", "ring", "sa"]);
  expect(found.find(({ id }) => id === "p")?.part).toBe("pool/a/b");
  expect(found.find(({ id }) => id === "r")?.part).toBe("this/router");
  expect(found.find(({ id }) => id === "m")?.names).toContain("roles/logging.logWriter");
  expect(await listOwned?.("0199aaaa-0000-7000-8000-00000badcafe")).toEqual([expect.objectContaining({ id: "ring-2" })]);
});

test("M125 the nodes of a pool are counted across its zones", async () => {
  const inventory = createMemoryInventory();
  const pool = (id: string, part: string, count: number, cluster = "dev") =>
    inventory.put("t", {
      type: "google_container_node_pool",
      id,
      attributes: {
        cluster,
        node_count: count,
        node_config: [{ machine_type: "e2-standard-4", resource_labels: { cloudwright_part: part } }],
      },
    });
  await pool("1", "pool__2fspot__2fb", 2);
  await pool("2", "pool__2fspot__2fc", 1);
  await pool("3", "pool__2fspot__2fc", 9, "other");
  const account = openGcpAccount({ inventory, tenant: "t", region: "europe-west1" });
  expect(await account.clusters.countNodes("dev")).toEqual({ spot: 3 });
  expect(await account.listMachines()).toEqual([{ vcpus: 8 }, { vcpus: 4 }, { vcpus: 36 }]);
});

test("X010 leftover resources of a simulated GKE cluster are found and removed, except those of Terraform and retained disks", async () => {
  const inventory = createMemoryInventory();
  const mine = { "goog-k8s-cluster-name": "dev" };
  const put = (type: string, id: string, attributes: Parameters<typeof inventory.put>[1]["attributes"]) =>
    inventory.put("t", { type, id, attributes });
  await put("google_compute_disk", "projects/p/zones/z/disks/one", { name: "one", labels: mine });
  await put("google_compute_disk", "projects/p/zones/z/disks/two", { name: "two", labels: mine });
  await put("google_compute_disk", "projects/p/zones/z/disks/boot", { labels: { ...mine, cloudwright_entity: entity } });
  await put("google_compute_disk", "projects/p/zones/z/disks/other", { labels: { "goog-k8s-cluster-name": "dev-2" } });
  await put("google_compute_firewall", "gke-all", { name: "gke-all", target_tags: ["gke-dev-1a2b3c4d-node"] });
  await put("google_compute_firewall", "k8s-fw-a", { name: "k8s-fw-a", target_tags: ["gke-dev-1a2b3c4d-node"] });
  await put("google_compute_firewall", "k8s-fw-b", { name: "k8s-fw-b", target_tags: ["gke-dev-2-1a2b3c4d-node"] });
  // A disk of cluster `dev-2`. Its claim is in a namespace with the same name as cluster `dev`.
  const description = JSON.stringify({ "kubernetes.io/created-for/pvc/namespace": "dev" });
  await put("google_compute_disk", "projects/p/zones/z/disks/theirs", {
    description,
    labels: { "goog-k8s-cluster-name": "dev-2" },
  });
  await put("google_compute_forwarding_rule", "a", { labels: mine });
  const { listLeftovers, removeLeftover, retainVolume } = openGcpAccount({ inventory, tenant: "t", region: "europe-west1" });
  await retainVolume("projects/p/zones/z/disks/two");
  const found = await listLeftovers("dev");
  expect(found.map(({ id }) => id)).toEqual(["a", "k8s-fw-a", "projects/p/zones/z/disks/one"]);
  for (const each of [...found, ...found]) await removeLeftover(each);
  expect(await listLeftovers("dev")).toEqual([]);
  expect((await listLeftovers("dev-2")).map(({ id }) => id)).toEqual([
    "k8s-fw-b",
    "projects/p/zones/z/disks/other",
    "projects/p/zones/z/disks/theirs",
  ]);
});
