import { createRandom, type Random } from "@cloudwright/platform/testing";
import type { ConformanceCase, Variables } from "../conformance-case.ts";
import { createRandomCase, pickSome } from "../random-case.ts";

const region = "europe-west1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const zones = ["b", "c", "d"].map((letter) => `${region}-${letter}`);
const key = `projects/acme-1/locations/${region}/keyRings/main/cryptoKeys/any`;
const account = "cluster-nodes@acme-1.iam.gserviceaccount.com";
const kept = ["google_container_cluster", "google_compute_network", "google_compute_subnetwork", "google_storage_bucket"];

/** Returns cases with random combinations of settings. Each case then changes to another random combination. */
export function listRandomCases(seed: number): readonly ConformanceCase[] {
  const random = createRandom(seed);
  const rounds = [1, 2];
  const create = (place: string, fixed: Variables, pick: () => Variables): ConformanceCase =>
    createRandomCase({ place, seed, kept }, fixed, pick);
  return rounds.flatMap((round): ConformanceCase[] => [
    create(`network/gcp/v1.${round - 1}.0`, pickFixedNetwork(random), () => pickNetwork(random, round === 2)),
    create("kubernetes/gcp/v1.1.0", pickFixedCluster(random), () => pickCluster(random)),
    create("storage/gcp/v1.1.0", { name: "any", region, owner }, () => ({ bucket: pickBucket(random) })),
  ]);
}

function pickLabels(random: Random): object {
  return Object.fromEntries(
    pickSome(random, ["team", "cost-center", "stage_1"]).map((name) => [name, `v${random.whole(0, 99)}`]),
  );
}

function pickFixedNetwork(random: Random): Variables {
  const range = random.pick([{}, { cidr_range: "10.64.0.0/12" }, { pod_cidr: "100.64.0.0/14", service_cidr: "100.72.0.0/18" }]);
  return { name: random.pick(["n", "a".repeat(63), "ends-with-"]), region, owner, ...range };
}

function pickNetwork(random: Random, isLater: boolean): Variables {
  const nat = random.pick(["none", "regional", "regional"]);
  const later = {
    nat_logs: random.pick(["none", "errors", "all"]),
    nat_ports_per_machine: random.pick([32, 64, 1024, 32_768]),
    nat_dynamic_ports: random.chance(0.5),
    firewall_logs: random.chance(0.5),
  };
  const interval = random.pick(["INTERVAL_5_SEC", "INTERVAL_1_MIN", "INTERVAL_15_MIN"]);
  const logs = { sampling_percent: random.pick([0.1, 1, 12.5, 33.3, 100]), aggregation_interval: interval };
  return {
    zones: pickSome(random, zones),
    routing_mode: random.pick(["regional", "global"]),
    private_google_access: random.chance(0.5),
    nat,
    nat_ips: nat === "none" ? 0 : random.whole(0, 3),
    load_balancer_ips: random.whole(0, 2),
    flow_logs: random.chance(0.5) ? logs : null,
    labels: pickLabels(random),
    ...(isLater ? later : {}),
  };
}

function pickFixedCluster(random: Random): Variables {
  return {
    cluster_name: random.pick(["c", "a".repeat(63), "ends-with-"]),
    region,
    network_id: "projects/acme-1/global/networks/main",
    subnet_id: `projects/acme-1/regions/${region}/subnetworks/main`,
    owner,
    zones,
    ...random.pick([{}, { zone: zones[0] }]),
    ...random.pick([{}, { control_plane_cidr: "172.16.0.0/28" }]),
    ...random.pick([{}, { node_service_account: account }]),
  };
}

function pickCluster(random: Random): Variables {
  const isPublic = random.chance(0.6);
  const names = ["apiserver", "scheduler", "controllerManager"];
  const key_settings = random.pick([{ create_kms_key: true, kms_key: null }, { create_kms_key: false, kms_key: key }, {}]);
  return {
    release_channel: random.pick(["rapid", "regular", "stable", "extended", "none"]),
    public_access: isPublic,
    public_access_cidrs: isPublic ? pickSome(random, ["192.0.2.0/24", "198.51.100.7/32"]) : [],
    dns_endpoint: random.chance(0.5),
    ...key_settings,
    security_group: random.pick([null, "gke-security-groups@example.org"]),
    workload_identities: random.pick([{}, { "apps/web": "website@acme-1.iam.gserviceaccount.com" }]),
    log_types: random.pick([[], ["system"], ["system", "workloads", ...pickSome(random, names)]]),
    monitoring: random.pick([
      [],
      ["system"],
      ["system", ...pickSome(random, [...names, "storage", "pod", "kubelet", "cadvisor"])],
    ]),
    managed_prometheus: random.chance(0.5),
    gateway_api: random.chance(0.5),
    maintenance_window: random.pick([null, { start: "00:00" }, { start: "22:15", days: ["MO", "FR"], duration_hours: 12 }]),
    kept_defaults: random.pick([{}, { since: "v1.1.0" }]),
    node_pools: Object.fromEntries(pickSome(random, ["a", "b".repeat(30), "c-1"]).map((name) => [name, pickPool(random)])),
    labels: pickLabels(random),
  };
}

function pickPool(random: Random): object {
  const [min, desired, max] = [random.whole(0, 2), random.whole(2, 4), random.whole(4, 9)];
  const gpus = { machine_type: "g2-standard-4", accelerator: "nvidia-l4", accelerator_count: 1 };
  const taints = [
    { key: "only", value: "x", effect: "NoExecute" },
    { key: "bare", effect: "NoSchedule" },
  ];
  return {
    ...random.pick([
      { machine_type: "e2-standard-4" },
      { machine_type: "n2-standard-4" },
      { machine_type: "c4a-standard-4" },
      gpus,
    ]),
    min,
    desired,
    max,
    autoscaling: random.chance(0.5),
    capacity: random.pick(["on-demand", "spot"]),
    disk_size_gib: random.pick([10, 100, 500]),
    disk_type: random.pick(["pd-balanced", "pd-ssd", "hyperdisk-balanced"]),
    image: random.pick(["cos", "ubuntu"]),
    zones: pickSome(random, zones),
    labels: random.pick([{}, { "example.org/for": "web" }]),
    taints: pickSome(random, taints),
    ...random.pick([{}, { max_surge: 0, max_unavailable: 1 }, { max_surge: 5, max_unavailable: 2 }]),
    max_pods: random.pick([8, 110, 256]),
    network_tags: pickSome(random, ["web", "gpus"]),
    secure_boot: random.chance(0.5),
    resource_labels: pickLabels(random),
  };
}

function pickBucket(random: Random): object {
  const rule = {
    prefix: random.pick(["", "logs/"]),
    expire_after_days: random.pick([0, 90]),
    expire_noncurrent_after_days: random.pick([0, 5]),
    abort_uploads_after_days: random.pick([1, 9]),
    transitions: pickSome(random, [
      { after_days: 30, storage_class: "NEARLINE" },
      { after_days: 60, storage_class: "ARCHIVE" },
    ]),
  };
  return {
    versioning: random.chance(0.5),
    expire_after_days: random.pick([0, 30]),
    force_destroy: random.chance(0.5),
    kms_key_name: random.pick([null, key]),
    lifecycle_rules: pickSome(random, [rule, { expire_after_days: 400 }]),
    retention: random.pick([null, { days: random.whole(1, 30) }]),
    abort_uploads_after_days: random.pick([0, 7, 30]),
  };
}
