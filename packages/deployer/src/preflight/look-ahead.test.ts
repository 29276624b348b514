import { cloudsFaults, type AccountView } from "@cloudwright/clouds";
import { Fault, type FieldViolation } from "@cloudwright/platform";
import { describe, expect, test } from "vitest";
import { createFakeView } from "../testing/fake-view.ts";
import { createTestTask } from "../testing/test-task.ts";
import type { DeployerTask, JsonObject } from "../task.ts";
import { lookAhead } from "./look-ahead.ts";
import { overlaps } from "./network-checks.ts";

interface Case {
  readonly what: string;
  readonly field: string;
  readonly view?: Partial<AccountView>;
  readonly spec?: JsonObject;
}

const many = (count: number) => Array.from({ length: count }, () => ({}));
const vpc = (id: string, range: string) => ({ id, ranges: [range] });

const networkCases: readonly Case[] = [
  { what: "a missing permission", field: "account", view: { listDenied: async () => ["ec2:CreateVpc"] } },
  { what: "a region that is not enabled", field: "spec.region", view: { listZones: async () => [] } },
  { what: "a zone that does not exist", field: "spec.zones", spec: { zones: ["a", "f"] } },
  {
    what: "too many VPCs",
    field: "spec.region",
    view: { listNetworks: async () => [1, 2, 3, 4, 5].map((n) => vpc(`v${n}`, `10.${n}.0.0/16`)) },
  },
  {
    what: "too many internet gateways",
    field: "spec.region",
    view: { listInternetGateways: async () => many(5) },
  },
  { what: "too many elastic IPs", field: "spec.nat", spec: { nat: "per-zone" }, view: { listPublicIps: async () => many(3) } },
  { what: "addresses for load balancers", field: "spec.nat", spec: { aws: { loadBalancerIps: 6 } } },
  {
    what: "too many NAT gateways in a zone",
    field: "spec.nat",
    spec: { nat: "single" },
    view: { listNatGateways: async () => many(5).map(() => ({ zone: "eu-west-1a" })) },
  },
  { what: "a peer's range", field: "spec.cidr", spec: { aws: { peers: ["10.0.128.0/20"] } } },
  {
    what: "the range of a peer in the account",
    field: "spec.cidr",
    spec: { aws: { peers: ["vpc-1"] } },
    view: { listNetworks: async () => [vpc("vpc-1", "10.0.0.0/8")] },
  },
  { what: "an existing VPC that cannot be found", field: "spec.existing.id", spec: { existing: { id: "vpc-2" } } },
  { what: "a peer that does not exist", field: "spec.aws.peers", spec: { aws: { peers: ["vpc-2"] } } },
];

const clusterCases: readonly Case[] = [
  { what: "a missing permission", field: "account", view: { listDenied: async () => ["eks:CreateCluster"] } },
  { what: "a version that is not available", field: "spec.version", spec: { version: "1.19" } },
  { what: "a machine type that does not exist", field: "spec.instanceType", view: { listOffered: async () => [] } },
  {
    what: "a machine type that one zone lacks",
    field: "spec.instanceType",
    view: { listOffered: async () => [{ name: "t3.medium", vcpus: 2, zones: ["eu-west-1a", "eu-west-1b"], isCommon: true }] },
  },
  { what: "too many vCPUs", field: "spec.workers", spec: { workers: 17 } },
  { what: "vCPUs that others use", field: "spec.workers", view: { listMachines: async () => [{ vcpus: 30 }] } },
  {
    what: "services in the network's range",
    field: "spec.networking.serviceCidr",
    spec: { networking: { serviceCidr: "10.0.0.0/20" } },
  },
  { what: "a name that is already in use", field: "metadata.name", view: { findCluster: async () => ({ owner: "somebody" }) } },
];

const storageCases: readonly Case[] = [
  { what: "a missing permission", field: "account", view: { listDenied: async () => ["s3:CreateBucket"] } },
  { what: "a name that is already in use", field: "metadata.name", view: { findBucket: async () => ({}) } },
];

function taskOf(service: string, { spec = {} }: Partial<Case>): DeployerTask {
  const network = { kind: "Network", uid: "n", name: "main", spec: { region: "eu-west-1" }, outputs: {} };
  const parents = service === "network" ? [] : [network];
  return createTestTask(`${service}.preflight`, { spec, parents, openState: async () => ({}) as never });
}

