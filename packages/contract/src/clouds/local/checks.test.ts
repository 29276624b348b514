import { expect, test } from "vitest";
import { listSpecProblems } from "../index.ts";

const check = (kind: string, spec: Readonly<Record<string, unknown>>): string[] =>
  listSpecProblems("local", kind, { name: "net", spec, owner: {}, region: "" }).map(({ field }) => field);

test("M206 a network on one's own machine has a range, and addresses are translated unless it says otherwise", () => {
  expect(check("Network", { account: "rack", cidr: "10.1.0.0/16" })).toEqual([]);
  expect(check("Network", { account: "rack", nat: "none", subnets: { private: [] }, infra: { approval: "always" } })).toEqual([]);
});

test("M206 regions, zones, subnets, existing networks and settings of Terraform are refused", () => {
  const spec = {
    region: "eu-west-1",
    zones: ["a"],
    subnets: { private: ["10.0.1.0/24"] },
    nat: "single",
    existing: { id: "br0" },
    local: { bridge: "br0" },
    infra: { version: "v1.0.0", overrides: { locals: {} }, backend: { name: "s3" } },
  };
  expect(check("Network", spec)).toEqual([
    "spec.region",
    "spec.zones",
    "spec.subnets",
    "spec.nat",
    "spec.existing",
    "spec.local.bridge",
    "spec.infra.version",
    "spec.infra.overrides",
    "spec.infra.backend",
  ]);
});

test("M206 clusters on one's own machines are refused until they can be built", () => {
  expect(check("Cluster", { network: "net" })).toEqual(["spec.network"]);
});

test("M206 a volume on one's own machine has no region, zone or type", () => {
  expect(check("Volume", { account: "rack", sizeGib: 1 })).toEqual([]);
  expect(check("Volume", { region: "eu-west-1", zone: "a", type: "gp3" })).toEqual(["spec.region", "spec.zone", "spec.type"]);
});
