import { expect, test } from "vitest";
import { changeConditions } from "../cloud/conditions.ts";
import { createMemoryInventory } from "../inventory/memory-inventory.ts";
import type { Problem } from "../provider/definition.ts";
import { callProvider } from "../testing/call-provider.ts";
import type { ValueMap } from "../values/value.ts";
import { textOf } from "../values/read-value.ts";
import { iamResources } from "./iam/accounts.ts";
import { gcpProvider } from "./provider.ts";

const region = "europe-west1";
const network = "projects/acme-1/global/networks/main";
const subnet = `projects/acme-1/regions/${region}/subnetworks/main`;

async function open() {
  const inventory = createMemoryInventory();
  const common = { project: "acme-1", name: "main" };
  await inventory.put("a", { type: "google_compute_network", id: network, attributes: { ...common, id: network } });
  const ranges = [
    { range_name: "pods", ip_cidr_range: "10.0.128.0/21" },
    { range_name: "services", ip_cidr_range: "10.0.64.0/20" },
  ];
  const attributes = { ...common, id: subnet, region, network, ip_cidr_range: "10.0.0.0/20", secondary_ip_range: ranges };
  await inventory.put("a", { type: "google_compute_subnetwork", id: subnet, attributes });
  return callProvider(gcpProvider, { config: { project: "acme-1", region }, inventory });
}

const cluster = (change: ValueMap = {}): ValueMap => ({
  name: "dev",
  location: region,
  network,
  subnetwork: subnet,
  remove_default_node_pool: true,
  initial_node_count: 1,
  deletion_protection: false,
  ip_allocation_policy: [{ cluster_secondary_range_name: "pods", services_secondary_range_name: "services" }],
  ...change,
});
const pool = (change: ValueMap = {}): ValueMap => ({
  name: "workers",
  cluster: "dev",
  location: region,
  node_locations: ["europe-west1-b"],
  node_count: 1,
  node_config: [{ machine_type: "e2-standard-2" }],
  ...change,
});

test("M120 simulated GKE gives a cluster the version, addresses and names of real clusters", async () => {
  const gcp = await open();
  const { state } = await gcp.create("google_container_cluster", cluster({ min_master_version: "1.33" }));
  expect(state).toMatchObject({
    id: `projects/acme-1/locations/${region}/clusters/dev`,
    self_link: `https://www.googleapis.com/container/v1/projects/acme-1/locations/${region}/clusters/dev`,
    master_version: "1.33.6-gke.1000000",
    cluster_ipv4_cidr: "10.0.128.0/21",
    services_ipv4_cidr: "10.0.64.0/20",
    endpoint: expect.stringMatching(/^34\.76\.\d+\.\d+$/),
  });
  const { state: workers } = await gcp.create("google_container_node_pool", pool());
  expect(workers).toMatchObject({
    version: "1.33.6-gke.1000000",
    instance_group_urls: [
      expect.stringMatching(/\/zones\/europe-west1-b\/instanceGroupManagers\/gke-dev-workers-[0-9a-f]{8}-grp$/),
    ],
  });
  expect((await gcp.remove("google_compute_subnetwork", { id: subnet })).said.join()).toContain("resourceInUseByAnotherResource");
});

test.each<[string, ValueMap, string]>([
  ["a missing network", { network: "projects/acme-1/global/networks/other" }, "notFound"],
  ["a missing pod range", { ip_allocation_policy: [{ cluster_secondary_range_name: "x" }] }, 'secondary range "x" not found'],
  ["an unknown location", { location: "mars-west1" }, 'Location "mars-west1" does not exist'],
  ["nodes in another region", { node_locations: ["us-central1-a"] }, "is not in region"],
  ["a version that is not offered", { min_master_version: "1.99" }, "No valid versions with the prefix"],
  ["a range that is taken", { private_cluster_config: [{ master_ipv4_cidr_block: "10.0.0.16/28" }] }, "conflicts with the range"],
  [
    "a missing key",
    { database_encryption: [{ state: "ENCRYPTED", key_name: `projects/acme-1/locations/${region}/keyRings/r/cryptoKeys/k` }] },
    "does not exist",
  ],
  [
    "a missing service account",
    { node_config: [{ service_account: "gone-nodes@acme-1.iam.gserviceaccount.com" }] },
    "does not exist",
  ],
])("M120 simulated GKE refuses a cluster with %s", async (_what, change, said) => {
  const gcp = await open();
  expect((await gcp.create("google_container_cluster", cluster(change))).said.join()).toContain(said);
});

