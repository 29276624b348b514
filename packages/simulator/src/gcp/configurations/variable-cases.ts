import type { VariableCases } from "../../testing/list-wrong-variables.ts";

const region = "europe-west1";
const owner = { project: "p", entity: "0123456789ab" };
const long = "a".repeat(63);
const key = `projects/p/locations/${region}/keyRings/main/cryptoKeys/storage`;

/** Values that every Google Cloud configuration must reject. */
const rejectedEverywhere: VariableCases["rejected"] = [
  ["name", { name: "Upper" }],
  ["name", { name: "" }],
  ["name", { name: `${long}a` }],
  ["name", { name: "größe" }],
  ["name", { name: null }],
  ["project", { project: "Upper-project" }],
  ["project", { project: "short" }],
  ["project", { project: "ends-with-hyphen-" }],
  ["owner", { owner: { project: "p", entity: "" } }],
  ["owner", { owner: { project: "p", entity: "ABCDEF" } }],
  ["owner", { owner: { project: "p.q", entity: "0123456789ab" } }],
  ["owner", { owner: { project: "", entity: "0123456789ab" } }],
  ["labels", { labels: { Team: "a" } }],
  ["labels", { labels: { team: "A" } }],
  ["labels", { labels: { team: "" } }],
  ["labels", { labels: { "1team": "a" } }],
  ["labels", { labels: { "": "a" } }],
  ["labels", { labels: { team: "a".repeat(64) } }],
  ["labels", { labels: { cloudwright_entity: "x" } }],
  ["labels", { labels: { "goog-managed": "x" } }],
  ["labels", { labels: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`l${index}`, "a"])) }],
];

const acceptedEverywhere: VariableCases["accepted"] = [
  {},
  { name: long },
  { project: "my-project-1" },
  { labels: { team: "a_b-1", cloudwright__5fx: "y" } },
  { labels: null, project: null },
];

