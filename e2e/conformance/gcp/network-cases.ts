import type { Change, ConformanceCase, Variables } from "../conformance-case.ts";

const region = "europe-west1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const first = "network/gcp/v1.0.0";
const second = "network/gcp/v1.1.0";

const usual: Variables = { name: "net", region, owner };

/** Variables that select the network and subnet that already exist in the local cloud. */
const existing: Variables = { network: "main", subnet: "main" };

/** Every variable of v1.0.0, each with a value other than its default. */
const whole: Variables = {
  ...usual,
  project: "acme-1",
  zones: ["europe-west1-b", "europe-west1-c"],
  cidr_range: "10.8.0.0/14",
  subnet_cidr: "10.8.0.0/20",
  pod_cidr: "100.64.0.0/16",
  service_cidr: "100.72.0.0/20",
  pod_range_name: "my-pods",
  service_range_name: "my-services",
  routing_mode: "global",
  mtu: 8896,
  private_google_access: false,
  nat: "regional",
  nat_ips: 2,
  load_balancer_ips: 2,
  flow_logs: { sampling_percent: 12.5, aggregation_interval: "INTERVAL_10_MIN" },
  labels: { team: "a" },
};

const later: Variables = { nat_logs: "all", nat_ports_per_machine: 128, nat_dynamic_ports: false, firewall_logs: true };

/** Changes to a live network, applied one after another. None of them may replace a resource. */
const changes: readonly Change[] = [
  { variables: { labels: { team: "b" }, routing_mode: "regional", flow_logs: null, private_google_access: true } },
  { variables: { nat_ips: 3, load_balancer_ips: 3, subnet_cidr: "10.8.0.0/18", flow_logs: {} } },
  { variables: { nat_ips: 1, load_balancer_ips: 1, labels: {} }, mayRemove: /^google_compute_address\./ },
  { variables: { nat_ips: 0 }, mayRemove: /^google_compute_address\.nat/ },
  { variables: { nat: "none" }, mayRemove: /^google_compute_router/ },
  { variables: { nat: "regional", nat_ips: 1 } },
];

/** Conformance cases for the network configuration. */
export const networkCases: readonly ConformanceCase[] = [
  { title: "an existing network is only read", place: first, variables: { ...usual, ...existing } },
  { title: "an existing network is only read", place: second, variables: { ...usual, ...existing } },
  { title: "a network with defaults is stable", place: first, variables: usual },
  { title: "a network with defaults is stable", place: second, variables: usual },
  { title: "a network with every setting is changed in place", place: first, variables: whole, changes },
  {
    title: "a network with every setting is changed in place",
    place: second,
    variables: { ...whole, ...later },
    changes: [
      ...changes,
      { variables: { nat_logs: "none", nat_dynamic_ports: true, firewall_logs: false } },
      { variables: { nat_logs: "errors", nat_dynamic_ports: false, nat_ports_per_machine: 64, firewall_logs: true } },
    ],
  },
  {
    title: "the upgrade to v1.1.0 replaces nothing",
    place: first,
    variables: whole,
    changes: [{ place: second }, { variables: later }],
  },
  {
    title: "the upgrade to v1.1.0 replaces nothing in a network with defaults",
    place: first,
    variables: { ...usual, nat: "regional" },
    changes: [{ place: second }],
  },
];
