import { createWarmDirectories, type JsonObject } from "@cloudwright/deployer";
import type { StoredPlan, TestTaskOptions } from "@cloudwright/deployer/testing";
import { changeRecord, findSimulatedCloud } from "@cloudwright/simulator";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderGoldenPlan, upgradeAttributes } from "../testing/golden-plan.ts";
import { forgetResources, taintResources } from "../testing/lose-resources.ts";
import { addNetwork, inNetwork } from "../testing/network-above.ts";
import { openTestPlatform, terraform, type TestEntity, type TestPlatform } from "../testing/test-platform.ts";

type Pools = NonNullable<TestTaskOptions["nodePools"]>;
type Request = Pick<TestTaskOptions, "labels" | "parents"> & { readonly nodePools?: Pools };

interface TestCluster {
  readonly entity: TestEntity;
  plan(spec: JsonObject, request?: Request): Promise<StoredPlan & { readonly uid: string }>;
  build(spec: JsonObject, request?: Request): Promise<JsonObject>;
  destroy(spec: JsonObject, request?: Request): Promise<JsonObject>;
  /** Returns the attributes of the only resource of the given type. Fails if there are several. */
  read(type: string): Promise<JsonObject>;
}

const shop = { kind: "Cluster", name: "shop", parents: inNetwork } as const;

const at = (version: string, spec: JsonObject = {}): JsonObject => ({ version: "1.34", workers: 1, ...spec, infra: { version } });

const actionsOf = ({ changes }: Pick<StoredPlan, "changes">): Record<string, unknown> =>
  Object.fromEntries(changes.map(({ address, action }) => [address as string, action]));

/**
 * Compares an upgrade plan with its golden file, which is reviewed like code. `vitest run <this test file> --update` rewrites the golden
 * file.
 */
async function expectGolden(name: string, plan: StoredPlan): Promise<void> {
  const path = join(import.meta.dirname, "golden", `${name}.json`);
  await expect(renderGoldenPlan(plan, upgradeAttributes)).toMatchFileSnapshot(path);
}

