import { Secret } from "@cloudwright/platform";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../../executor/terraform/configurations.ts";
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

const usualAddOns = { "vpc-cni": {}, "kube-proxy": {}, coredns: {}, "aws-ebs-csi-driver": {}, "eks-pod-identity-agent": {} };

test("M120 M122 M124 a default cluster has two workers in private subnets and its control plane in intra subnets", () => {
  expect(render({})).toEqual({
    cluster_name: "dev",
    region: "eu-west-1",
    cluster_version: null,
    vpc_id: null,
    controlplane_subnet_ids: ["i-a", "i-b"],
    private_subnet_ids: ["p-a", "p-b"],
    public_subnet_ids: [],
    public_access: true,
    public_access_cidrs: [],
    service_cidr: null,
    log_types: [],
    kms_key_arn: null,
    roles: {},
    access_entries: {},
    addons: usualAddOns,
    pod_identities: {},
    karpenter: { enabled: false },
    node_pools: { default: { instance_type: "t3.medium", min: 2, desired: 2, max: 2 } },
    owner: { project: "default", entity: "uid-1" },
    tags: { team: "a" },
  });
});

test("M069 a v0.1.0 cluster gets the variables of v0.1.0, and fields that need v1.0.0 are rejected with a hint", () => {
  expect(render({}, inNetwork(), "v0.1.0")).toEqual({
    name: "dev",
    region: "eu-west-1",
    kubernetes_version: null,
    subnets: { control_plane: ["i-a", "i-b"], workers: ["p-a", "p-b"] },
    endpoint: { public: true },
    service_cidr: null,
    log_types: [],
    roles: { cluster: null, nodes: null },
    node_pools: { default: { instance_type: "t3.medium", min: 2, desired: 2, max: 2 } },
    owner: { project: "default", entity: "uid-1" },
    tags: { team: "a" },
  });
  for (const aws of [{ karpenter: { enabled: true } }, { kmsKeyArn: "arn" }, { podIdentities: [{}] }, { logRetentionDays: 0 }]) {
    expect(() => render({ aws }, inNetwork(), "v0.1.0")).toThrow(expect.objectContaining({ code: "deployer.not_supported" }));
  }
});

test.each(["v0.1.0", "v1.0.0"])(
  "M120 everything rendered for %s is one of its variables, and every variable without a default is rendered",
  (version) => {
    const text = readFileSync(join(ownConfigurations, "kubernetes/aws", version, "variables.tf"), "utf8");
    const declared = text.split(/^variable /m).slice(1);
    const names = declared.map((block) => /^"(\w+)"/.exec(block)?.[1]);
    const required = declared.filter((block) => !/^ {2}default/m.test(block)).map((block) => /^"(\w+)"/.exec(block)?.[1]);
    const rendered = Object.keys(render({}, inNetwork(), version));
    expect(names).toEqual(expect.arrayContaining(rendered));
    expect(rendered).toEqual(expect.arrayContaining(required));
  },
);

test("M034 M126 M127 M132 M134 roles, key, access entries, pod identities and Karpenter are passed on", () => {
  const arn = (name: string): string => `arn:aws:iam::123456789012:role/${name}`;
  const variables = render({
    aws: {
      karpenter: { enabled: true },
      eksRoleArn: arn("eks"),
      nodeRoleArn: arn("nodes"),
      karpenterNodeRoleArn: arn("karpenter-nodes"),
      kmsKeyArn: "arn:aws:kms:eu-west-1:123456789012:key/k",
      logRetentionDays: 0,
      accessEntries: [
        { principalArn: arn("ops"), policy: "cluster-admin" },
        { principalArn: arn("dev"), groups: ["devs"] },
      ],
      podIdentities: [{ namespace: "apps", serviceAccount: "web", roleArn: arn("web") }],
    },
  });
  expect(variables).toMatchObject({
    karpenter: { enabled: true },
    roles: { cluster: arn("eks"), nodes: arn("nodes"), karpenter_nodes: arn("karpenter-nodes") },
    kms_key_arn: "arn:aws:kms:eu-west-1:123456789012:key/k",
    log_retention_days: 0,
    access_entries: {
      [arn("ops")]: { policy: "cluster-admin", namespaces: [], groups: [] },
      [arn("dev")]: { namespaces: [], groups: ["devs"] },
    },
    pod_identities: { "apps/web": arn("web") },
  });
});