/** Test cases for the variables of network/gcp. */
export const badNetworks: VariableCases = {
  base: { name: "n", region, owner },
  rejected: [
    ...rejectedEverywhere,
    ["region", { region: "eu-west-1" }],
    ["region", { region: "westeurope" }],
    ["region", { region: "" }],
    ["zones", { zones: ["europe-west1-b", "europe-west1-b"] }],
    ["zones", { zones: ["europe-west4-a"] }],
    ["zones", { zones: ["b"] }],
    ["zones", { zones: ["europe-west10-a"] }],
    ["cidr_range", { cidr_range: "10.0.0.0" }],
    ["cidr_range", { cidr_range: "10.0.0.0/7" }],
    ["cidr_range", { cidr_range: "10.0.0.9/16" }],
    ["cidr_range", { cidr_range: "fd00::/56" }],
    ["cidr_range", { cidr_range: "abc" }],
    ["service_cidr", { cidr_range: "10.0.0.0/21" }],
    ["service_cidr", { cidr_range: "10.0.0.0/8" }],
    ["subnet_cidr", { subnet_cidr: "10.1.0.0/20" }],
    ["subnet_cidr", { subnet_cidr: "10.0.0.0/30" }],
    ["subnet_cidr", { subnet_cidr: "10.0.0.1/24" }],
    ["subnet_cidr", { subnet_cidr: "10.0.0.0/15" }],
    ["subnet_cidr", { subnet_cidr: "x" }],
    ["pod_cidr", { pod_cidr: "100.64.0.0/8" }],
    ["pod_cidr", { pod_cidr: "100.64.0.0/25" }],
    ["pod_cidr", { pod_cidr: "100.64.0.1/16" }],
    ["pod_cidr", { pod_cidr: "" }],
    ["service_cidr", { service_cidr: "100.64.0.0/15" }],
    ["service_cidr", { service_cidr: "100.64.0.0/29" }],
    ["service_cidr", { service_cidr: "pods" }],
    ["service_cidr", { pod_cidr: "10.0.0.0/17" }],
    ["service_cidr", { service_cidr: "10.0.0.0/24" }],
    ["service_cidr", { subnet_cidr: "10.0.64.0/20" }],
    ["pod_range_name", { pod_range_name: "Pods" }],
    ["pod_range_name", { pod_range_name: "pods-" }],
    ["service_range_name", { service_range_name: "1" }],
    ["service_range_name", { service_range_name: "pods" }],
    ["routing_mode", { routing_mode: "REGIONAL" }],
    ["mtu", { mtu: 1299 }],
    ["mtu", { mtu: 8897 }],
    ["mtu", { mtu: 1500.5 }],
    ["nat", { nat: "per-zone" }],
    ["nat_ips", { nat: "regional", nat_ips: 21 }],
    ["nat_ips", { nat: "regional", nat_ips: -1 }],
    ["nat_ips", { nat: "regional", nat_ips: 1.5 }],
    ["nat_ips", { nat_ips: 1 }],
    ["load_balancer_ips", { load_balancer_ips: 21 }],
    ["load_balancer_ips", { load_balancer_ips: 0.5 }],
    ["flow_logs", { flow_logs: { sampling_percent: 0 } }],
    ["flow_logs", { flow_logs: { sampling_percent: 101 } }],
    ["flow_logs", { flow_logs: { aggregation_interval: "INTERVAL_1_SEC" } }],
    ["network", { network: "Main", subnet: "a" }],
    ["network", { network: "main", subnet: "a", load_balancer_ips: 1 }],
    ["network", { network: "main", subnet: "a", nat: "regional" }],
    ["network", { network: "main", subnet: "a", flow_logs: {} }],
    ["subnet", { network: "main" }],
    ["subnet", { subnet: "a" }],
    ["subnet", { network: "main", subnet: "projects/p/regions/r/subnetworks/s" }],
  ],
  accepted: [
    ...acceptedEverywhere,
    { zones: ["europe-west1-b", "europe-west1-d"], cidr_range: "10.0.0.0/20" },
    { cidr_range: "10.0.0.0/24", subnet_cidr: "10.0.0.0/29", pod_cidr: "100.64.0.0/14", service_cidr: "100.68.0.0/20" },
    { cidr_range: "10.0.0.0/8", service_cidr: "10.64.0.0/16" },
    { nat: "regional", nat_ips: 20, load_balancer_ips: 20, routing_mode: "global", mtu: 8896, private_google_access: false },
    { flow_logs: { sampling_percent: 12.5, aggregation_interval: "INTERVAL_15_MIN" } },
    { network: "main", subnet: "nodes", pod_range_name: "p", service_range_name: "s" },
    { nat: null, nat_ips: null, mtu: null, zones: null, cidr_range: null, routing_mode: null, load_balancer_ips: null },
  ],
};

/** Test cases for the variables that network/gcp v1.1.0 added. */
export const badLaterNetworks: VariableCases = {
  base: badNetworks.base,
  rejected: [
    ["nat_logs", { nat_logs: "ERRORS_ONLY" }],
    ["nat_ports_per_machine", { nat_ports_per_machine: 100 }],
    ["nat_ports_per_machine", { nat_ports_per_machine: 16 }],
  ],
  accepted: [
    { nat: "regional", nat_logs: "all", nat_ports_per_machine: 32768, nat_dynamic_ports: false, firewall_logs: true },
    { nat_logs: null, nat_ports_per_machine: null, nat_dynamic_ports: null, firewall_logs: null },
  ],
};

const volume = { zone: "europe-west1-b", size_gib: 10 };
const rule = { expire_after_days: 1 };
const moving = (after_days: number, storage_class: string, change: object = {}) => ({
  bucket: { lifecycle_rules: [{ transitions: [{ after_days, storage_class }], ...change }] },
});

