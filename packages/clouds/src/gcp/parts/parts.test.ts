import { Secret } from "@cloudwright/platform";
import type { JsonObject } from "@cloudwright/platform/json";
import { createMemoryInventory } from "@cloudwright/simulator";
import { startApiHost } from "@cloudwright/simulator/testing";
import { expect, test } from "vitest";
import type { CloudPart } from "../../library/parts.ts";
import { shortWaits } from "../../testing/library-contract.ts";
import { describeCloudPart, type PartFixture } from "../../testing/part-contract.ts";
import { fakeProject, startFakeGoogle, type FakeGoogle } from "../testing/fake-google.ts";
import { createGcpParts } from "./parts.ts";

const suffix = (uid: string): string => uid.slice(-8);
const zones = ["us-central1-a", "us-central1-b"];

const cluster = (uid: string): JsonObject => ({
  name: `c-${suffix(uid)}`,
  location: "us-central1",
  node_locations: zones,
  min_master_version: "1.29",
  network: "projects/my-project/global/networks/main",
  subnetwork: "projects/my-project/regions/us-central1/subnetworks/main",
  datapath_provider: "ADVANCED_DATAPATH",
  release_channel: [{ channel: "REGULAR" }],
  ip_allocation_policy: [{ cluster_secondary_range_name: "pods", services_secondary_range_name: "services" }],
  private_cluster_config: [{ enable_private_nodes: true, enable_private_endpoint: false }],
  master_ipv4_cidr_block: "172.16.0.0/28",
  master_authorized_networks_config: [{ cidr_blocks: [{ cidr_block: "203.0.113.0/24" }] }],
  workload_identity_config: [{ workload_pool: "my-project.svc.id.goog" }],
  resource_labels: { team: "a" },
  ready: true,
  failed: false,
});

const nodeConfig = (change: JsonObject = {}): JsonObject => ({
  machine_type: "e2-standard-4",
  image_type: "COS_CONTAINERD",
  disk_type: "pd-balanced",
  disk_size_gb: 50,
  spot: false,
  service_account: "default",
  oauth_scopes: ["https://www.googleapis.com/auth/logging.write", "https://www.googleapis.com/auth/monitoring"],
  tags: ["nodes"],
  shielded_instance_config: [{ enable_secure_boot: true, enable_integrity_monitoring: true }],
  workload_metadata_config: [{ mode: "GKE_METADATA" }],
  labels: { tier: "a" },
  resource_labels: { team: "a" },
  taint: [{ key: "dedicated", value: "db", effect: "NO_SCHEDULE" }],
  ...change,
});

const pool = (uid: string): JsonObject => ({
  cluster: "host",
  location: "us-central1",
  name: `p-${suffix(uid)}`,
  node_locations: zones,
  node_count: 1,
  autoscaling: [],
  version: "1.29",
  management: [{ auto_repair: true, auto_upgrade: true }],
  node_config: [nodeConfig()],
  ready: true,
  failed: false,
});

const key = "projects/my-project/locations/us-central1/keyRings/ring/cryptoKeys/disks";
const scope = "https://www.googleapis.com/auth/cloud-platform";

const instance = (uid: string): JsonObject => ({
  name: `vm-${suffix(uid)}`,
  zone: "us-central1-a",
  machine_type: "e2-small",
  boot_disk: [{ image: "ubuntu-24.04", size: 20, kms_key_self_link: key }],
  network_interface: [{ subnetwork: "projects/my-project/regions/us-central1/subnetworks/main", has_public_address: false }],
  service_account: [{ email: "vm@other-project.iam.gserviceaccount.com", scopes: [scope] }],
  shielded_instance_config: [{ enable_secure_boot: true, enable_vtpm: true, enable_integrity_monitoring: true }],
  metadata: { "user-data": "#cloud-config\n" },
  tags: ["web"],
  labels: { team: "a" },
  desired_status: "RUNNING",
  ready: true,
  failed: false,
});

const firewall = (uid: string): JsonObject => ({
  name: `fw-${suffix(uid)}`,
  network: "projects/my-project/global/networks/main",
  direction: "INGRESS",
  priority: 800,
  source_ranges: ["10.0.0.0/8", "192.0.2.1/32"],
  source_tags: ["ops"],
  destination_ranges: [],
  target_tags: ["web"],
  allow: [{ protocol: "tcp", ports: ["22", "8000-8080"] }],
  deny: [],
  disabled: false,
  ready: true,
  failed: false,
});