test("M128 managed add-ons can be changed by their EKS names; others are not rendered", () => {
  const addOns = [
    { name: "coredns", version: "v1.12.4-eksbuild.1", configuration: '{"replicaCount":3}' },
    { name: "vpc-cni", disabled: true },
    { name: "snapshot-controller" },
    { name: "metrics-server", version: "3.13.0" },
  ];
  const { "vpc-cni": _left, ...others } = usualAddOns;
  expect(render({ addOns })["addons"]).toEqual({
    ...others,
    coredns: { version: "v1.12.4-eksbuild.1", configuration: '{"replicaCount":3}' },
    "snapshot-controller": {},
  });
});

test("M128 an add-on keeps its version until the cluster's version changes and, if it needs nodes, until nodes exist", () => {
  const coredns = "v1.11.4-eksbuild.1";
  const outputs = {
    addon_versions: { "vpc-cni": "v1.19.0-eksbuild.1", coredns },
    addon_minors: { "vpc-cni": "1.33", coredns: "1.33" },
  };
  const addOns = (spec: JsonObject) => {
    const {
      coredns: late,
      "vpc-cni": early,
      "kube-proxy": absent,
    } = render(spec, { ...inNetwork(), outputs })["addons"] as JsonObject;
    return { late, early, absent };
  };
  const kept = {
    late: { installed: true, version: coredns },
    early: { installed: true, version: "v1.19.0-eksbuild.1" },
    absent: {},
  };
  expect(addOns({ version: "1.33" })).toEqual(kept);
  expect(addOns({})).toEqual(kept);
  expect(addOns({ version: "1.33", workers: 0 })).toEqual(kept);
  expect(addOns({ version: "1.34" })).toEqual({ late: { installed: true }, early: { installed: true }, absent: {} });
  expect(addOns({ version: "1.34", workers: 0 })).toEqual({
    late: { installed: true, version: coredns, chosen_for: "1.33" },
    early: { installed: true },
    absent: {},
  });
  const asked = { version: "1.33", addOns: [{ name: "coredns", version: "v1.12.4-eksbuild.1", configuration: "{}" }] };
  expect(addOns(asked).late).toEqual({ installed: true, version: "v1.12.4-eksbuild.1", configuration: "{}" });
});

test.each(["1.29", "1.29.0", "v1.29.0"])("M120 the version %s becomes an EKS minor version", (version) => {
  expect(render({ version })["cluster_version"]).toBe("1.29");
});

test("M121 the endpoint settings are passed on, and a private endpoint is private", () => {
  const open = { endpoint: { public: true, publicCidrs: ["192.0.2.0/24"] } };
  expect(render(open)).toMatchObject({ public_access: true, public_access_cidrs: ["192.0.2.0/24"] });
  expect(render(open, inNetwork(), "v0.1.0")["endpoint"]).toEqual({ public: true, public_cidrs: ["192.0.2.0/24"] });
  expect(render({ endpoint: {} })).toMatchObject({ public_access: false, public_access_cidrs: [] });
});

test("M125 node pools are rendered with all settings, next to the cluster's own workers", () => {
  const spot = {
    min: 0,
    desired: 0,
    max: 0,
    capacity: "spot",
    zones: ["b"],
    nodeLabels: { a: "b" },
    taints: [{ key: "k", value: "", effect: "NoSchedule" }],
  };
  const around = inNetwork(built, [pool("spot", spot)]);
  expect(render({ workers: 0, instanceType: "m5.large" }, around)["node_pools"]).toEqual({
    default: { instance_type: "m5.large", min: 0, desired: 0, max: 1 },
    spot: {
      instance_type: "m5.large",
      min: 0,
      desired: 0,
      max: 1,
      capacity: "spot",
      zones: ["eu-west-1b"],
      labels: { a: "b" },
      taints: [{ key: "k", effect: "NoSchedule" }],
    },
  });
  expect(Object.keys(render({}, around)["node_pools"] as object)).toEqual(["spot"]);
});

test.each([
  [{ version: "2.0" }, inNetwork(), "deployer.bad_spec"],
  [{ networking: { podCidr: "192.168.0.0/16" } }, inNetwork(), "deployer.bad_spec"],
  [{ controlPlaneNodes: 3 }, inNetwork(), "deployer.bad_spec"],
  [{ addOns: [{ name: "coredns", version: "1.12" }] }, inNetwork(), "deployer.bad_spec"],
  [{ addOns: [{ name: "coredns", configuration: "[]" }] }, inNetwork(), "deployer.bad_spec"],
  [{}, inNetwork({ ...built, intra_subnet_ids: [], private_subnet_ids: ["p"], public_subnet_ids: ["o"] }), "deployer.bad_spec"],
  [{}, createTestSurroundings(), "deployer.bad_spec"],
  [{ workers: 1 }, inNetwork(built, [pool("default", { max: 1 })]), "deployer.bad_spec"],
  [{}, inNetwork(built, [pool("p", { max: 1, zones: ["us-east-1a"] })]), "deployer.bad_spec"],
])("M120 %j is rejected", (spec, around, code) => {
  expect(() => render(spec as JsonObject, around)).toThrow(expect.objectContaining({ code }));
});