/** Test cases for the variables of storage/gcp. */
export const badStorages: VariableCases = {
  base: { name: "s", region, owner, bucket: {} },
  rejected: [
    ...rejectedEverywhere,
    ["name", { name: "google-logs" }],
    ["region", { region: "eu-west-1" }],
    ["bucket", { bucket: { expire_after_days: -1 } }],
    ["bucket", { bucket: { expire_after_days: 1.5 } }],
    ["bucket", { bucket: { kms_key_name: "arn:aws:kms:eu-west-1:123456789012:key/1" } }],
    ["bucket", { bucket: { kms_key_name: key.replace(region, "us-east1") } }],
    ["bucket", { bucket: { lifecycle_rules: [{}] } }],
    ["bucket", { bucket: { lifecycle_rules: [{ expire_after_days: -1 }] } }],
    ["bucket", { bucket: { lifecycle_rules: [{ expire_after_days: 1.5 }] } }],
    ["bucket", { bucket: { lifecycle_rules: Array.from({ length: 97 }, () => rule) } }],
    ["bucket", moving(30, "GLACIER")],
    ["bucket", moving(0, "NEARLINE")],
    ["bucket", moving(30, "NEARLINE", { expire_after_days: 30 })],
    ["bucket", { bucket: { retention: { days: 0 } } }],
    ["bucket", { bucket: { retention: { days: 36_501 } } }],
    ["bucket", { bucket: { retention: { days: 1.5 } } }],
    ["volume", { volume }],
    ["volume", { bucket: null }],
    ["volume", { bucket: null, volume: { ...volume, size_gib: 0 } }],
    ["volume", { bucket: null, volume: { ...volume, size_gib: 65_537 } }],
    ["volume", { bucket: null, volume: { ...volume, type: "gp3" } }],
    ["volume", { bucket: null, volume: { ...volume, type: "pd-extreme" } }],
    ["volume", { bucket: null, volume: { ...volume, type: "hyperdisk-balanced", size_gib: 3 } }],
    ["volume", { bucket: null, volume: { ...volume, zone: "us-east1-b" } }],
    ["volume", { bucket: null, volume: { ...volume, zone: region } }],
    ["volume", { bucket: null, volume: { ...volume, kms_key_name: "key" } }],
    ["volume", { bucket: null, volume: { ...volume, iops: 100 } }],
    ["volume", { bucket: null, volume: { ...volume, type: "hyperdisk-balanced", iops: 0 } }],
    ["volume", { bucket: null, volume: { ...volume, throughput: 100 } }],
  ],
  accepted: [
    ...acceptedEverywhere,
    { bucket: { versioning: true, force_destroy: true, expire_after_days: 36_500, kms_key_name: key } },
    moving(30, "ARCHIVE", { prefix: "a/", expire_after_days: 31 }),
    { bucket: { lifecycle_rules: [rule, rule], retention: { days: 36_500, locked: true } } },
    { bucket: null, volume },
    { bucket: null, volume: { ...volume, type: "hyperdisk-balanced", iops: 3000, throughput: 140, kms_key_name: key } },
    { bucket: null, volume: { ...volume, type: "hyperdisk-throughput", size_gib: 2048, throughput: 100 } },
    { name: "google-disk", bucket: null, volume },
  ],
};

const role = "roles/storage.objectViewer";
const member = "group:ops@example.com";

/** Test cases for the variables that storage/gcp v1.1.0 added. */
export const badLaterStorages: VariableCases = {
  base: badStorages.base,
  rejected: [
    ["bucket", { bucket: { abort_uploads_after_days: -1 } }],
    ["bucket", { bucket: { abort_uploads_after_days: 0.5 } }],
    ["bucket", { bucket: { grants: [{ role, member: "allUsers" }] } }],
    ["bucket", { bucket: { grants: [{ role, member: "allAuthenticatedUsers" }] } }],
    ["bucket", { bucket: { grants: [{ role, member: "ops" }] } }],
    ["bucket", { bucket: { grants: [{ role: "roles/owner", member }] } }],
    [
      "bucket",
      {
        bucket: {
          grants: [
            { role, member },
            { role, member },
          ],
        },
      },
    ],
  ],
  accepted: [
    { bucket: { abort_uploads_after_days: 0, grants: [{ role, member }] } },
    { bucket: { grants: [{ role: "projects/p/roles/custom.reader", member: "serviceAccount:a@p.iam.gserviceaccount.com" }] } },
    { bucket: null, volume: { ...volume, final_snapshot: true } },
  ],
};