test.each<[string, ValueMap, string]>([
  ["a missing cluster", { cluster: "other" }, "Error 404: Not found"],
  ["an unknown machine type", { node_config: [{ machine_type: "t3.medium" }] }, "does not exist in zone"],
  [
    "a machine type that one of its zones lacks",
    { node_locations: ["europe-west1-b", "europe-west1-c"], node_config: [{ machine_type: "g2-standard-4" }] },
    "'g2-standard-4' does not exist in zone 'europe-west1-c'",
  ],
  ["a version above its cluster's", { version: "1.35.1-gke.1000000" }, "must not be greater than master version"],
  ["more pods than addresses", { node_count: 9 }, "IP_SPACE_EXHAUSTED"],
  ["a minimum above its maximum", { autoscaling: [{ min_node_count: 3, max_node_count: 2 }] }, "is greater than"],
  [
    "GPUs that its machines cannot have",
    { node_config: [{ machine_type: "e2-standard-2", guest_accelerator: [{ type: "nvidia-l4", count: 1 }] }] },
    "does not support accelerators",
  ],
  [
    "more GPUs than its machines have",
    { node_config: [{ machine_type: "g2-standard-4", guest_accelerator: [{ type: "nvidia-l4", count: 2 }] }] },
    "Invalid accelerator count",
  ],
  [
    "a number of GPUs that cannot be attached",
    { node_config: [{ machine_type: "n1-standard-4", guest_accelerator: [{ type: "nvidia-tesla-t4", count: 3 }] }] },
    "Invalid accelerator count",
  ],
  [
    "a disk that is too small",
    { node_config: [{ machine_type: "e2-standard-2", disk_size_gb: 9 }] },
    "between 10 GB and 65536 GB",
  ],
])("M124 simulated GKE refuses a node pool with %s", async (_what, change, said) => {
  const gcp = await open();
  await gcp.create("google_container_cluster", cluster({ min_master_version: "1.34" }));
  expect((await gcp.create("google_container_node_pool", pool(change))).said.join()).toContain(said);
});

test("M138 simulated GKE upgrades one minor version at a time, and never downgrades", async () => {
  const gcp = await open();
  const made = (await gcp.create("google_container_cluster", cluster({ min_master_version: "1.32" }))).state ?? {};
  const skipped = await gcp.update("google_container_cluster", made, cluster({ min_master_version: "1.34" }));
  expect(skipped.said.join()).toContain("more than one minor version at a time");
  const next = (await gcp.update("google_container_cluster", made, cluster({ min_master_version: "1.33" }))).state ?? {};
  expect(next["master_version"]).toBe("1.33.6-gke.1000000");
  const back = await gcp.update("google_container_cluster", next, cluster({ min_master_version: "1.32" }));
  expect(back.state?.["master_version"]).toBe("1.33.6-gke.1000000");
});

test("M020 an exhausted CPU quota is reported with the numbers", async () => {
  const gcp = await open();
  await gcp.create("google_container_cluster", cluster());
  await changeConditions(gcp.inventory, "a", { quotas: { "vcpus-per-region": 3 } });
  expect((await gcp.create("google_container_node_pool", pool())).said).toEqual([]);
  const more = await gcp.create("google_container_node_pool", pool({ name: "more" }));
  expect(more.said.join()).toContain(`resource "CPUS": request requires '4.0' and is short '1.0'`);
});

test("M123 keys and key rings remain after their deletion, and their names remain taken", async () => {
  const gcp = await open();
  const ring = (await gcp.create("google_kms_key_ring", { name: "r", location: region })).state ?? {};
  const wanted = { name: "k", key_ring: textOf(ring["id"]), labels: { cloudwright_entity: "e" } };
  const key = (await gcp.create("google_kms_crypto_key", wanted)).state ?? {};
  await gcp.remove("google_kms_crypto_key", key);
  await gcp.remove("google_kms_key_ring", ring);
  const kept = await gcp.inventory.find("a", { type: "google_kms_crypto_key", id: textOf(key["id"]) });
  expect(kept?.attributes).toMatchObject({ labels: {}, primary: [{ state: "DESTROYED" }] });
  expect((await gcp.create("google_kms_key_ring", { name: "r", location: region })).said.join()).toContain("alreadyExists");
});

test("M126 the simulated provider rejects a service account whose id is too short, as the real provider does", () => {
  const check = (email: string): readonly Problem[] | undefined =>
    iamResources["google_service_account_iam_member"]?.validate?.({ service_account_id: `projects/-/serviceAccounts/${email}` });
  expect(check("web@acme-1.iam.gserviceaccount.com")?.[0]?.summary).toContain("doesn't match regexp");
  for (const email of ["website@acme-1.iam.gserviceaccount.com", "123-compute@developer.gserviceaccount.com"])
    expect(check(email)).toEqual([]);
});

test("M126 a binding can be granted twice, and a member must exist", async () => {
  const gcp = await open();
  const account = (await gcp.create("google_service_account", { account_id: "nodes-1" })).state ?? {};
  const grant = { project: "acme-1", role: "roles/logging.logWriter", member: textOf(account["member"]) };
  expect((await gcp.create("google_project_iam_member", grant)).said).toEqual([]);
  expect((await gcp.create("google_project_iam_member", grant)).said).toEqual([]);
  const gone = { ...grant, member: "serviceAccount:gone-nodes@acme-1.iam.gserviceaccount.com" };
  expect((await gcp.create("google_project_iam_member", gone)).said.join()).toContain("does not exist");
  expect((await gcp.create("google_project_iam_member", { ...grant, role: "owner" })).said.join()).toContain("is not supported");
});