async function look(service: string, given: Partial<Case>): Promise<readonly FieldViolation[]> {
  const openView = async () => ({ view: createFakeView(given.view), close: () => undefined });
  const account = { uid: "a", name: "acc", cloud: "aws", simulated: false, spec: {} };
  const said = await lookAhead({ openView }, taskOf(service, given), service, account).then(
    (warnings) => {
      expect(warnings).toEqual([]);
      return undefined;
    },
    (error: unknown) => error as Fault,
  );
  const fields = said?.fields ?? [];
  expect(said?.code).toBe(fields.length === 0 ? undefined : "deployer.preflight_failed");
  // Users see only the message, so it must contain every finding.
  expect(fields.filter(({ message }) => said?.message.includes(message) !== true)).toEqual([]);
  return fields;
}

test("M161 X013 an upgrade across several minor versions does not start if its last version is not available", async () => {
  const task = taskOf("cluster", { spec: { version: "1.34" } });
  const openView = async () => ({ view: createFakeView(), close: () => undefined });
  const account = { uid: "a", name: "acc", cloud: "aws", simulated: false, spec: {} };
  const onTheWay = { ...task, payload: { ...task.payload, finalVersion: "1.99" } };
  await expect(lookAhead({ openView }, onTheWay, "cluster", account)).rejects.toMatchObject({
    code: "deployer.preflight_failed",
    fields: [{ field: "spec.version" }],
  });
});

test("X013 a range that overlaps another network of the account is a warning, and the network's own range is not", async () => {
  const warn = async (cidr: string, others: readonly { id: string; ranges: string[]; owner?: string }[]) => {
    const openView = async () => ({ view: createFakeView({ listNetworks: async () => others }), close: () => undefined });
    const account = { uid: "a", name: "acc", cloud: "aws", simulated: false, spec: {} };
    return lookAhead({ openView }, taskOf("network", { spec: cidr === "" ? {} : { cidr } }), "network", account);
  };
  const overlapping = [{ severity: "should", field: "spec.cidr", message: expect.stringContaining("vpc-1") as string }];
  expect(await warn("", [vpc("vpc-1", "10.0.0.0/16")])).toMatchObject(overlapping);
  expect(await warn("10.7.0.0/16", [vpc("vpc-2", "10.8.0.0/16"), vpc("vpc-1", "10.7.128.0/20")])).toMatchObject(overlapping);
  expect(await warn("10.7.0.0/16", [vpc("vpc-1", "10.8.0.0/16")])).toEqual([]);
  expect(
    await warn("10.7.0.0/16", [{ ...vpc("vpc-1", "10.7.0.0/16"), owner: taskOf("network", {}).payload.entity.uid }]),
  ).toEqual([]);
});

test("X013 preflight reads the machine type of a node pool, with the cluster's as its default", async () => {
  const listed: string[][] = [];
  const listOffered: AccountView["listOffered"] = async (types) => {
    listed.push([...types]);
    return (await createFakeView().listOffered(types)).filter(({ name }) => name !== "p5.48xlarge");
  };
  const nodePools = [
    { uid: "p1", name: "gpu", spec: { instanceType: "p5.48xlarge", desired: 1, max: 1 } },
    { uid: "p2", name: "web", spec: { desired: 1, max: 1 } },
  ];
  const parents = [{ kind: "Network", uid: "n", name: "main", spec: { region: "eu-west-1" }, outputs: {} }];
  const spec = { workers: 1, instanceType: "m6i.large" };
  const task = createTestTask("cluster.preflight", { spec, parents, nodePools, openState: async () => ({}) as never });
  const openView = async () => ({ view: createFakeView({ listOffered }), close: () => undefined });
  const account = { uid: "a", name: "acc", cloud: "aws", simulated: false, spec: {} };
  // If the executor keeps pools apart, the pool reports the problem itself, and the others are changed.
  expect(await lookAhead({ openView }, task, "cluster", account, { isApart: true })).toMatchObject([
    { field: "nodePools.gpu.instanceType", severity: "should" },
  ]);
  await expect(lookAhead({ openView }, task, "cluster", account)).rejects.toMatchObject({
    fields: [{ field: "nodePools.gpu.instanceType" }],
  });
  expect(listed[0]).toEqual(["m6i.large", "p5.48xlarge", "m6i.large"]);
});

