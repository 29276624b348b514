import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../../executor/terraform/configurations.ts";
import type { DeployedAccount, JsonObject, Surroundings } from "../../task.ts";
import { createTestEntity, createTestSurroundings, type TestTaskOptions } from "../../testing/test-task.ts";
import { gcpKubernetes } from "./stack.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "gcp", simulated: true, spec: { gcp: { projectId: "acme-1" } } };
const entity = (spec: JsonObject) => createTestEntity("Cluster", { name: "dev", labels: { team: "A" }, spec });
const subnet = "projects/acme-1/regions/europe-west1/subnetworks/net";
const built = {
  network_id: "projects/acme-1/global/networks/net",
  private_subnet_ids: [subnet],
  zones: ["europe-west1-b", "europe-west1-c", "europe-west1-d"],
  pod_range_name: "pods",
  service_range_name: "services",
};
const inNetwork = (nodePools: TestTaskOptions["nodePools"] = [], own: JsonObject = {}, observed?: JsonObject): Surroundings => ({
  ...createTestSurroundings({
    parents: [{ kind: "Network", uid: "n", name: "net", spec: { region: "europe-west1", gcp: {} }, outputs: built }],
    nodePools,
    outputs: own,
  }),
  ...(observed === undefined ? {} : { observed }),
});
const render = (spec: JsonObject, around = inNetwork(), version = "v1.0.0"): JsonObject =>
  gcpKubernetes.variables(entity(spec), account, around, version);
const pool = (name: string, spec: JsonObject) => ({ uid: name, name, spec });
const existing = {
  cluster_name: "dev-1",
  version: "1.33",
  choices: { requested_version: "1.33", public_access_cidrs: ["192.0.2.1/32"] },
};

test("M120 M122 M124 a default GKE cluster has two workers, and only the agent's address can reach its endpoint", () => {
  expect(render({}, inNetwork([], {}, { address: "198.51.100.1" }))).toEqual({
    project: "acme-1",
    cluster_name: "dev",
    region: "europe-west1",
    zone: null,
    zones: built.zones,
    cluster_version: null,
    current_version: null,
    upgrades_nodes: false,
    network_id: built.network_id,
    subnet_id: subnet,
    pod_range_name: "pods",
    service_range_name: "services",
    public_access: true,
    public_access_cidrs: ["198.51.100.1/32"],
    kept_defaults: { since: "v1.1.0", public_access_cidrs: ["198.51.100.1/32"] },
    dns_endpoint: false,
    control_plane_cidr: null,
    create_kms_key: false,
    kms_key: null,
    node_disk_kms_key: null,
    node_service_account: null,
    workload_identities: {},
    security_group: null,
    managed_prometheus: false,
    maintenance_window: null,
    built_pools: {},
    node_pools: { default: { machine_type: "e2-standard-2", min: 2, desired: 2, max: 2, zones: [] } },
    owner: { project: "default", entity: "uid-1" },
    labels: { team: "__41" },
  });
});

test("M122 a GKE cluster is in the account's project, and a built one stays in the project that contains it", () => {
  expect(render({})).toMatchObject({ project: "acme-1" });
  expect(render({}, inNetwork([], { ...existing, project: "older-2" }))).toMatchObject({ project: "older-2" });
  const anywhere = { ...account, spec: { gcp: {} } };
  expect(gcpKubernetes.variables(entity({}), anywhere, inNetwork(), "v1.0.0")).toMatchObject({ project: null });
});

test("M069 a cluster that v1.0.0 created keeps its behaviour, and a new one has the defaults of v1.1.0", () => {
  expect(render({}, inNetwork([], existing), "v1.1.0")["kept_defaults"]).toEqual({ public_access_cidrs: ["192.0.2.1/32"] });
  const later = { ...existing, choices: { ...existing.choices, since: "v1.1.0" } };
  expect(render({}, inNetwork([], later), "v1.1.0")["kept_defaults"]).toMatchObject({ since: "v1.1.0" });
});

test("M138 M168 an upgrade includes the nodes, and between upgrades GKE controls the node versions", () => {
  const around = inNetwork([], existing);
  expect(render({ version: "1.34" }, around)).toMatchObject({
    cluster_version: "1.34",
    current_version: null,
    upgrades_nodes: true,
  });
  expect(render({ version: "v1.33.9" }, around)).toMatchObject({
    cluster_version: "1.33",
    current_version: "1.33",
    upgrades_nodes: false,
    public_access_cidrs: ["192.0.2.1/32"],
  });
  expect(render({ version: "1.32" }, around)).toMatchObject({ upgrades_nodes: false, current_version: "1.33" });
  expect(render({ gcp: { releaseChannel: "none" } })).toMatchObject({ release_channel: "none" });
});