const disk = (uid: string): JsonObject => ({
  name: `disk-${suffix(uid)}`,
  zone: "us-central1-a",
  type: "pd-balanced",
  size: 20,
  labels: { team: "a" },
  ready: true,
  failed: false,
});

const attachment = (uid: string): JsonObject => ({
  disk: `projects/my-project/zones/us-central1-a/disks/disk-${suffix(uid)}`,
  instance: "projects/my-project/zones/us-central1-a/instances/vm-host",
  device_name: `cw-${uid}`,
  mode: "READ_WRITE",
  ready: true,
  failed: false,
});

const changes = {
  google_container_cluster: {
    min_master_version: "1.30",
    node_locations: [...zones, "us-central1-c"],
    release_channel: [{ channel: "UNSPECIFIED" }],
    master_authorized_networks_config: [{ cidr_blocks: [] }],
    private_cluster_config: [{ enable_private_nodes: true, enable_private_endpoint: true }],
    resource_labels: { owner: "b" },
  },
  google_container_node_pool: {
    node_count: 3,
    node_config: [
      nodeConfig({
        machine_type: "n2-standard-4",
        image_type: "UBUNTU_CONTAINERD",
        disk_type: "pd-ssd",
        tags: [],
        labels: { tier: "b" },
        resource_labels: { owner: "b" },
        taint: [],
      }),
    ],
    management: [{ auto_repair: true, auto_upgrade: false }],
  },
  google_compute_instance: {
    machine_type: "e2-medium",
    metadata: { "ssh-keys": "ops:ssh-ed25519 AAAA" },
    tags: ["ssh", "web"],
    labels: { owner: "b" },
    desired_status: "TERMINATED",
  },
  google_compute_firewall: {
    priority: 900,
    source_ranges: [],
    source_tags: ["db", "ops"],
    target_tags: ["ssh"],
    allow: [],
    deny: [{ protocol: "all", ports: [] }],
  },
  google_compute_disk: { size: 30, labels: { owner: "b" } },
  google_compute_attached_disk: {},
};
const attributes = {
  google_container_cluster: cluster,
  google_container_node_pool: pool,
  google_compute_instance: instance,
  google_compute_firewall: firewall,
  google_compute_disk: disk,
  google_compute_attached_disk: attachment,
};

/** The simulated API offers newer versions than the fake. */
const newer = (name: PartName, given: JsonObject): JsonObject => {
  const fields: Partial<Record<PartName, string>> = {
    google_container_cluster: "min_master_version",
    google_container_node_pool: "version",
  };
  const field = fields[name];
  if (field === undefined || given[field] === undefined) return given;
  return { ...given, [field]: given[field] === "1.30" ? "1.34" : "1.33" };
};

type PartName = keyof typeof changes;

for (const type of Object.keys(changes) as PartName[]) {
  describeCloudPart(type, () => openFake(type));
  describeCloudPart(`${type} on the simulated API`, () => openSimulated(type));
}

const { signal } = new AbortController();
const owner = { entityUid: "0199aaaa-0000-7000-8000-00000000c0de", name: "this", token: "t-1" };

test("X031 the response to every creation may be lost, and there is still one resource of each type without an initial pool", async () => {
  const google = await startFakeGoogle();
  const open = (type: string): CloudPart => openPart(google, owner.entityUid, type);
  for (const on of [
    "/locations/us-central1/clusters",
    "/nodePools",
    "/zones/us-central1-a/instances",
    "/global/firewalls",
    "/zones/us-central1-a/disks",
    "/attachDisk",
  ])
    google.faults.push({ on, answer: "lost", times: 1 });
  const made = await open("google_container_cluster").create({ ...cluster(owner.entityUid), name: "host" }, owner, signal);
  expect(made.attributes).toMatchObject({ ready: true });
  expect([...google.state.clusters.values()].map(({ nodePools }) => nodePools)).toEqual([[]]);
  await open("google_container_node_pool").create(pool(owner.entityUid), owner, signal);
  await open("google_compute_instance").create(instance(owner.entityUid), owner, signal);
  expect([...google.state.clusters.values()].map(({ nodePools = [] }) => nodePools.length)).toEqual([1]);
  await open("google_compute_firewall").create(firewall(owner.entityUid), owner, signal);
  await open("google_compute_disk").create(disk(owner.entityUid), owner, signal);
  const machine = `projects/my-project/zones/us-central1-a/instances/vm-${suffix(owner.entityUid)}`;
  const attached = { ...attachment(owner.entityUid), instance: machine };
  await open("google_compute_attached_disk").create(attached, owner, signal);
  const { instances, firewalls, disks } = google.state;
  expect([instances.size, firewalls.size, disks.size]).toEqual([1, 1, 1]);
  expect([...instances.values()].map(({ disks: each = [] }) => each.length)).toEqual([2]);
  await google.close();
});

