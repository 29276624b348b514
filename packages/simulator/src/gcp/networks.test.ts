import { getCloud } from "@cloudwright/contract/clouds";
import { createManualClock } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { changeConditions } from "../cloud/conditions.ts";
import { callProvider, type ProviderCalls } from "../testing/call-provider.ts";
import { textOf } from "../values/read-value.ts";
import type { ValueMap } from "../values/value.ts";
import { gcpProvider } from "./provider.ts";

const config = { project: "acme-project", region: "europe-west1" };

async function make(gcp: ProviderCalls, type: string, wanted: ValueMap): Promise<ValueMap & { readonly id: string }> {
  const { state, said } = await gcp.create(type, wanted);
  if (state === null) throw new Error(said.join());
  return state as ValueMap & { readonly id: string };
}

async function openNetwork() {
  const gcp = callProvider(gcpProvider, { config });
  const network = await make(gcp, "google_compute_network", { name: "main", auto_create_subnetworks: false });
  const secondary = [{ range_name: "pods", ip_cidr_range: "10.4.0.0/14" }];
  const wanted = { name: "main", network: network.id, ip_cidr_range: "10.0.0.0/20", secondary_ip_range: secondary };
  const subnet = await make(gcp, "google_compute_subnetwork", wanted);
  return { gcp, network, subnet, wanted };
}

