import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../../executor/terraform/configurations.ts";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings, type TestTaskOptions } from "../../testing/test-task.ts";
import { awsClusterBlueprint as blueprint } from "./cluster.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "aws", simulated: true, spec: {} };
const uid = "0199aaaa-0000-7000-8000-0123456789ab";
const subnets = { private_subnet_ids: ["p-b", "p-a"], intra_subnet_ids: ["i-b", "i-a"] };
const entity = (spec: JsonObject) =>
  createTestEntity("Cluster", { uid, name: "dev", labels: { team: "a" }, spec: { version: "1.34", ...spec } });
const around = (nodePools: TestTaskOptions["nodePools"] = [], outputs: JsonObject = {}, region = "eu-west-1") =>
  createTestSurroundings({
    parents: [{ kind: "Network", uid: "n", name: "net", spec: { region }, outputs: subnets }],
    nodePools,
    outputs,
  });
const observed = { address: "198.51.100.1" };
const list = (spec: JsonObject = {}, given = around()) =>
  new Map(
    blueprint
      .resources(entity(spec), account, { ...given, observed })
      .map((each) => [`${each.type}.${each.name}`, each.attributes]),
  );
const pool = (spec: JsonObject) => ({
  uid: "p",
  name: "extra",
  labels: { cost: "x" },
  spec: { min: 1, desired: 1, max: 2, ...spec },
});

test("M120 subnets in zones that EKS refuses for control planes are left out, and too few usable ones are refused", () => {
  const given = createTestSurroundings({
    parents: [
      {
        kind: "Network",
        uid: "n",
        name: "net",
        spec: { region: "us-east-1" },
        outputs: { ...subnets, intra_subnet_ids: ["i-c", "i-b", "i-a"] },
      },
    ],
  });
  const resources = (refusedSubnets: string[]) =>
    blueprint.resources(entity({}), account, { ...given, observed: { ...observed, refusedSubnets } });
  const made = resources(["i-b"]).find(({ type }) => type === "aws_eks_cluster");
  expect(made?.attributes["vpc_config"]).toMatchObject([{ subnet_ids: ["i-a", "i-c"] }]);
  expect(() => resources(["i-b", "i-c"])).toThrow(expect.objectContaining({ code: "deployer.bad_spec" }));
});

test("M120 M124 a default cluster without Terraform has two roles, a private and limited public endpoint, and one node group", () => {
  const resources = list();
  expect([...resources.keys()]).toEqual([
    "aws_iam_role.cluster",
    "aws_iam_role.nodes",
    "aws_eks_cluster.this",
    "aws_eks_node_group.default",
  ]);
  expect(resources.get("aws_eks_cluster.this")).toMatchObject({
    name: "dev-456789ab",
    version: "1.34",
    vpc_config: [
      {
        subnet_ids: ["i-a", "i-b"],
        endpoint_public_access: true,
        endpoint_private_access: true,
        public_access_cidrs: ["198.51.100.1/32"],
      },
    ],
    deletion_protection: true,
    tags: { team: "a" },
  });
  expect(resources.get("aws_eks_node_group.default")).toMatchObject({
    subnet_ids: ["p-a", "p-b"],
    instance_types: ["t3.medium"],
    scaling_config: [{ desired_size: 2, min_size: 2, max_size: 2 }],
  });
  expect(JSON.stringify(resources.get("aws_iam_role.nodes"))).toContain("AmazonEKS_CNI_Policy");
});

test("M123 given roles are used, access entries omit the creator, and China and GovCloud have their own ARNs", () => {
  const arn = (name: string) => `arn:aws:iam::123456789012:role/${name}`;
  const accessEntries = [
    { principalArn: arn("creator"), policy: "view" },
    { principalArn: arn("ops"), policy: "cluster-admin", groups: ["b", "a"] },
  ];
  const spec = { aws: { eksRoleArn: arn("eks"), nodeRoleArn: arn("nodes"), accessEntries } };
  const given = { ...around(), observed: { builtInAccess: arn("creator") } };
  const resources = blueprint.resources(entity(spec), account, given);
  expect(resources.map(({ type }) => type)).toEqual(["aws_eks_cluster", "aws_eks_access_entry", "aws_eks_node_group"]);
  expect(resources[0]?.attributes["role_arn"]).toBe(arn("eks"));
  expect(resources[1]?.attributes).toMatchObject({
    principal_arn: arn("ops"),
    kubernetes_groups: ["a", "b"],
    access_policy_arns: ["arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"],
  });
  for (const [region, partition] of [
    ["cn-north-1", "aws-cn"],
    ["us-gov-west-1", "aws-us-gov"],
  ] as const) {
    const role = JSON.stringify(list({}, around([], {}, region)).get("aws_iam_role.nodes"));
    expect(role).toContain(`arn:${partition}:iam::aws:policy/`);
    expect(role.includes("amazonaws.com.cn")).toBe(partition === "aws-cn");
  }
});

