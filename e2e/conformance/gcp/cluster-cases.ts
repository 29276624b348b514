import type { Change, ConformanceCase, Variables } from "../conformance-case.ts";

const region = "europe-west1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const key = `projects/acme-1/locations/${region}/keyRings/main/cryptoKeys/secrets`;
const zones = ["b", "c", "d"].map((letter) => `${region}-${letter}`);
const first = "kubernetes/gcp/v1.0.0";
const second = "kubernetes/gcp/v1.1.0";

const usual: Variables = {
  cluster_name: "edge",
  region,
  zones,
  network_id: "projects/acme-1/global/networks/main",
  subnet_id: `projects/acme-1/regions/${region}/subnetworks/main`,
  node_pools: { default: { machine_type: "e2-standard-4", min: 1, desired: 2, max: 5 } },
  owner,
};

const gpus = {
  machine_type: "g2-standard-4",
  min: 0,
  desired: 1,
  max: 4,
  autoscaling: true,
  capacity: "spot",
  disk_size_gib: 200,
  disk_type: "pd-ssd",
  image: "ubuntu",
  zones: [zones[0]],
  labels: { for: "training" },
  taints: [
    { key: "only", value: "training", effect: "NoSchedule" },
    { key: "bare", effect: "PreferNoSchedule" },
  ],
  accelerator: "nvidia-l4",
  accelerator_count: 1,
  max_surge: 2,
  max_unavailable: 1,
  max_pods: 64,
  network_tags: ["gpus"],
  secure_boot: false,
  resource_labels: { cost: "training" },
};
const arm = { machine_type: "c4a-standard-4", min: 0, desired: 0, max: 2, disk_type: "hyperdisk-balanced" };

/** Every variable of v1.0.0, each with a value other than its default. */
const whole: Variables = {
  ...usual,
  project: "acme-1",
  cluster_version: "1.33",
  release_channel: "stable",
  pod_range_name: "my-pods",
  service_range_name: "my-services",
  public_access_cidrs: ["192.0.2.0/24", "198.51.100.7/32"],
  dns_endpoint: true,
  control_plane_cidr: "172.16.0.0/28",
  kms_key: key,
  node_disk_kms_key: key,
  node_service_account: "cluster-nodes@acme-1.iam.gserviceaccount.com",
  workload_identities: { "apps/web": "website@acme-1.iam.gserviceaccount.com" },
  security_group: "gke-security-groups@example.org",
  log_types: ["system", "workloads", "apiserver", "scheduler", "controllerManager"],
  monitoring: ["system", "apiserver", "pod", "cadvisor", "kubelet", "hpa"],
  managed_prometheus: true,
  gateway_api: false,
  maintenance_window: { days: ["SA", "SU"], start: "03:00", duration_hours: 6 },
  kept_defaults: { public_access_cidrs: ["192.0.2.0/24"] },
  node_pools: { default: { machine_type: "e2-standard-4", min: 1, desired: 2, max: 5 }, gpus, arm },
  labels: { team: "a" },
};

const scaled = { machine_type: "e2-standard-4", min: 1, desired: 2, max: 5, autoscaling: true };
const removesPools = /^google_container_node_pool/;

/** Changes to a live cluster, applied one after another. */
const changes: readonly Change[] = [
  {
    variables: {
      labels: { team: "b" },
      public_access_cidrs: ["203.0.113.0/24"],
      dns_endpoint: false,
      log_types: ["system"],
      monitoring: ["system"],
      managed_prometheus: false,
      gateway_api: true,
      maintenance_window: { start: "23:30" },
    },
  },
  {
    variables: {
      release_channel: "rapid",
      log_types: [],
      monitoring: [],
      maintenance_window: null,
      security_group: null,
      workload_identities: {},
    },
    mayRemove: /^google_service_account_iam_member/,
  },
  {
    variables: {
      node_pools: {
        default: {
          machine_type: "e2-standard-8",
          min: 1,
          desired: 4,
          max: 6,
          labels: { a: "b" },
          taints: [{ key: "x", value: "y", effect: "NoExecute" }],
          disk_size_gib: 150,
          network_tags: ["web"],
          image: "ubuntu",
          max_surge: 3,
          resource_labels: { cost: "web" },
        },
        gpus,
      },
    },
    mayRemove: /^google_container_node_pool\.pool\["arm/,
  },
  {
    variables: {
      node_pools: {
        default: { machine_type: "e2-standard-8", min: 1, desired: 4, max: 9, autoscaling: true },
        gpus: { ...gpus, autoscaling: false, labels: {}, taints: [], capacity: "on-demand", network_tags: [] },
      },
    },
    mayRemove: /^google_container_node_pool\.pool\["gpus/,
  },
  { variables: { kms_key: null, release_channel: "none", public_access: false, public_access_cidrs: [] } },
  { variables: { public_access: true, release_channel: "extended" } },
];

/** A Kubernetes upgrade: the run that upgrades the cluster, and the run that follows it. */
const upgrade: readonly Change[] = [
  { variables: { cluster_version: "1.34", upgrades_nodes: true } },
  { variables: { upgrades_nodes: false, current_version: "1.34.1-gke.2037000" } },
];

/** Conformance cases for the cluster configuration. */
export const clusterCases: readonly ConformanceCase[] = [
  ...[first, second].flatMap((place): ConformanceCase[] => [
    { title: "a cluster with defaults is stable", place, variables: usual },
    { title: "a cluster with every setting is changed in place", place, variables: whole, changes },
    {
      title: "a zonal private cluster with its own key is stable",
      place,
      variables: { ...usual, zones: [], zone: zones[1], public_access: false, create_kms_key: true, release_channel: "none" },
      changes: [{ variables: { create_kms_key: false, public_access: true }, mayRemove: /^google_kms/ }],
    },
    { title: "Kubernetes is upgraded", place, variables: { ...usual, cluster_version: "1.33" }, changes: upgrade },
    {
      title: "the autoscaler controls the size of an existing pool",
      place,
      variables: { ...usual, zones: [zones[0]], node_pools: { default: scaled } },
      // The hash is the suffix of the pool's name. With a different hash, the run would shrink the pool to the desired size.
      changes: [{ variables: { built_pools: { "default/b": "d533e1" }, node_pools: { default: { ...scaled, desired: 1 } } } }],
    },
  ]),
  {
    title: "a cluster with the defaults of v1.1.0 is stable",
    place: second,
    variables: { ...usual, kept_defaults: { since: "v1.1.0" } },
  },
  {
    title: "the upgrade to v1.1.0 replaces nothing",
    place: first,
    variables: { ...whole, node_service_account: null, kms_key: null, create_kms_key: true },
    changes: [{ place: second }, { variables: { kept_defaults: { since: "v1.1.0" } } }],
  },
  {
    title: "the upgrade to v1.1.0 replaces nothing in a cluster with defaults",
    place: first,
    variables: usual,
    changes: [{ place: second }],
  },
  {
    title: "pools are replaced when their immutable settings change",
    place: second,
    variables: usual,
    changes: [
      {
        variables: {
          node_pools: { default: { machine_type: "e2-standard-4", min: 1, desired: 2, max: 5, capacity: "spot", max_pods: 32 } },
        },
        mayRemove: removesPools,
      },
    ],
  },
];