describe.each([
  ["network", networkCases],
  ["cluster", clusterCases],
  ["storage", storageCases],
] as const)("X013 before a %s is built", (service, cases) => {
  test("a valid spec yields no findings", async () => {
    expect(await look(service, { spec: { nat: "per-zone", version: "1.34" } })).toEqual([]);
  });

  test.each(cases)("$what is the only finding", async (given) => {
    expect(await look(service, given)).toMatchObject([{ field: given.field }]);
  });
});

test("X013 M033 an existing network is compared by the range in its outputs", async () => {
  const spec = { networking: { serviceCidr: "10.0.0.0/20" } };
  const network = { kind: "Network", uid: "n", name: "main", spec: { region: "eu-west-1", existing: { id: "vpc-1" } } };
  const openView = async () => ({ view: createFakeView(), close: () => undefined });
  const account = { uid: "a", name: "acc", cloud: "aws", simulated: false, spec: {} };
  const lookIn = (cidr: string): Promise<unknown> => {
    const parents = [{ ...network, outputs: { cidr } }];
    const task = createTestTask("cluster.preflight", { spec, parents, openState: async () => ({}) as never });
    return lookAhead({ openView }, task, "cluster", account);
  };
  await lookIn("172.31.0.0/16");
  await expect(lookIn("10.0.0.0/16")).rejects.toMatchObject({ fields: [{ field: "spec.networking.serviceCidr" }] });
});

test("X013 all problems of a network are reported at once", async () => {
  const found = await look("network", {
    spec: { zones: ["a", "f"], nat: "per-zone", aws: { peers: ["10.0.0.0/8"] } },
    view: {
      listDenied: async () => ["ec2:CreateVpc"],
      listNetworks: async () => [1, 2, 3, 4, 5].map((n) => vpc(`v${n}`, `10.${n}.0.0/16`)),
      listPublicIps: async () => many(5),
      listNatGateways: async () => many(5).map(() => ({ zone: "eu-west-1a" })),
    },
  });
  const fields = ["account", "spec.zones", "spec.region", "spec.nat", "spec.nat", "spec.cidr"];
  expect(found.map(({ field }) => field)).toEqual(fields);
});

test("X013 all problems of a cluster are reported at once", async () => {
  const found = await look("cluster", {
    spec: { version: "1.19", workers: 40, networking: { serviceCidr: "10.0.0.0/20" } },
    view: {
      listDenied: async () => ["eks:CreateCluster"],
      findCluster: async () => ({ owner: "somebody" }),
      listOffered: async () => [{ name: "t3.medium", vcpus: 2, zones: ["eu-west-1a"], isCommon: true }],
    },
  });
  const fields = ["account", "spec.version", "spec.instanceType", "spec.workers", "spec.networking.serviceCidr", "metadata.name"];
  expect(found.map(({ field }) => field)).toEqual(fields);
});

test("X013 machine types with a separate quota do not count against the common quota", async () => {
  const zones = ["eu-west-1a", "eu-west-1b", "eu-west-1c"];
  const listOffered = async () => [{ name: "g5.xlarge", vcpus: 4, zones, isCommon: false }];
  expect(await look("cluster", { spec: { instanceType: "g5.xlarge", workers: 40 }, view: { listOffered } })).toEqual([]);
});

test("X013 the entity's own resources do not count as conflicts", async () => {
  const own = { owner: "entity" };
  const limits = { networks: 1, publicIps: 1, natGatewaysPerZone: 1, internetGateways: 1, vcpus: 4 };
  const view = {
    getLimits: async () => limits,
    listNetworks: async () => [{ ...vpc("v", "10.0.0.0/16"), ...own }],
    listPublicIps: async () => [own],
    listNatGateways: async () => [{ zone: "eu-west-1a", ...own }],
    listInternetGateways: async () => [own],
    listMachines: async () => [{ vcpus: 4, ...own }],
    findCluster: async () => own,
    findBucket: async () => own,
  };
  for (const service of ["network", "cluster", "storage"])
    expect(await look(service, { spec: { nat: "single" }, view })).toEqual([]);
});