test("M125 a pool's types, taints, labels, disk and purchase option reach its node group", () => {
  const taints = [
    { key: "b", effect: "NoExecute" },
    { key: "a", value: "1", effect: "NoSchedule" },
  ];
  const spec = { instanceTypes: ["m6i.large", "m5.large"], capacity: "spot", diskSizeGib: 50, nodeLabels: { tier: "x" }, taints };
  const resources = list({ workers: 1 }, around([pool(spec)]));
  expect(resources.get("aws_eks_node_group.extra")).toMatchObject({
    instance_types: ["m6i.large", "m5.large"],
    capacity_type: "SPOT",
    disk_size: 50,
    labels: { tier: "x" },
    taint: [
      { key: "a", value: "1", effect: "NO_SCHEDULE" },
      { key: "b", value: "", effect: "NO_EXECUTE" },
    ],
    tags: { team: "a", cost: "x" },
  });
});

test("M120 every setting that only the Terraform configuration implements is rejected by name, and disabling it is allowed", () => {
  const refused: readonly (readonly [JsonObject, string])[] = [
    [{ aws: { karpenter: { enabled: true } } }, "spec.aws.karpenter"],
    [{ aws: { rolePath: "/a/" } }, "spec.aws.rolePath"],
    [{ aws: { support: "extended" } }, "spec.aws.support"],
    [{ aws: { logTypes: ["audit"] } }, "spec.aws.logTypes"],
    [{ aws: { kmsKeyArn: "arn" } }, "spec.aws.kmsKeyArn"],
    [{ networking: { serviceCidr: "10.96.0.0/16" } }, "spec.networking.serviceCidr"],
    [{ addOns: [{ name: "aws-ebs-csi-driver" }] }, "aws-ebs-csi-driver"],
  ];
  for (const [spec, name] of refused) {
    expect(() => list(spec)).toThrow(
      expect.objectContaining({ code: "deployer.not_supported", message: expect.stringContaining(name) as string }),
    );
  }
  for (const spec of [{ zones: ["a"] }, { aws: { bottlerocketSettings: "[settings]" } }]) {
    expect(() => list({}, around([pool(spec)]))).toThrow(
      expect.objectContaining({ message: expect.stringContaining('node pool "extra"') as string }),
    );
  }
  const allowed = { aws: { logTypes: ["none"] }, addOns: [{ name: "aws-ebs-csi-driver", disabled: true }] };
  expect(list(allowed).size).toBe(4);
});

test("M072 the outputs have the names of the Terraform configuration's outputs, so that whatever uses a cluster works for both", () => {
  const text = readFileSync(join(ownConfigurations, "kubernetes/aws/v1.1.0/outputs.tf"), "utf8");
  const declared = [...text.matchAll(/^output "(\w+)"/gm)].map(([, name]) => name ?? "");
  const attributes: Record<string, JsonObject> = {
    "aws_eks_cluster.this": {
      name: "dev-1",
      endpoint: "https://e",
      version: "1.34",
      vpc_config: [{ public_access_cidrs: ["198.51.100.1/32"] }],
    },
    "aws_eks_node_group.default": { scaling_config: [{ desired_size: 2 }] },
  };
  const outputs = blueprint.outputs((address) => attributes[address] ?? {}, entity({}), around());
  expect(Object.keys(outputs).toSorted()).toEqual(declared.toSorted());
  expect(outputs).toMatchObject({ cluster_name: "dev-1", ready_nodes: 2, node_group_names: ["default"], region: "eu-west-1" });

  // Running on an agent with a different address does not change who can reach the cluster.
  const later = { ...around([], outputs), observed: { address: "203.0.113.9" } };
  const [cluster] = blueprint.resources(entity({}), account, later).filter(({ type }) => type === "aws_eks_cluster");
  expect(cluster?.attributes["vpc_config"]).toMatchObject([{ public_access_cidrs: ["198.51.100.1/32"] }]);
});

test("M042 X033 an autoscaler's size and a change by AWS itself are no drift, other sizes are", () => {
  const given = around([pool({ autoscaling: true })]);
  const group = (name: string) => ({ resourceType: "aws_eks_node_group", address: `aws_eks_node_group.${name}` });
  const size = ["scaling_config", 0, "desired_size"];
  expect(blueprint.isChangedByOthers?.(group("extra"), size, given)).toBe(true);
  expect(blueprint.isChangedByOthers?.(group("default"), size, given)).toBe(false);
  expect(blueprint.isChangedByOthers?.(group("extra"), ["scaling_config", 0, "max_size"], given)).toBe(false);
  expect(
    blueprint.isChangedByOthers?.({ resourceType: "aws_eks_cluster", address: "aws_eks_cluster.this" }, ["ready"], given),
  ).toBe(true);
});