test("M124 pools keep their zones when the network gains one, and have GKE-specific settings", () => {
  const choices = { zones_of_pools: { a: ["europe-west1-b"] }, built_pools: { "a/b": "0123ab" } };
  const around = inNetwork(
    [
      pool("a", { desired: 1, max: 3, autoscaling: true }),
      pool("b", {
        zones: ["c"],
        instanceType: "g2-standard-4",
        gcp: { image: "ubuntu", accelerator: "nvidia-l4", acceleratorCount: 1, maxSurge: 0, maxUnavailable: 2 },
      }),
    ],
    { ...existing, choices },
  );
  expect(render({}, around)["built_pools"]).toEqual({ "a/b": "0123ab" });
  expect(render({}, around)["node_pools"]).toMatchObject({
    a: { zones: ["europe-west1-b"], autoscaling: true, desired: 1 },
    b: { zones: ["europe-west1-c"], image: "ubuntu", accelerator: "nvidia-l4", max_surge: 0, max_unavailable: 2, max: 1 },
  });
});

test.each<[string, JsonObject, TestTaskOptions["nodePools"], string]>([
  ["a range for pods", { networking: { podCidr: "10.1.0.0/16" } }, [], "spec.networking.podCidr"],
  ["a range for services", { networking: { serviceCidr: "10.1.0.0/16" } }, [], "spec.networking.serviceCidr"],
  ["control-plane nodes", { controlPlaneNodes: 3 }, [], "spec.controlPlaneNodes"],
  ["logs without system logs", { gcp: { logTypes: ["apiserver"] } }, [], "spec.gcp.logTypes"],
  ["a zone in another region", { gcp: { zone: "us-central1-a" } }, [], "us-central1-a"],
  ["several machine types", {}, [pool("a", { instanceTypes: ["e2-small", "e2-medium"] })], "instanceTypes"],
  ["settings for another cloud", {}, [pool("a", { aws: {} })], "spec.aws"],
  ["a pool name that is too long", {}, [pool("a".repeat(31), {})], "30"],
  ["a pool in another region", {}, [pool("a", { zones: ["us-central1-a"] })], "us-central1-a"],
  ["two default pools", { workers: 1 }, [pool("default", {})], "default"],
])("M063 a GKE cluster with %s is rejected with the field's name", (_what, spec, pools, said) => {
  expect(() => render(spec, inNetwork(pools))).toThrow(said);
});

test("M061 only the size of a pool with autoscaling may be changed by others", () => {
  const around = inNetwork([pool("a", { autoscaling: true, max: 3 }), pool("b", { max: 3 })]);
  const isOthers = (key: string, path: string): boolean | undefined =>
    gcpKubernetes.isChangedByOthers?.(
      { resourceType: "google_container_node_pool", address: `google_container_node_pool.pool["${key}"]` },
      path.split("."),
      around,
    );
  expect([isOthers("a/b", "node_count"), isOthers("b/b", "node_count"), isOthers("a/b", "name")]).toEqual([true, false, false]);
});

test("M029 resources without labels are found by the resources that they refer to", () => {
  const email = "dev-n1@acme-1.iam.gserviceaccount.com";
  const key = "projects/acme-1/locations/europe-west1/keyRings/dev-1/cryptoKeys/secrets";
  const tagged = new Map([
    [`projects/acme-1/serviceAccounts/${email}`, 'google_service_account.nodes["made"]'],
    [key, 'google_kms_crypto_key.secrets["made"]'],
  ]);
  const find = (type: string, ...names: string[]): string | undefined =>
    gcpKubernetes.findUntagged({ type, names }, tagged, (name) => name === "google_project_iam_member.nodes", entity({}));
  expect(find("google_project_iam_member", "roles/logging.logWriter", `serviceAccount:${email}`)).toBe(
    'google_project_iam_member.nodes["roles/logging.logWriter"]',
  );
  expect(find("google_kms_crypto_key_iam_member", key, "serviceAccount:x")).toBe(
    'google_kms_crypto_key_iam_member.secrets["made"]',
  );
  expect(find("google_service_account_iam_member", "serviceAccount:acme-1.svc.id.goog[apps/web]")).toBe(
    'google_service_account_iam_member.workload["apps/web"]',
  );
  expect(find("google_kms_key_ring", "dev-1")).toBe('google_kms_key_ring.secrets["made"]');
  expect(find("google_compute_disk", "x")).toBeUndefined();
});

test("M067 every variable that the stack sets exists in its configuration", () => {
  for (const version of ["v1.0.0", "v1.1.0"]) {
    const text = readFileSync(join(ownConfigurations, "kubernetes/gcp", version, "variables.tf"), "utf8");
    const declared = new Set([...text.matchAll(/^variable "(\w+)"/gm)].map(([, name]) => name));
    const spec = { gcp: { releaseChannel: "rapid", gatewayApi: false, logTypes: ["none"], monitoring: ["none"] } };
    const names = [
      ...Object.keys(render(spec, inNetwork(), version)),
      ...Object.keys(gcpKubernetes.removalVariables?.(entity({}), inNetwork(), version) ?? {}),
    ];
    expect(names.filter((name) => !declared.has(name))).toEqual([]);
  }
});