test("X031 a cluster whose initial pool is still there is not ready, and an update finishes it", async () => {
  const google = await startFakeGoogle();
  const part = openPart(google, owner.entityUid, "google_container_cluster");
  const abort = new AbortController();
  // The executor is stopped after GKE has accepted the request to create the cluster.
  const work = part.create(cluster(owner.entityUid), owner, abort.signal);
  const stop = setInterval(() => google.state.clusters.size > 0 && abort.abort(new Error("killed")), 1);
  await expect(work).rejects.toThrow("killed");
  clearInterval(stop);
  const [owned] = await part.listOwned(owner.entityUid, signal);
  expect(owned?.name).toBe("this");
  expect(await part.read(owned?.id ?? "", signal)).toMatchObject({ ready: false });
  expect(await part.update(owned?.id ?? "", cluster(owner.entityUid), signal)).toMatchObject({
    ready: true,
    min_master_version: "1.29",
  });
  await google.close();
});

test("M042 a setting that GKE cannot change in place is rejected by name before anything is sent", async () => {
  const google = await startFakeGoogle();
  const hosted = { ...cluster(owner.entityUid), name: "host" };
  const clusters = openPart(google, owner.entityUid, "google_container_cluster");
  const { id: host } = await clusters.create(hosted, owner, signal);
  const pools = openPart(google, owner.entityUid, "google_container_node_pool");
  const { id } = await pools.create(pool(owner.entityUid), owner, signal);
  const sent = google.seen.filter(({ method }) => method !== "GET").length;
  for (const [field, value] of [
    ["spot", true],
    ["service_account", "nodes@my-project.iam.gserviceaccount.com"],
  ] as const)
    await expect(
      pools.update(id, { ...pool(owner.entityUid), node_config: [nodeConfig({ [field]: value })] }, signal),
    ).rejects.toMatchObject({ code: "clouds.invalid", message: expect.stringContaining(field) as string });
  const open = { enable_private_nodes: false, enable_private_endpoint: false };
  await expect(clusters.update(host, { ...hosted, private_cluster_config: [open] }, signal)).rejects.toMatchObject({
    code: "clouds.invalid",
  });
  expect(google.seen.filter(({ method }) => method !== "GET")).toHaveLength(sent);
  await google.close();
});

test("M007 the console of an instance is read by the instance's ID", async () => {
  const google = await startFakeGoogle();
  const part = openPart(google, owner.entityUid, "google_compute_instance");
  const { id } = await part.create(instance(owner.entityUid), owner, signal);
  expect(await part.readConsole?.(id, signal)).toBe("login: ");
  await google.close();
});

test("M180 a firewall rule without sources is refused, because Google Cloud would open it to everybody", async () => {
  const google = await startFakeGoogle();
  const part = openPart(google, owner.entityUid, "google_compute_firewall");
  const { id } = await part.create(firewall(owner.entityUid), owner, signal);
  const open = { ...firewall(owner.entityUid), source_ranges: [], source_tags: [] };
  await expect(part.update(id, open, signal)).rejects.toMatchObject({ code: "clouds.invalid" });
  const outgoing = { ...open, name: "fw-out", direction: "EGRESS" };
  await expect(part.create(outgoing, owner, signal)).rejects.toMatchObject({ code: "clouds.invalid" });
  expect([...google.state.firewalls.values()]).toMatchObject([{ sourceTags: ["ops"] }]);
  await google.close();
});