test("X013 M115 while a NAT gateway moves, the quota must allow the old address and the new one", async () => {
  const own = { owner: "entity" };
  const openView = async () => ({
    view: createFakeView({ listPublicIps: async () => [...many(4), own], listNatGateways: async () => [] }),
    close: () => undefined,
  });
  const account = { uid: "a", name: "acc", cloud: "aws", simulated: false, spec: {} };
  const move = (natZone: string, outputs: JsonObject): Promise<unknown> => {
    const task = taskOf("network", { spec: { nat: "single", aws: { natZone } } });
    return lookAhead({ openView }, { ...task, payload: { ...task.payload, outputs } }, "network", account);
  };
  const built = { nat_zones: ["eu-west-1a"], nat_retiring: [] };
  await expect(move("b", built)).rejects.toMatchObject({ fields: [{ field: "spec.nat" }] });
  // No additional address is needed if the gateway stays in its zone, or if an earlier configuration version deletes it first.
  for (const same of [move("a", built), move("", built), move("b", { nat_zones: ["eu-west-1a"] })]) {
    expect(await same).toEqual([]);
  }
});

test("X013 a missing read permission is a finding; an unreachable cloud is retried", async () => {
  const getLimits = async (): Promise<never> => {
    throw new Fault(cloudsFaults.not_allowed, "AWS could not read the quotas: AccessDenied");
  };
  expect(await look("network", { spec: { zones: ["f"] }, view: { getLimits } })).toMatchObject([
    { field: "spec.zones" },
    { field: "account" },
  ]);
  const listNetworks = async (): Promise<never> => {
    throw new Fault(cloudsFaults.unreachable, "nobody answers");
  };
  const openView = async () => ({ view: createFakeView({ listNetworks }), close: () => undefined });
  const account = { uid: "a", name: "acc", cloud: "aws", simulated: false, spec: {} };
  const silent = lookAhead({ openView }, taskOf("network", {}), "network", account);
  await expect(silent).rejects.toMatchObject({ code: "clouds.unreachable", retry: "backoff" });
});

test("X013 rejected credentials are the only finding", async () => {
  const getIdentity = async (): Promise<never> => {
    throw new Fault(cloudsFaults.credentials_refused, "expired");
  };
  const openView = async () => ({ view: createFakeView({ getIdentity, listDenied: async () => ["x"] }), close: () => undefined });
  const account = { uid: "a", name: "acc", cloud: "aws", simulated: false, spec: {} };
  await expect(lookAhead({ openView }, taskOf("network", {}), "network", account)).rejects.toMatchObject({
    code: "clouds.credentials_refused",
  });
});

test("X013 ranges overlap if they have an address in common", () => {
  const pairs = {
    "10.0.0.0/16 10.0.255.0/24": true,
    "10.0.0.0/16 10.1.0.0/16": false,
    "0.0.0.0/0 10.0.0.0/8": true,
    "x 10.0.0.0/8": false,
  };
  for (const [pair, expected] of Object.entries(pairs)) {
    const [first = "", second = ""] = pair.split(" ");
    expect([overlaps(first, second), overlaps(second, first)]).toEqual([expected, expected]);
  }
});

test("X013 all problems of a storage entity are reported at once", async () => {
  const found = await look("storage", {
    view: { listDenied: async () => ["s3:CreateBucket"], findBucket: async () => ({}) },
  });
  expect(found.map(({ field }) => field)).toEqual(["account", "metadata.name"]);
});

test.each([
  ["gcp", "network", "preflight checks of the network service are not implemented for Google Cloud yet"],
  ["azure", "cluster", "preflight checks of the cluster service are not implemented for Azure yet"],
  ["local", "storage", "preflight checks of the storage service are not implemented for Self-managed machines yet"],
])(
  "X013 if the view of a %s account cannot be opened, a %s in it gets a warning instead of an empty list of findings",
  async (cloud, service, message) => {
    const openView = async () => undefined;
    const account = { uid: "a", name: "acc", cloud, simulated: true, spec: {} };
    const lines: string[] = [];
    const task = { ...taskOf(service, {}), log: (line: string) => void lines.push(line) };
    const warnings = await lookAhead({ openView }, task, service, account);
    expect(warnings).toMatchObject([{ severity: "should", field: "account", message, code: "clouds.not_implemented" }]);
    expect(lines).toEqual([expect.stringContaining(message)]);
  },
);

test("X013 a cloud without an account view also causes a warning", async () => {
  const account = { uid: "a", name: "acc", cloud: "aws", simulated: true, spec: {} };
  const warnings = await lookAhead({ openView: async () => undefined }, taskOf("network", {}), "network", account);
  expect(warnings).toMatchObject([{ severity: "should", code: "clouds.not_implemented" }]);
});