describe.skipIf(!terraform.found)("clusters in AWS change version and settings", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  async function openCluster(): Promise<TestCluster> {
    const entity = platform.openEntity({ warm: createWarmDirectories({ directory: join(platform.directory, "warm") }) });
    await addNetwork(platform.inventory, entity.account.uid);
    const common = shop;
    const plan: TestCluster["plan"] = async (spec, request = {}) => {
      const uid = (await entity.run("cluster.plan", { ...common, ...request, spec }))["plan"] as string;
      const stored = platform.endpoint.plans.get(uid);
      if (stored === undefined) throw new Error("the plan was not stored");
      return { ...stored, uid };
    };
    return {
      entity,
      plan,
      build: async (spec, request = {}) => {
        const { uid } = await plan(spec, request);
        return entity.run("cluster.apply", { ...common, ...request, spec, plan: uid });
      },
      destroy: (spec, request = {}) => entity.run("cluster.destroy", { ...common, ...request, spec }),
      async read(type) {
        const [record, ...others] = await entity.list(type);
        expect(others).toEqual([]);
        return (record?.attributes ?? {}) as JsonObject;
      },
    };
  }

  const none = { create: 0, update: 0, replace: 0, delete: 0 };

  test("M069 M120 a v0.1.0 cluster with logs is upgraded to v1.1.0: the log group that EKS created is adopted, and only nodes are replaced", async () => {
    const cluster = await openCluster();
    const logs = { aws: { logTypes: ["audit"] } };
    await cluster.build(at("v0.1.0", logs));
    const before = await cluster.read("aws_eks_cluster");
    expect(await cluster.read("aws_cloudwatch_log_group")).not.toHaveProperty("tags");
    // v0.1.0 does not manage the log group and must not delete the logs in it.
    expect((await cluster.plan(at("v0.1.0", logs))).counts).toMatchObject(none);
    const upgrade = await cluster.plan(at("v1.1.0", logs));
    await expectGolden("cluster-upgrade-of-v0.1.0-to-v1.1.0", upgrade);
    const actions = actionsOf(upgrade);
    expect(Object.fromEntries(Object.entries(actions).filter(([, action]) => action !== "create"))).toEqual({
      "aws_eks_cluster.this": "update",
      'aws_cloudwatch_log_group.cluster["made"]': "update",
      'aws_eks_node_group.pool["default"]': "replace",
    });
    expect(await cluster.build(at("v1.1.0", logs))).toMatchObject({ infra_version: "v1.1.0" });
    expect(await cluster.read("aws_cloudwatch_log_group")).toMatchObject({ retention_in_days: 90 });
    expect((await cluster.read("aws_eks_cluster"))["created_at"]).toBe(before["created_at"]);
    expect((await cluster.plan(at("v1.1.0", logs))).counts).toMatchObject(none);
    await cluster.destroy(at("v1.1.0", logs));
    expect(await cluster.entity.list("aws_cloudwatch_log_group")).toEqual([]);
  });

  test("M069 M138 a v1.0.0 cluster is upgraded to v1.1.0 and keeps its behaviour; no node is replaced", async () => {
    const cluster = await openCluster();
    const labels = { team: "shop" };
    const nodePools: Pools = [{ uid: "p", name: "spot", spec: { min: 1, desired: 1, max: 3, zones: ["a"] } }];
    await cluster.build(at("v1.0.0"), { labels, nodePools });
    const planned = await cluster.plan(at("v1.1.0"), { labels, nodePools });
    expect(actionsOf(planned)).toEqual({ 'aws_iam_role_policy.cluster["made"]': "update" });
    await expectGolden("cluster-upgrade-of-v1.0.0-to-v1.1.0", planned);
    await cluster.build(at("v1.1.0"), { labels, nodePools });
    const { enabled_cluster_log_types: logTypes, deletion_protection: isProtected } = await cluster.read("aws_eks_cluster");
    expect([logTypes, isProtected]).toEqual([[], false]);
    expect((await cluster.plan(at("v1.1.0"), { labels, nodePools })).counts).toMatchObject(none);
    // The next Kubernetes upgrade replaces all nodes anyway, so the new nodes get the current defaults.
    await cluster.build(at("v1.1.0", { version: "1.35" }), { labels, nodePools });
    const [template] = await cluster.entity.list("aws_launch_template");
    expect(JSON.stringify(template?.attributes)).toContain("/dev/xvda");
    expect(JSON.stringify(template?.attributes["tag_specifications"])).toContain('"team":"shop"');
    await cluster.destroy(at("v1.1.0", { version: "1.35" }), { labels, nodePools });
    expect(await cluster.entity.list("aws_eks_cluster")).toEqual([]);
  });

  test("M120 M121 a new cluster is reachable only from its creator's address, has logs, standard support and deletion protection, and can be deleted", async () => {
    const cluster = await openCluster();
    await cluster.build(at("v1.1.0"));
    expect(await cluster.read("aws_eks_cluster")).toMatchObject({
      vpc_config: [{ public_access_cidrs: ["198.51.100.1/32"] }],
      enabled_cluster_log_types: ["api", "audit", "authenticator"],
      upgrade_policy: [{ support_type: "STANDARD" }],
      deletion_protection: true,
    });
    expect((await cluster.plan(at("v1.1.0"))).counts).toMatchObject(none);
    const open = at("v1.1.0", {
      endpoint: { public: true, publicCidrs: ["0.0.0.0/0"] },
      aws: { logTypes: ["none"], support: "extended", deletionProtection: false },
    });
    await cluster.build(open);
    expect(await cluster.read("aws_eks_cluster")).toMatchObject({
      vpc_config: [{ public_access_cidrs: ["0.0.0.0/0"] }],
      enabled_cluster_log_types: [],
      upgrade_policy: [{ support_type: "EXTENDED" }],
      deletion_protection: false,
    });
    expect(await cluster.entity.list("aws_cloudwatch_log_group")).toEqual([]);
    await cluster.build(at("v1.1.0", { aws: { deletionProtection: true } }));
    await cluster.destroy(at("v1.1.0"));
    expect(await cluster.entity.list("aws_eks_cluster")).toEqual([]);
  });

  test("X010 M120 a protected cluster whose creation was cancelled is replaced as the approved plan says, and its replacement is protected", async () => {
    const cluster = await openCluster();
    const tenant = cluster.entity.account.uid;
    const first = await cluster.plan(at("v1.1.0"));
    await platform.faults.add({
      operation: "create",
      type: "aws_eks_node_group",
      tenant,
      kind: "error",
      message: "no",
      times: 9,
    });
    await expect(cluster.entity.run("cluster.apply", { ...shop, spec: at("v1.1.0"), plan: first.uid })).rejects.toThrow("no");
    await platform.faults.clear();
    const before = await cluster.read("aws_eks_cluster");
    expect(before).toMatchObject({ deletion_protection: true });
    // Terraform taints a resource whose creation was cancelled, and then replaces it.
    taintResources(platform, cluster.entity, ({ type }) => type === "aws_eks_cluster");
    const { uid, ...planned } = await cluster.plan(at("v1.1.0"));
    expect(actionsOf(planned)).toMatchObject({ "aws_eks_cluster.this": "replace" });
    await cluster.entity.run("cluster.apply", { ...shop, spec: at("v1.1.0"), plan: uid });
    const after = await cluster.read("aws_eks_cluster");
    expect(after).toMatchObject({ deletion_protection: true });
    expect(after["created_at"]).not.toBe(before["created_at"]);
    await cluster.destroy(at("v1.1.0"));
    expect(await cluster.entity.list("aws_eks_cluster")).toEqual([]);
  });

  test("X010 M069 a cluster whose first creation failed with v1.0.0 continues with v1.1.0, despite the access entry that EKS created", async () => {
    const cluster = await openCluster();
    const { uid } = await cluster.plan(at("v1.0.0"));
    const tenant = cluster.entity.account.uid;
    await platform.faults.add({
      operation: "create",
      type: "aws_eks_node_group",
      tenant,
      kind: "error",
      message: "no capacity",
      times: 9,
    });
    await expect(cluster.entity.run("cluster.apply", { ...shop, spec: at("v1.0.0"), plan: uid })).rejects.toThrow("no capacity");
    await platform.faults.clear();
    const entry = await cluster.read("aws_eks_access_entry");
    expect(entry).not.toHaveProperty("tags");
    expect(await cluster.build(at("v1.1.0"))).toMatchObject({ infra_version: "v1.1.0" });
    expect(await cluster.read("aws_eks_access_entry")).toEqual(entry);
    expect((await cluster.plan(at("v1.1.0"))).counts).toMatchObject(none);
    await cluster.destroy(at("v1.1.0"));
    expect(await cluster.entity.list("aws_eks_cluster")).toEqual([]);
  });

  test("X010 deleting an unfinished cluster does not change its settings, so its endpoint stays as it is", async () => {
    const cluster = await openCluster();
    await cluster.build(at("v1.1.0"));
    const { account } = cluster.entity;
    forgetResources(platform, cluster.entity, () => true);
    await platform.faults.add({
      operation: "update",
      type: "aws_eks_cluster",
      tenant: account.uid,
      kind: "error",
      message: "no",
      times: 9,
    });
    // The outputs are empty, because the first apply did not finish.
    await cluster.entity.run("cluster.destroy", { ...shop, spec: at("v1.1.0"), outputs: {} });
    expect((await platform.faults.list()).map(({ seen }) => seen)).toEqual([0]);
    await platform.faults.clear();
    expect(await cluster.entity.list("aws_eks_cluster")).toEqual([]);
  });

  test("M120 a version in extended support is created with extended support, because EKS rejects standard support for it", async () => {
    const cluster = await openCluster();
    await cluster.build(at("v1.1.0", { version: "1.33" }));
    expect(await cluster.read("aws_eks_cluster")).toMatchObject({ upgrade_policy: [{ support_type: "EXTENDED" }] });
    await cluster.destroy(at("v1.1.0", { version: "1.33" }));
  });

  test("M034 M125 a changed label reaches the resources of a cluster and its pools without replacing nodes", async () => {
    const cluster = await openCluster();
    const pools = (labels: Record<string, string>): Pools => [
      { uid: "p", name: "spot", labels, spec: { min: 1, desired: 1, max: 3 } },
    ];
    await cluster.build(at("v1.1.0"), { labels: { team: "a" }, nodePools: pools({ cost: "x" }) });
    const templates = await cluster.entity.list("aws_launch_template");
    const tags = templates.map(({ attributes }) => JSON.stringify(attributes["tag_specifications"]));
    expect(tags.filter((text) => text.includes('"team":"a"'))).toHaveLength(2);
    expect(tags.filter((text) => text.includes('"cost":"x"'))).toHaveLength(1);
    const changed = { labels: { team: "b" }, nodePools: pools({ cost: "y" }) };
    const planned = await cluster.plan(at("v1.1.0"), changed);
    const actions = actionsOf(planned);
    expect(Object.values(actions).every((action) => action === "update")).toBe(true);
    expect(Object.keys(actions).filter((address) => address.startsWith("aws_launch_template"))).toEqual([]);
    const group = planned.changes.find(({ address }) => address === 'aws_eks_node_group.pool["spot"]');
    expect(JSON.stringify(group)).not.toContain('launch_template"]');
    await cluster.build(at("v1.1.0"), changed);
    const groups = await cluster.entity.list("aws_eks_node_group");
    const tagsOf = groups.map(({ attributes }) => attributes["tags"]);
    expect(tagsOf).toContainEqual(expect.objectContaining({ team: "b", cost: "y" }));
    // A new pool gets the current labels immediately.
    const more: Pools = [...pools({ cost: "y" }), { uid: "q", name: "late", spec: { min: 1, desired: 1, max: 3 } }];
    expect(actionsOf(await cluster.plan(at("v1.1.0"), { ...changed, nodePools: more }))).toEqual({
      'aws_eks_node_group.pool["late"]': "create",
      'aws_launch_template.pool["late"]': "create",
    });
  });

  test("M125 the size that an autoscaler chose is neither drift nor reverted, and limits still apply", async () => {
    const cluster = await openCluster();
    const pools = (spec: JsonObject): Pools => [{ uid: "p", name: "spot", spec: { min: 1, desired: 1, max: 5, ...spec } }];
    const scaled = { nodePools: pools({ autoscaling: true }) };
    await cluster.build(at("v1.1.0"), scaled);
    const group = (await cluster.entity.list("aws_eks_node_group")).find(({ id }) => id.includes(":spot-"));
    const scaling = [{ min_size: 1, desired_size: 4, max_size: 5 }];
    await changeRecord(
      platform.inventory,
      cluster.entity.account.uid,
      { type: "aws_eks_node_group", id: group?.id ?? "" },
      { scaling_config: scaling },
    );
    const common = { kind: "Cluster", name: "shop", parents: inNetwork } as const;
    expect(await cluster.entity.run("cluster.check", { ...common, ...scaled, spec: at("v1.1.0") })).toMatchObject({
      drifted: false,
    });
    expect((await cluster.plan(at("v1.1.0"), scaled)).counts).toMatchObject(none);
    await cluster.build(at("v1.1.0"), { nodePools: pools({ autoscaling: true, max: 3 }) });
    const limited = (await cluster.entity.list("aws_eks_node_group")).find(({ id }) => id === group?.id);
    expect(limited?.attributes["scaling_config"]).toMatchObject([{ desired_size: 3, max_size: 3 }]);
    expect((await cluster.plan(at("v1.1.0"), { nodePools: pools({}) })).counts).toMatchObject({ ...none, update: 1 });
  });

  test("M125 a zone that is added to the network does not replace pools without zones", async () => {
    const cluster = await openCluster();
    await cluster.build(at("v1.1.0"));
    const [network] = inNetwork;
    const third = {
      id: "subnet-z",
      region: "eu-west-1",
      vpc_id: "vpc-1",
      cidr_block: "10.0.99.0/24",
      availability_zone: "eu-west-1c",
    };
    await platform.inventory.put(cluster.entity.account.uid, { type: "aws_subnet", id: third.id, attributes: third });
    const outputs = network?.outputs ?? {};
    const parents = [
      { ...network, outputs: { ...outputs, private_subnet_ids: [...(outputs["private_subnet_ids"] as string[]), third.id] } },
    ] as typeof inNetwork;
    expect((await cluster.plan(at("v1.1.0"), { parents })).counts).toMatchObject({ ...none });
    const nodePools: Pools = [{ uid: "p", name: "more", spec: { min: 1, desired: 1, max: 3 } }];
    await cluster.build(at("v1.1.0"), { parents, nodePools });
    const made = (await cluster.entity.list("aws_eks_node_group")).find(({ id }) => id.includes(":more-"));
    expect(made?.attributes["subnet_ids"]).toContain(third.id);
  });

  test("M126 the creator's access entry is created once, although the user lists the creator too", async () => {
    const cluster = await openCluster();
    await cluster.build(at("v1.1.0"));
    const [entry] = await cluster.entity.list("aws_eks_access_entry");
    const creator = entry?.attributes["principal_arn"] as string;
    const listed = at("v1.1.0", { aws: { accessEntries: [{ principalArn: creator, policy: "view", groups: ["ops"] }] } });
    expect(actionsOf(await cluster.plan(listed))).toEqual({ [`aws_eks_access_entry.this["${creator}"]`]: "update" });
    await cluster.build(listed);
    const policies = await cluster.entity.list("aws_eks_access_policy_association");
    expect(policies.map(({ attributes }) => attributes["policy_arn"])).toEqual([
      "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
    ]);
  });

  test("M126 M069 a v1.0.0 cluster whose spec lists its creator is created and upgraded, and keeps only the access entry that EKS created", async () => {
    const cluster = await openCluster();
    const creator = await findCreator(cluster);
    const other = "arn:aws:iam::123456789012:user/ann";
    const accessEntries = [creator, other].map((principalArn) => ({ principalArn, policy: "view" }));
    const listEntries = async (): Promise<Record<string, boolean>> =>
      Object.fromEntries(
        (await cluster.entity.list("aws_eks_access_entry")).map(({ attributes }) => [
          attributes["principal_arn"] as string,
          attributes["tags"] !== undefined,
        ]),
      );
    for (const version of ["v1.0.0", "v1.1.0"]) {
      await cluster.build(at(version, { aws: { accessEntries } }));
      expect(await listEntries()).toEqual({ [creator]: false, [other]: true });
      expect((await cluster.plan(at(version, { aws: { accessEntries } }))).counts).toMatchObject(none);
    }
    await cluster.destroy(at("v1.1.0", { aws: { accessEntries } }));
    expect(await listEntries()).toEqual({});
  });

  /** Returns the principal that creates clusters in the simulated account of a test cluster. */
  async function findCreator(cluster: TestCluster): Promise<string> {
    const control = findSimulatedCloud("aws")?.openAccount?.({
      inventory: platform.inventory,
      tenant: cluster.entity.account.uid,
      region: "eu-west-1",
    }).clusters;
    return (await control?.findPrincipal("none")) ?? "";
  }

  test("M128 M134 offered add-ons that call AWS get a role each, with the given path and permissions boundary", async () => {
    const cluster = await openCluster();
    const boundary = "arn:aws:iam::123456789012:policy/boundary";
    const spec = at("v1.1.0", {
      aws: { rolePath: "/platform/", permissionsBoundaryArn: boundary },
      addOns: ["adot", "aws-efs-csi-driver", "amazon-cloudwatch-observability"].map((name) => ({ name })),
    });
    await cluster.build(spec);
    const roles = await cluster.entity.list("aws_iam_role");
    expect(roles.map(({ id }) => id.replace(/^shop-[^-]+-/, "")).toSorted()).toEqual([
      "adot-logs",
      "adot-metrics",
      "adot-traces",
      "cloudwatch",
      "cluster",
      "ebs-csi",
      "efs-csi",
      "load-balancers",
      "nodes",
    ]);
    for (const { attributes } of roles) expect(attributes).toMatchObject({ path: "/platform/", permissions_boundary: boundary });
    const accounts = (await cluster.entity.list("aws_eks_pod_identity_association")).map(
      ({ attributes }) => attributes["service_account"],
    );
    expect(accounts).toEqual(expect.arrayContaining(["efs-csi-controller-sa", "cloudwatch-agent", "adot-col-otlp-ingest"]));
    expect((await cluster.plan(spec)).counts).toMatchObject(none);
    await cluster.destroy(spec);
    expect(await cluster.entity.list("aws_iam_role")).toEqual([]);
  });
});
