import { expect, test } from "vitest";
import { checkOverrides } from "./check-overrides.ts";

const on = (cloud: string, overrides: Parameters<typeof checkOverrides>[1]): string[] =>
  checkOverrides({ kind: "Network", cloud }, overrides).map(({ path }) => path);

test("M076 overrides may change a configuration's own resources, and nothing that runs programs or belongs to another provider", () => {
  const vpc = { resource: { aws_vpc: { main: { enable_dns_support: true } } } };
  expect(on("aws", vpc)).toEqual([]);
  expect(on("gcp", vpc)).toEqual(["resource.aws_vpc.main"]);
  expect(on("local", vpc)).toEqual(["resource.aws_vpc.main"]);
  const program = { resource: { aws_vpc: { main: { provisioner: { "local-exec": { command: "id" } } } } } };
  expect(on("aws", program)).toHaveLength(1);
  expect(on("aws", { module: { evil: { source: "git::https://example.com/evil" } } })).toEqual(["module"]);
});

test("M076 M136 overrides cannot set what records ownership, wherever the cloud keeps it", () => {
  const network = (change: Parameters<typeof checkOverrides>[1]) => ({ resource: { google_compute_network: { this: change } } });
  expect(on("gcp", network({ mtu: 1500 }))).toEqual([]);
  for (const change of [{ description: "cloudwright:entity=other" }, { labels: {} }, { resource_labels: {} }])
    expect(on("gcp", network(change))).toHaveLength(1);
  expect(on("gcp", { locals: { owned: "Managed by Cloudwright (cloudwright:entity=other cloudwright:part=" } })).toHaveLength(1);
  expect(on("aws", { resource: { aws_security_group: { endpoints: { description: "mine" } } } })).toEqual([]);
});