test("M119 a network, a subnet and an address have the attributes that Google Cloud computes", async () => {
  const { gcp, network, subnet } = await openNetwork();
  const home = "https://www.googleapis.com/compute/v1/projects/acme-project";
  expect(network).toMatchObject({
    id: "projects/acme-project/global/networks/main",
    self_link: `${home}/global/networks/main`,
    routing_mode: "REGIONAL",
    mtu: 1460,
    deletion_policy: "DELETE",
    network_id: expect.stringMatching(/^\d{19}$/),
  });
  expect(subnet).toMatchObject({
    self_link: `${home}/regions/europe-west1/subnetworks/main`,
    gateway_address: "10.0.0.1",
    purpose: "PRIVATE",
    stack_type: "IPV4_ONLY",
    private_ip_google_access: false,
    creation_timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
  const address = await make(gcp, "google_compute_address", { name: "nat", labels: { team: "a" } });
  expect(address).toMatchObject({
    address: expect.stringMatching(/^34\.\d+\.\d+\.\d+$/),
    network_tier: "PREMIUM",
    effective_labels: { team: "a", "goog-terraform-provisioned": "true" },
  });
  const inner = { name: "inner", address_type: "INTERNAL", subnetwork: subnet.id };
  expect((await make(gcp, "google_compute_address", inner))["address"]).toMatch(/^10\.0\.\d+\.\d+$/);
});

test.each([
  ["google_compute_network", { name: "Main" }, "Error 400: Invalid value for field 'resource.name': 'Main'", "invalid"],
  ["google_compute_network", { name: "main-" }, "Must be a match of regex", "invalid"],
  ["google_compute_network", { name: "a".repeat(64) }, "Error 400", "invalid"],
  ["google_compute_network", { name: "main" }, "Error 409: The resource", "alreadyExists"],
  ["google_compute_network", { name: "b", mtu: 1200 }, "Error 400", "invalid"],
  [
    "google_compute_subnetwork",
    { name: "b", ip_cidr_range: "10.0.8.0/24" },
    "conflicts with existing subnetwork 'main'",
    "invalidResourceUsage",
  ],
  [
    "google_compute_subnetwork",
    { name: "b", ip_cidr_range: "10.5.0.0/24" },
    "conflicts with existing subnetwork",
    "invalidResourceUsage",
  ],
  ["google_compute_subnetwork", { name: "b", ip_cidr_range: "10.9.0.0/30" }, "Invalid IPCidrRange: 10.9.0.0/30", "invalid"],
  [
    "google_compute_subnetwork",
    { name: "b", ip_cidr_range: "10.9.0.0/24", network: "other" },
    "Error 404: The resource 'projects/acme-project/global/networks/other'",
    "notFound",
  ],
  ["google_compute_subnetwork", { name: "b", ip_cidr_range: "10.9.0.0/24", region: "eu-west-1" }, "Unknown region", "invalid"],
  ["google_compute_firewall", { name: "b" }, "either allow rules or deny rules", "invalid"],
  [
    "google_compute_firewall",
    { name: "b", allow: [{ protocol: "tcp" }], source_ranges: ["10.0.0.300/8"] },
    "Must be a valid CIDR range",
    "invalid",
  ],
  [
    "google_compute_router_nat",
    { name: "b", router: "none", source_subnetwork_ip_ranges_to_nat: "ALL_SUBNETWORKS_ALL_IP_RANGES" },
    "routers/none' was not found",
    "notFound",
  ],
  ["google_compute_address", { name: "b", labels: { Team: "a" } }, "violates format constraints", "invalid"],
  ["google_compute_address", { name: "b", labels: { team: "a/b" } }, "violates format constraints", "invalid"],
  ["google_compute_disk", { name: "b", zone: "europe-west1-a" }, "Unknown zone", "invalid"],
  ["google_compute_disk", { name: "b", zone: "europe-west1-b", type: "gp3" }, "disk type cannot be found", "invalid"],
  [
    "google_compute_disk",
    { name: "b", zone: "europe-west1-b", size: 10, type: "pd-extreme" },
    "between 500 and 65536",
    "invalid",
  ],
  [
    "google_compute_disk",
    { name: "b", zone: "europe-west1-b", size: 10, provisioned_iops: 10 },
    "does not support it",
    "invalid",
  ],
  ["google_storage_bucket", { name: "Logs", location: "EU" }, "Invalid bucket name", "invalid"],
  ["google_storage_bucket", { name: "my-google-logs", location: "EU" }, "Invalid bucket name", "invalid"],
  ["google_storage_bucket", { name: "logs", location: "eu-west-1" }, "location constraint is not valid", "invalid"],
])("M119 %s with %j is rejected with the error that Google Cloud returns", async (type, wanted, words, reason) => {
  const { gcp, network } = await openNetwork();
  const has = gcpProvider.schema.resources[type]?.block.attributes ?? {};
  const around = has["network"]?.required ? { network: network.id } : {};
  const { state, said } = await gcp.create(type, { ...around, ...(wanted as ValueMap) });
  expect(state).toBeNull();
  expect(said).toEqual([expect.stringMatching(new RegExp(`googleapi: Error \\d+: .*, ${reason}$`))]);
  expect(said[0]).toContain(words);
});

test("M032 a resource cannot be deleted before its dependents; Cloud NAT is deleted with its router", async () => {
  const { gcp, network, subnet } = await openNetwork();
  const router = await make(gcp, "google_compute_router", { name: "main", network: network.id });
  const address = await make(gcp, "google_compute_address", { name: "nat" });
  const nat = {
    name: "main",
    router: "main",
    nat_ip_allocate_option: "MANUAL_ONLY",
    nat_ips: [textOf(address["self_link"])],
    source_subnetwork_ip_ranges_to_nat: "LIST_OF_SUBNETWORKS",
    subnetwork: [{ name: subnet.id, source_ip_ranges_to_nat: ["ALL_IP_RANGES"] }],
  };
  const gateway = await make(gcp, "google_compute_router_nat", nat);
  expect(gateway.id).toBe("acme-project/europe-west1/main/main");
  const second = await gcp.create("google_compute_router_nat", { ...nat, name: "second" });
  expect(second.said.join()).toContain("already covered by another NAT");
  const empty = await gcp.create("google_compute_router_nat", { ...nat, name: "empty", nat_ips: [], subnetwork: [] });
  expect(empty.said.join()).toContain("nat_ips must be set");
  const refuse = async (type: string, state: ValueMap): Promise<string> => (await gcp.remove(type, state)).said.join();
  const inUse = /is already being used by '.+', resourceInUseByAnotherResource$/;
  expect(await refuse("google_compute_network", network)).toMatch(inUse);
  expect(await refuse("google_compute_subnetwork", subnet)).toMatch(inUse);
  expect(await refuse("google_compute_address", address)).toMatch(inUse);
  expect((await gcp.read("google_compute_address", address)).state?.["users"]).toEqual([
    "https://www.googleapis.com/compute/v1/projects/acme-project/regions/europe-west1/routers/main",
  ]);
  expect(await refuse("google_compute_router", router)).toBe("");
  expect(await gcp.inventory.list("a", "google_compute_router_nat")).toEqual([]);
  for (const [type, state] of [
    ["google_compute_address", address],
    ["google_compute_subnetwork", subnet],
    ["google_compute_network", network],
  ] as const)
    expect(await refuse(type, state)).toBe("");
  expect(await gcp.inventory.list("a")).toEqual([]);
});

test("M119 a subnet grows in place; a smaller or different range and a new description replace it", async () => {
  const { gcp, subnet, wanted } = await openNetwork();
  const type = "google_compute_subnetwork";
  expect((await gcp.update(type, subnet, { ...wanted, ip_cidr_range: "10.0.0.0/22" })).replaced).toEqual(["ip_cidr_range"]);
  expect((await gcp.update(type, subnet, { ...wanted, description: "x" })).replaced).toEqual(["description"]);
  const grown = await gcp.update(type, subnet, { ...wanted, ip_cidr_range: "10.0.0.0/19" });
  expect(grown.state).toMatchObject({ ip_cidr_range: "10.0.0.0/19", gateway_address: "10.0.0.1" });
});

test.each([
  ["google_compute_network", {}, "networks-per-project", "Quota 'NETWORKS' exceeded.  Limit: 2.0 globally., quotaExceeded"],
  [
    "google_compute_address",
    {},
    "static-addresses-per-region",
    "Quota 'STATIC_ADDRESSES' exceeded.  Limit: 2.0 in region europe-west1., quotaExceeded",
  ],
])("X021 the number of %s is limited by the quota, even when all are requested at once", async (type, wanted, quota, words) => {
  const gcp = callProvider(gcpProvider, { config });
  await changeConditions(gcp.inventory, "a", { quotas: { [quota]: 2 } });
  const results = await Promise.all([1, 2, 3, 4].map((index) => gcp.create(type, { ...wanted, name: `n${index}` })));
  expect(results.filter(({ state }) => state !== null)).toHaveLength(2);
  expect(results.flatMap(({ said }) => said)).toEqual([expect.stringContaining(words), expect.stringContaining(words)]);
});

test("X021 a disk quota of zero refuses every disk", async () => {
  const gcp = callProvider(gcpProvider, { config });
  await changeConditions(gcp.inventory, "a", { quotas: { "disk-gib-per-region": 0 } });
  const { said } = await gcp.create("google_compute_disk", { name: "a", zone: "europe-west1-b", size: 1 });
  expect(said.join()).toContain("Quota 'DISKS_TOTAL_GB' exceeded.  Limit: 0.0 in region europe-west1., quotaExceeded");
});

test("X030 an operation takes time, the resource exists in the meantime, and it remains when the run is stopped", async () => {
  const clock = createManualClock();
  const gcp = callProvider(gcpProvider, { config, clock, conditions: { timeScale: 1 } });
  const making = gcp.create("google_compute_network", { name: "main" });
  await expect.poll(() => gcp.inventory.list("a", "google_compute_network")).toHaveLength(1);
  gcp.stop.abort();
  const { said } = await making;
  expect(said).toEqual(["The operation was stopped"]);
  expect(await gcp.inventory.list("a", "google_compute_network")).toHaveLength(1);
});

test("X021 a throttled project answers some calls and then reports the request quota", async () => {
  const gcp = callProvider(gcpProvider, { config, conditions: { timeScale: 0.001 } });
  await changeConditions(gcp.inventory, "a", { throttle: { perSecond: 0, burst: 1 } });
  const results = await Promise.all(["a", "b"].map((name) => gcp.create("google_compute_address", { name })));
  expect(results.flatMap(({ said }) => said)).toEqual([expect.stringContaining("rateLimitExceeded")]);
});

test("M137 a locked retention can neither be shortened nor removed, and public grants are refused", async () => {
  const gcp = callProvider(gcpProvider, { config });
  const type = "google_storage_bucket";
  const wanted = { name: "logs", location: "EU", public_access_prevention: "enforced" };
  const locked = { ...wanted, retention_policy: [{ is_locked: true, retention_period: "86400" }] };
  const bucket = await make(gcp, type, locked);
  expect(bucket).toMatchObject({ url: "gs://logs", self_link: "https://www.googleapis.com/storage/v1/b/logs" });
  const shorter = { ...wanted, retention_policy: [{ is_locked: true, retention_period: "3600" }] };
  for (const change of [wanted, shorter]) {
    expect((await gcp.update(type, bucket, change)).said.join()).toContain("locked Retention Policy");
  }
  const grant = { bucket: "logs", role: "roles/storage.objectViewer", member: "allUsers" };
  expect((await gcp.create("google_storage_bucket_iam_member", grant)).said.join()).toContain(
    "public access prevention is enforced",
  );
  const missing = await gcp.create("google_storage_bucket_iam_member", { ...grant, bucket: "none", member: "user:a@b.c" });
  expect(missing.said.join()).toContain("The specified bucket does not exist., notFound");
});

test.each(getCloud("gcp").network.reservedRanges)(
  "M119 Google Cloud refuses a subnet in the reserved range %s",
  async (reserved) => {
    const { gcp, wanted } = await openNetwork();
    const [first = "", prefix = ""] = reserved.split("/");
    const text = `${first}/${Math.min(29, Number(prefix))}`;
    const range = Number(prefix) > 29 ? text.replace(/\d+\//, (last) => `${Number.parseInt(last, 10) & ~7}/`) : text;
    const primary = await gcp.create("google_compute_subnetwork", {
      ...wanted,
      name: "b",
      ip_cidr_range: range,
      secondary_ip_range: [],
    });
    expect(primary.said.join()).toMatch(
      /Error 400: Invalid value for field 'resource\.ipCidrRange'.*prohibited range.*, invalid/,
    );
    const secondary = [{ range_name: "pods", ip_cidr_range: range }];
    const other = await gcp.create("google_compute_subnetwork", {
      ...wanted,
      name: "c",
      ip_cidr_range: "10.9.0.0/24",
      secondary_ip_range: secondary,
    });
    expect(other.said.join()).toMatch(/resource\.secondaryIpRanges\[0\]\.ipCidrRange.*prohibited range/);
  },
);