test("M070 outputs become the status, and invalid outputs cause a fault", () => {
  const values = {
    cluster_name: "dev-1",
    cluster_arn: "arn",
    endpoint: "https://x",
    certificate_authority: "cGVt",
    version: "1.34",
    security_group_id: "sg-1",
    oidc_issuer: "https://oidc",
    oidc_provider_arn: "arn",
    cluster_role_arn: "arn",
    node_role_arn: "arn",
    node_group_names: ["default"],
    ready_nodes: 2,
  };
  const output = (value: string | number | string[] | JsonObject) => ({
    isSensitive: false,
    type: "dynamic",
    value: new Secret(value),
  });
  const outputs = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, output(value)]));
  expect(awsKubernetes.status(outputs)).toEqual(values);
  const more = ["region", "vpc_id", "kms_key_arn", "ebs_csi_role_arn", "load_balancer_controller_role_arn", "karpenter_role_arn"];
  const names = [...more, "karpenter_node_role_arn", "karpenter_node_role_name", "karpenter_queue_name"];
  const added = {
    ...Object.fromEntries(names.map((name) => [name, name])),
    worker_subnet_ids: ["subnet-1"],
    addon_versions: { a: "v1" },
    addon_minors: { a: "1.34" },
  };
  const now = Object.fromEntries(Object.entries(added).map(([name, value]) => [name, output(value)]));
  expect(awsKubernetes.status({ ...outputs, ...now, kubernetes: output("x") })).toEqual({ ...values, ...added });
  const { vpc_id: _lacking, ...rest } = now;
  expect(() => awsKubernetes.status({ ...outputs, ...rest })).toThrow(expect.objectContaining({ code: "deployer.bad_outputs" }));
  expect(() => awsKubernetes.status({ ...outputs, ready_nodes: output("2") })).toThrow(
    expect.objectContaining({ code: "deployer.bad_outputs" }),
  );
});

test("M032 resources without tags are found by the resources they refer to", () => {
  const tagged = new Map([
    ["dev-1-cluster", 'aws_iam_role.cluster["made"]'],
    ["dev-1-nodes", 'aws_iam_role.nodes["made"]'],
    ["dev-1-karpenter", 'aws_iam_role.karpenter["made"]'],
    ["key-1", 'aws_kms_key.secrets["made"]'],
    ["https://queue", 'aws_sqs_queue.karpenter["made"]'],
    ["dev-1-spot", 'aws_cloudwatch_event_rule.karpenter["spot"]'],
    ["dev-1:arn:aws:iam::1:role/a", 'aws_eks_access_entry.this["arn:aws:iam::1:role/a"]'],
    ["dev-1:arn:aws:iam::1:role/b", 'aws_eks_access_entry.admin["arn:aws:iam::1:role/b"]'],
    ["dev-1", "aws_eks_cluster.this"],
  ]);
  const policy = "arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy";
  const find = (type: string, ...names: string[]) =>
    awsKubernetes.findUntagged({ type, names }, tagged, () => true, createTestEntity("Cluster", { name: "dev", spec: {} }));
  const found = [
    find("aws_iam_role_policy_attachment", "dev-1-cluster", policy),
    find("aws_iam_role_policy_attachment", "dev-1-nodes", policy),
    find("aws_iam_role_policy", "dev-1-karpenter"),
    find("aws_kms_alias", "key-1"),
    find("aws_sqs_queue_policy", "https://queue"),
    find("aws_cloudwatch_event_target", "dev-1-spot"),
    find(
      "aws_eks_access_policy_association",
      "dev-1#arn:aws:iam::1:role/a#arn:aws:eks::aws:p/x",
      "dev-1",
      "arn:aws:iam::1:role/a",
    ),
    find("aws_eks_access_policy_association", "dev-1", "arn:aws:iam::1:role/b"),
    find("aws_route", "dev-1"),
  ];
  expect(found).toEqual([
    'aws_iam_role_policy_attachment.cluster["made"]',
    'aws_iam_role_policy_attachment.nodes["AmazonEKS_CNI_Policy"]',
    'aws_iam_role_policy.karpenter["made"]',
    'aws_kms_alias.secrets["made"]',
    'aws_sqs_queue_policy.karpenter["made"]',
    'aws_cloudwatch_event_target.karpenter["spot"]',
    'aws_eks_access_policy_association.this["arn:aws:iam::1:role/a"]',
    'aws_eks_access_policy_association.admin["arn:aws:iam::1:role/b"]',
    undefined,
  ]);
});
