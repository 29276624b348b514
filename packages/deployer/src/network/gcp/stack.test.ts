import { Secret } from "@cloudwright/platform";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../../executor/terraform/configurations.ts";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings } from "../../testing/test-task.ts";
import { gcpNetwork } from "./stack.ts";

const spec = { gcp: { projectId: "acme-project" }, simulated: true };
const account: DeployedAccount = { uid: "a", name: "sim", cloud: "gcp", simulated: true, spec };

const createNetwork = (change: JsonObject) =>
  createTestEntity("Network", { name: "net", labels: { team: "A" }, spec: { region: "europe-west1", ...change } });
const render = (change: JsonObject, version = "v1.0.0", outputs: JsonObject = {}) =>
  gcpNetwork.variables(createNetwork(change), account, createTestSurroundings({ outputs }), version);

test("M063 M119 M136 a default network has the account's project, computed ranges, the region's zones and labels", () => {
  expect(render({})).toMatchObject({
    name: "net",
    project: "acme-project",
    region: "europe-west1",
    zones: ["europe-west1-b", "europe-west1-c", "europe-west1-d"],
    cidr_range: "10.0.0.0/16",
    subnet_cidr: "10.0.0.0/20",
    pod_cidr: "10.0.128.0/17",
    service_cidr: "10.0.64.0/20",
    pod_range_name: "pods",
    service_range_name: "services",
    nat: "none",
    owner: { project: "default", entity: "uid-1" },
    labels: { team: "__41" },
  });
  expect(render({ region: "us-central1" })["zones"]).toEqual(["us-central1-a", "us-central1-b", "us-central1-c"]);
  const large = { subnet_cidr: "10.0.0.0/12", pod_cidr: "10.128.0.0/9", service_cidr: "10.64.0.0/16" };
  expect(render({ cidr: "10.0.0.0/8" })).toMatchObject(large);
  expect(render({ nat: "per-zone" })["nat"]).toBe("regional");
});

test("M063 M119 fields of the spec become variables", () => {
  const gcp = {
    routing: "global",
    loadBalancerIps: 2,
    natIps: 3,
    flowLogs: true,
    flowLogSamplingPercent: 10,
    podCidr: "100.64.0.0/14",
    serviceCidr: "100.68.0.0/20",
    podRangeName: "p",
    serviceRangeName: "s",
    withoutPrivateGoogleAccess: true,
    mtu: 8896,
  };
  const subnets = { private: ["10.0.16.0/20"] };
  expect(render({ gcp, nat: "single", zones: ["c", "europe-west1-d"], subnets })).toMatchObject({
    zones: ["europe-west1-c", "europe-west1-d"],
    subnet_cidr: "10.0.16.0/20",
    pod_cidr: "100.64.0.0/14",
    service_cidr: "100.68.0.0/20",
    pod_range_name: "p",
    service_range_name: "s",
    routing_mode: "global",
    mtu: 8896,
    private_google_access: false,
    nat: "regional",
    nat_ips: 3,
    load_balancer_ips: 2,
    flow_logs: { sampling_percent: 10 },
  });
});

test("M033 for an existing network, only names are passed on, whether the spec has names, ids or self links", () => {
  const home = "projects/acme-project";
  for (const [id, subnet] of [
    ["main", "nodes"],
    [`${home}/global/networks/main`, `${home}/regions/europe-west1/subnetworks/nodes`],
    [
      `https://www.googleapis.com/compute/v1/${home}/global/networks/main`,
      `https://www.googleapis.com/compute/v1/${home}/regions/europe-west1/subnetworks/nodes`,
    ],
  ] as const) {
    const rendered = render({ existing: { id, privateSubnetIds: [subnet] }, gcp: { podRangeName: "p" } });
    expect(rendered).toMatchObject({ network: "main", subnet: "nodes", pod_range_name: "p", service_range_name: "services" });
    expect(rendered).not.toHaveProperty("cidr_range");
  }
});

test.each(["v1.0.0", "v1.1.0"])("M063 every rendered value is a variable of %s", (version) => {
  const text = readFileSync(join(ownConfigurations, "network/gcp", version, "variables.tf"), "utf8");
  const names = [...text.matchAll(/^variable "(\w+)"/gm)].map((match) => match[1] ?? "");
  const later = version === "v1.0.0" ? {} : { natPortsPerMachine: 128 };
  const existing = render({ existing: { id: "main", privateSubnetIds: ["nodes"] } }, version);
  expect(names.toSorted()).toEqual(Object.keys({ ...render({ gcp: { mtu: 1460, ...later } }, version), ...existing }).toSorted());
});

