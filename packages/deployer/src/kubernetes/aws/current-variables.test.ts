import { expect, test } from "vitest";
import type { DeployedAccount, JsonObject, Surroundings } from "../../task.ts";
import { createTestEntity, createTestSurroundings, type TestTaskOptions } from "../../testing/test-task.ts";
import { awsKubernetes } from "./stack.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "aws", simulated: true, spec: {} };
const entity = (spec: JsonObject) => createTestEntity("Cluster", { name: "dev", labels: { team: "a" }, spec });
const built = { private_subnet_ids: ["p-a", "p-b"], intra_subnet_ids: ["i-a", "i-b"], public_subnet_ids: ["o-a", "o-b"] };
const inNetwork = (
  outputs: JsonObject = built,
  nodePools: TestTaskOptions["nodePools"] = [],
  own: JsonObject = {},
): Surroundings =>
  createTestSurroundings({
    parents: [{ kind: "Network", uid: "n", name: "net", spec: { region: "eu-west-1" }, outputs }],
    nodePools,
    outputs: own,
  });
const render = (spec: JsonObject, around = inNetwork(), version = "v1.0.0") =>
  awsKubernetes.variables(entity(spec), account, around, version);
const pool = (name: string, spec: JsonObject) => ({ uid: name, name, spec });

const observed = { address: "198.51.100.1", principal: "arn:aws:iam::123456789012:user/ada" };
const renderCurrent = (spec: JsonObject, own: JsonObject = {}, nodePools: TestTaskOptions["nodePools"] = []) =>
  awsKubernetes.variables(entity(spec), account, { ...inNetwork(built, nodePools, own), observed }, "v1.1.0");
const choices = {
  since: "v1.1.0",
  public_access_cidrs: ["192.0.2.7/32"],
  support_type: "STANDARD",
  creator_arn: "arn:aws:iam::123456789012:user/bob",
  node_pools: { default: { tags: { team: "old" }, encrypts_root: true, subnet_ids: ["p-a"], is_zoned: false } },
};
const existing = { cluster_name: "dev-1", version: "1.34", node_group_names: ["default"], worker_subnet_ids: ["p-a"] };

test("M120 M121 a new cluster gets the current defaults, and the spec takes precedence over them", () => {
  expect(renderCurrent({})).toMatchObject({
    public_access_cidrs: ["198.51.100.1/32"],
    log_types: ["api", "audit", "authenticator"],
    support_type: "AUTO",
    deletion_protection: true,
    creator_arn: observed.principal,
    node_pools: { default: { encrypts_root: true, tags: { team: "a" } } },
  });
  const endpoint = { public: true, publicCidrs: ["0.0.0.0/0"] };
  const aws = { logTypes: ["none"], support: "extended", deletionProtection: false, rolePath: "/a/" };
  expect(renderCurrent({ endpoint, aws })).toMatchObject({
    public_access_cidrs: ["0.0.0.0/0"],
    log_types: [],
    support_type: "EXTENDED",
    deletion_protection: false,
    role_path: "/a/",
  });
  expect(renderCurrent({ endpoint: {} })).toMatchObject({ public_access: false, public_access_cidrs: [] });
});

test("M069 a cluster that an earlier version built keeps its behaviour, and one that v1.1.0 built keeps what was chosen for it", () => {
  const earlier = renderCurrent({ version: "1.34" }, { ...existing, infra_version: "v1.0.0" });
  expect(earlier).toMatchObject({
    public_access_cidrs: ["0.0.0.0/0"],
    log_types: [],
    support_type: null,
    deletion_protection: null,
    creator_arn: null,
    kept_defaults: { since: null, public_access_cidrs: [] },
    node_pools: { default: { encrypts_root: false, tags: {}, subnet_ids: ["p-a"] } },
  });
  const later = renderCurrent({ version: "1.34" }, { ...existing, infra_version: "v1.1.0", choices });
  expect(later).toMatchObject({
    public_access_cidrs: ["192.0.2.7/32"],
    log_types: ["api", "audit", "authenticator"],
    support_type: "STANDARD",
    deletion_protection: true,
    creator_arn: choices.creator_arn,
    kept_defaults: { since: "v1.1.0", public_access_cidrs: ["192.0.2.7/32"], support_type: "STANDARD" },
    node_pools: { default: { encrypts_root: true, tags: { team: "old" }, subnet_ids: ["p-a"] } },
  });
});

test("M034 M160 nodes get the current tags and encryption when a Kubernetes upgrade replaces them", () => {
  const outputs = { ...existing, infra_version: "v1.0.0" };
  expect(renderCurrent({ version: "1.35" }, outputs)["node_pools"]).toMatchObject({
    default: { encrypts_root: true, tags: { team: "a" } },
  });
});

test("M125 a pool is not kept in subnets that no longer exist, or in the subnets of zones that were removed from its spec", () => {
  const gone = { ...choices.node_pools.default, subnet_ids: ["p-z"] };
  const zoned = { ...choices.node_pools.default, is_zoned: true };
  for (const recorded of [gone, zoned]) {
    const outputs = { ...existing, infra_version: "v1.1.0", choices: { ...choices, node_pools: { default: recorded } } };
    const pools = renderCurrent({ version: "1.34" }, outputs)["node_pools"] as Record<string, JsonObject>;
    expect(pools["default"]).not.toHaveProperty("subnet_ids");
  }
});

