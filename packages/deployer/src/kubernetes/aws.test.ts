import { Secret } from "@cloudwright/platform";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../configurations.ts";
import type { DeployedAccount, DeployedEntity, JsonObject, Surroundings } from "../task.ts";
import { awsKubernetes } from "./aws.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "aws", simulated: true, spec: {} };
const entity = (spec: JsonObject): DeployedEntity => {
  const named = { kind: "Cluster", uid: "uid-1", name: "dev", project: "default", environment: "" };
  return { ...named, labels: { team: "a" }, spec };
};
const built = { private_subnet_ids: ["p-a", "p-b"], intra_subnet_ids: ["i-a", "i-b"], public_subnet_ids: ["o-a", "o-b"] };
const inNetwork = (outputs: JsonObject = built, pools: Surroundings["nodePools"] = []): Surroundings => ({
  parents: [{ kind: "Network", uid: "n", name: "net", spec: { region: "eu-west-1" }, outputs }],
  nodePools: pools,
});
const render = (spec: JsonObject, around = inNetwork()) => awsKubernetes.variables(entity(spec), account, around, "v0.1.0");
const pool = (name: string, spec: JsonObject) => ({ uid: name, name, spec });

test("M120 M122 a cluster without wishes has two workers in private subnets and its control plane in intra ones", () => {
  expect(render({})).toEqual({
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
});

test("M120 everything that is rendered is a variable of the configuration, and all that has no default is rendered", () => {
  const text = readFileSync(join(ownConfigurations, "kubernetes/aws/v0.1.0/variables.tf"), "utf8");
  const declared = text.split(/^variable /m).slice(1);
  const names = declared.map((block) => /^"(\w+)"/.exec(block)?.[1]);
  const required = declared.filter((block) => !/^ {2}default/m.test(block)).map((block) => /^"(\w+)"/.exec(block)?.[1]);
  const rendered = Object.keys(render({}));
  expect(names).toEqual(expect.arrayContaining(rendered));
  expect(rendered).toEqual(expect.arrayContaining(required));
});

test.each(["1.29", "1.29.0", "v1.29.0"])("M120 the version %s is the minor version that EKS knows", (version) => {
  expect(render({ version })["kubernetes_version"]).toBe("1.29");
});

test("M121 who can reach the API is taken over, and a private one is private", () => {
  expect(render({ endpoint: { public: true, publicCidrs: ["192.0.2.0/24"] } })["endpoint"]).toEqual({
    public: true,
    public_cidrs: ["192.0.2.0/24"],
  });
  expect(render({ endpoint: {} })["endpoint"]).toEqual({ public: false });
});

test("M125 pools of their own stand beside the cluster's workers, with what they ask for", () => {
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
  [{ aws: { karpenter: { enabled: true } } }, inNetwork(), "deployer.not_supported"],
  [{}, inNetwork({ ...built, intra_subnet_ids: [], private_subnet_ids: ["p"], public_subnet_ids: ["o"] }), "deployer.bad_spec"],
  [{}, { parents: [], nodePools: [] }, "deployer.bad_spec"],
  [{ workers: 1 }, inNetwork(built, [pool("default", { max: 1 })]), "deployer.bad_spec"],
  [{}, inNetwork(built, [pool("p", { max: 1, zones: ["us-east-1a"] })]), "deployer.bad_spec"],
])("M120 %j is refused", (spec, around, code) => {
  expect(() => render(spec as JsonObject, around)).toThrow(expect.objectContaining({ code }));
});

test("M070 outputs become the status, and others are a fault", () => {
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
  const output = (value: string | number | string[]) => ({ isSensitive: false, type: "dynamic", value: new Secret(value) });
  const outputs = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, output(value)]));
  expect(awsKubernetes.status(outputs)).toEqual(values);
  expect(() => awsKubernetes.status({ ...outputs, ready_nodes: output("2") })).toThrow(
    expect.objectContaining({ code: "deployer.bad_outputs" }),
  );
});

test("M032 what has no tags is found by what it names", () => {
  const tagged = new Map([
    ["dev-1-cluster", 'aws_iam_role.cluster["made"]'],
    ["dev-1-nodes", 'aws_iam_role.nodes["made"]'],
    ["dev-1", "aws_eks_cluster.this"],
  ]);
  const policy = "arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy";
  const find = (type: string, ...names: string[]) => awsKubernetes.findUntagged({ type, names }, tagged);
  expect(find("aws_iam_role_policy_attachment", "dev-1-cluster", policy)).toBe('aws_iam_role_policy_attachment.cluster["made"]');
  expect(find("aws_iam_role_policy_attachment", "dev-1-nodes", policy)).toBe(
    'aws_iam_role_policy_attachment.nodes["AmazonEKS_CNI_Policy"]',
  );
  expect(find("aws_eks_access_policy_association", "dev-1", "arn:aws:iam::1:role/a")).toBe(
    'aws_eks_access_policy_association.admin["arn:aws:iam::1:role/a"]',
  );
  expect(find("aws_route", "dev-1")).toBeUndefined();
});