const existing = (change: JsonObject = {}) => ({ existing: { id: "main", privateSubnetIds: ["nodes"], ...change } });
test.each([
  [{ region: "eu-west-1" }, "deployer.bad_spec", "spec.region"],
  [{ region: "westeurope" }, "deployer.bad_spec", "spec.region"],
  [{ cidr: "10.0.0.0/24" }, "deployer.bad_spec", "spec.cidr"],
  [{ cidr: "10.0.0.0/7" }, "deployer.bad_spec", "spec.cidr"],
  [{ zones: ["europe-west4-a"] }, "deployer.bad_spec", "spec.zones"],
  [{ zones: ["europe-west1-bb"] }, "deployer.bad_spec", "spec.zones"],
  [{ subnets: { public: ["10.0.0.0/24"] } }, "deployer.bad_spec", "spec.subnets.public"],
  [{ subnets: { intra: ["10.0.0.0/24"] } }, "deployer.bad_spec", "spec.subnets.intra"],
  [{ subnets: { private: ["10.0.0.0/24", "10.0.1.0/24"] } }, "deployer.bad_spec", "spec.subnets.private[1]"],
  [{ subnets: { private: ["10.1.0.0/24"] } }, "deployer.bad_spec", "spec.subnets.private[0]"],
  [{ gcp: { podCidr: "10.0.0.0/18" } }, "deployer.bad_spec", "spec.gcp.podCidr"],
  [{ gcp: { podCidr: "10.8.0.0/28" } }, "deployer.bad_spec", "spec.gcp.podCidr"],
  [{ gcp: { serviceCidr: "10.0.192.0/20" } }, "deployer.bad_spec", "spec.gcp.serviceCidr"],
  [{ gcp: { serviceCidr: "10.0.64.1/20" } }, "deployer.bad_spec", "spec.gcp.serviceCidr"],
  [{ gcp: { natIps: 1 } }, "deployer.bad_spec", "spec.gcp.natIps"],
  [existing({ id: "vpc_1" }), "deployer.bad_spec", "spec.existing.id"],
  [existing({ id: "projects/host-project/global/networks/main" }), "deployer.bad_spec", "Shared VPC"],
  [existing({ privateSubnetIds: [] }), "deployer.bad_spec", "spec.existing.privateSubnetIds"],
  [existing({ privateSubnetIds: ["a", "b"] }), "deployer.bad_spec", "spec.existing.privateSubnetIds"],
  [existing({ privateSubnetIds: ["Nodes"] }), "deployer.bad_spec", "spec.existing.privateSubnetIds"],
  [
    existing({ privateSubnetIds: ["projects/acme-project/regions/us-east1/subnetworks/a"] }),
    "deployer.bad_spec",
    "spec.existing.privateSubnetIds",
  ],
  [existing({ publicSubnetIds: ["a"] }), "deployer.bad_spec", "spec.existing.publicSubnetIds"],
  [{ gcp: { natLogs: "all" } }, "deployer.not_supported", "spec.gcp.natLogs"],
  [{ gcp: { natPortsPerMachine: 128 } }, "deployer.not_supported", "spec.gcp.natPortsPerMachine"],
  [{ gcp: { firewallLogs: true } }, "deployer.not_supported", "spec.gcp.firewallLogs"],
])("M063 %j is rejected with %s, which names %s", (change, code, words) => {
  expect(() => render(change as JsonObject)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(words) as string }),
  );
});

test("M138 an upgrade turns on neither logs nor dynamic port allocation, and a new network has both", () => {
  expect(render({}, "v1.1.0")).toMatchObject({ nat_logs: "errors", nat_dynamic_ports: true, firewall_logs: false });
  expect(render({}, "v1.1.0", { infra_version: "v1.0.0" })).toMatchObject({ nat_logs: "none", nat_dynamic_ports: false });
  const upgraded = { infra_version: "v1.1.0", infra_origin: "v1.0.0" };
  expect(render({ gcp: { natLogs: "all" } }, "v1.1.0", upgraded)).toMatchObject({ nat_logs: "all", nat_dynamic_ports: false });
});

test("M070 outputs become the status, and invalid outputs cause a fault", () => {
  const output = (value: string | string[]) => ({ isSensitive: false, type: "string", value: new Secret(value) });
  const outputs = {
    network_id: output("projects/p/global/networks/n"),
    public_subnet_ids: output([]),
    private_subnet_ids: output(["projects/p/regions/r/subnetworks/s"]),
    intra_subnet_ids: output([]),
    cidr: output("10.0.0.0/16"),
    zones: output(["r-a"]),
    nat_public_ips: output([]),
    load_balancer_public_ips: output([]),
    load_balancer_ip_ids: output([]),
    pod_range_name: output("pods"),
    service_range_name: output("services"),
  };
  expect(gcpNetwork.status(outputs)).toMatchObject({ network_id: "projects/p/global/networks/n", pod_range_name: "pods" });
  expect(() => gcpNetwork.status({})).toThrow(expect.objectContaining({ code: "deployer.bad_outputs" }));
});

test("M032 a Cloud NAT gateway is found through its router, and gateways of other routers are left alone", () => {
  const tagged = new Map([["projects/p/regions/europe-west1/routers/net-1", 'google_compute_router.this["network"]']]);
  const find = (type: string, ...names: string[]) =>
    gcpNetwork.findUntagged({ type, names }, tagged, () => true, createNetwork({}));
  expect(find("google_compute_router_nat", "net-1", "europe-west1")).toBe('google_compute_router_nat.this["network"]');
  expect(find("google_compute_router_nat", "net-2", "europe-west1")).toBeUndefined();
  expect(find("google_compute_route", "net-1")).toBeUndefined();
});