test("M206 a disk cannot shrink, and one that another instance uses is neither attached nor waited for", async () => {
  const google = await startFakeGoogle();
  const open = (type: string): CloudPart => openPart(google, owner.entityUid, type);
  const { id } = await open("google_compute_disk").create(disk(owner.entityUid), owner, signal);
  const smaller = { ...disk(owner.entityUid), size: 5 };
  await expect(open("google_compute_disk").update(id, smaller, signal)).rejects.toMatchObject({ code: "clouds.invalid" });
  const machines = ["vm-one", "vm-two"].map((name) => `projects/my-project/zones/us-central1-a/instances/${name}`);
  for (const name of ["vm-one", "vm-two"]) {
    const made = { ...instance(owner.entityUid), name };
    await open("google_compute_instance").create(made, { ...owner, token: name }, signal);
  }
  const [first, second] = machines.map((machine) => ({ ...attachment(owner.entityUid), instance: machine }));
  await open("google_compute_attached_disk").create(first ?? {}, owner, signal);
  await expect(open("google_compute_attached_disk").create(second ?? {}, owner, signal)).rejects.toMatchObject({
    code: "clouds.conflict",
  });
  await expect(open("google_compute_disk").delete(id, signal)).rejects.toMatchObject({ code: "clouds.conflict" });
  expect(google.state.disks.size).toBe(1);
  await google.close();
});

test("X010 resources in a zone that does not respond are not mistaken for deleted ones", async () => {
  const google = await startFakeGoogle();
  google.state.missingZones.push("us-central1-f");
  for (const type of [
    "google_container_cluster",
    "google_container_node_pool",
    "google_compute_instance",
    "google_compute_disk",
    "google_compute_attached_disk",
  ])
    await expect(openPart(google, owner.entityUid, type).listOwned(owner.entityUid, signal)).rejects.toMatchObject({
      extra: { category: "unavailable" },
    });
  await google.close();
});

async function openFake(type: PartName): Promise<PartFixture> {
  const google = await startFakeGoogle();
  if (type === "google_container_node_pool") {
    const host = { ...owner, entityUid: "host" };
    await openPart(google, "host", "google_container_cluster").create({ ...cluster("host"), name: "host" }, host, signal);
  }
  const open = (entityUid: string): CloudPart => openPart(google, entityUid, type);
  if (type === "google_compute_attached_disk") await prepareAttachment((wanted) => openPart(google, owner.entityUid, wanted));
  return { open, attributes: attributes[type], change: changes[type], close: () => google.close() };
}

async function openSimulated(type: PartName): Promise<PartFixture> {
  const inventory = createMemoryInventory();
  const api = await startApiHost({ inventory, secret: new Secret("test"), listen: { port: 0 } });
  const { options } = await api.issue("parts", "gcp");
  const [network, subnet] = ["global/networks", "regions/us-central1/subnetworks"].map(
    (path) => `projects/my-project/${path}/main`,
  );
  const common = { project: "my-project", name: "main" };
  await inventory.put("parts", { type: "google_compute_network", id: network ?? "", attributes: common });
  const ranges = [
    { range_name: "pods", ip_cidr_range: "10.4.0.0/14" },
    { range_name: "services", ip_cidr_range: "10.8.0.0/20" },
  ];
  const placed = { ...common, region: "us-central1", network: network ?? "", ip_cidr_range: "10.0.0.0/20" };
  await inventory.put("parts", {
    type: "google_compute_subnetwork",
    id: subnet ?? "",
    attributes: { ...placed, secondary_ip_range: ranges },
  });
  const open = (entityUid: string, wanted: PartName = type): CloudPart =>
    createGcpParts({ ...options, projectId: "my-project", clock: shortWaits, entityUid }).parts.get(wanted) as CloudPart;
  if (type === "google_container_node_pool") {
    const host = { ...owner, entityUid: "host" };
    const wanted = newer("google_container_cluster", { ...cluster("host"), name: "host" });
    await open("host", "google_container_cluster").create(wanted, host, signal);
  }
  if (type === "google_compute_attached_disk") await prepareAttachment((wanted) => open(owner.entityUid, wanted));
  return {
    open,
    attributes: (uid) => newer(type, attributes[type](uid)),
    change: newer(type, changes[type]),
    close: () => api.close(),
  };
}

/** Creates the disk and the instance of an attachment. */
async function prepareAttachment(open: (type: PartName) => CloudPart): Promise<void> {
  const { entityUid } = owner;
  await open("google_compute_disk").create(disk(entityUid), { ...owner, name: "main", token: "t-2" }, signal);
  const host = { ...instance(entityUid), name: "vm-host" };
  await open("google_compute_instance").create(host, { ...owner, entityUid: "host", token: "t-3" }, signal);
}

function openPart({ endpoints }: FakeGoogle, entityUid: string, type: string): CloudPart {
  const options = { projectId: fakeProject, accessToken: "token-1", endpoints, clock: shortWaits, entityUid };
  return createGcpParts(options).parts.get(type) as CloudPart;
}