test("M125 several machine types, Bottlerocket settings and labels of a pool are passed on, and need v1.1.0", () => {
  const spec = {
    min: 1,
    desired: 1,
    max: 2,
    instanceTypes: ["m6i.large", "m5.large"],
    aws: { bottlerocketSettings: "[settings]" },
  };
  const nodePools = [{ uid: "p", name: "spot", labels: { cost: "x" }, spec }];
  expect(renderCurrent({}, {}, nodePools)["node_pools"]).toMatchObject({
    spot: {
      instance_types: ["m6i.large", "m5.large"],
      user_data: "[settings]",
      tags: { team: "a", cost: "x" },
      group_tags: { cost: "x" },
    },
  });
  expect(() => render({}, inNetwork(built, nodePools))).toThrow(
    expect.objectContaining({ code: "deployer.not_supported", message: expect.stringContaining("v1.1.0") as string }),
  );
  for (const version of ["v0.1.0", "v1.0.0"]) {
    expect(() => render({ aws: { rolePath: "/a/" } }, inNetwork(), version)).toThrow(
      expect.objectContaining({ code: "deployer.not_supported", message: expect.stringContaining("v1.1.0") as string }),
    );
  }
});

const clusters = {
  findAddress: async (): Promise<string | undefined> => undefined,
  findPrincipal: async () => observed.principal,
  countNodes: async (cluster: string) => ({ spot: cluster === "dev-1" ? 4 : 0 }),
  unprotect: async () => undefined,
};
const observe = (spec: JsonObject, around = inNetwork(), version = "v1.1.0") =>
  awsKubernetes.observe?.(entity(spec), around, { clusters }, version);

test("M121 a new cluster without ranges is rejected if the agent cannot find out its address, and the message says what to set", async () => {
  await expect(observe({})).rejects.toMatchObject({
    code: "deployer.bad_spec",
    message: expect.stringContaining("spec.endpoint.publicCidrs") as string,
  });
  await expect(observe({ endpoint: {} })).resolves.toEqual({ principal: observed.principal });
  await expect(observe({ endpoint: { public: true, publicCidrs: ["192.0.2.0/24"] } })).resolves.toBeDefined();
  await expect(observe({}, inNetwork(), "v1.0.0")).resolves.toEqual({});
  await expect(observe({}, inNetwork(built, [], existing))).resolves.toEqual({});
});

test("M125 X033 an autoscaler's size is used within the limits of the pool, and its changes are not drift", async () => {
  const scaled = (change: JsonObject) => [pool("spot", { min: 1, desired: 2, max: 5, autoscaling: true, ...change })];
  const around = inNetwork(built, scaled({}), existing);
  const found = await observe({}, around);
  expect(found).toEqual({ nodes: { spot: 4 } });
  const sizeOf = (change: JsonObject) => {
    const surroundings = { ...inNetwork(built, scaled(change), existing), observed: found ?? {} };
    const pools = awsKubernetes.variables(entity({}), account, surroundings, "v1.1.0")["node_pools"] as Record<
      string,
      JsonObject
    >;
    return pools["spot"]?.["desired"];
  };
  expect([sizeOf({}), sizeOf({ max: 3 }), sizeOf({ min: 5, desired: 5 }), sizeOf({ autoscaling: false })]).toEqual([4, 3, 5, 2]);
  const group = (name: string) => ({ resourceType: "aws_eks_node_group", address: `aws_eks_node_group.pool["${name}"]` });
  const path = ["scaling_config", 0, "desired_size"];
  expect(awsKubernetes.isChangedByOthers?.(group("spot"), path, around)).toBe(true);
  expect(awsKubernetes.isChangedByOthers?.(group("default"), path, around)).toBe(false);
  expect(awsKubernetes.isChangedByOthers?.(group("spot"), ["scaling_config", 0, "max_size"], around)).toBe(false);
});

test("M032 the log group that EKS created is adopted if the cluster needs it or is deleted", () => {
  const group = { type: "aws_cloudwatch_log_group", names: ["dev-1"] };
  const find = (spec: JsonObject, version: string, isRemoval = false, outputs: JsonObject = {}) =>
    awsKubernetes.findUntagged(group, new Map(), () => version !== "v0.1.0", entity(spec), { outputs, isRemoval });
  const adopted = 'aws_cloudwatch_log_group.cluster["made"]';
  expect(find({ aws: { logTypes: ["audit"] } }, "v1.1.0")).toBe(adopted);
  expect(find({ aws: { logTypes: ["audit"] } }, "v0.1.0")).toBeUndefined();
  expect(find({ aws: { logTypes: ["none"] } }, "v1.1.0")).toBeUndefined();
  expect(find({}, "v1.1.0", false, existing)).toBeUndefined();
  expect(find({}, "v1.1.0", false, { ...existing, choices })).toBe(adopted);
  expect(find({}, "v0.1.0", true)).toBe(adopted);
});

test("M123 deletion protection is turned off before a deletion, even if the first apply never finished", async () => {
  const freed: string[] = [];
  const cloud = { clusters: { ...clusters, unprotect: async (name: string) => void freed.push(name) } };
  const long = createTestEntity("Cluster", { name: `${"a".repeat(39)}-b`, uid: "0199aaaa-0000-7000-8000-0123456789ab" });
  await awsKubernetes.releaseForRemoval?.(long, {}, cloud);
  await awsKubernetes.releaseForRemoval?.(long, existing, cloud);
  expect(freed).toEqual([`${"a".repeat(39)}-456789ab`, "dev-1"]);
});
