import { createWarmDirectories, type JsonObject } from "@cloudwright/deployer";
import type { StoredPlan } from "@cloudwright/deployer/testing";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderGoldenPlan, upgradeAttributes } from "../testing/golden-plan.ts";
import { addNetwork, inNetwork } from "../testing/network-above.ts";
import { faultOf, openTestPlatform, terraform, type TestEntity, type TestPlatform } from "../testing/test-platform.ts";

type Pools = { readonly uid: string; readonly name: string; readonly spec: JsonObject }[];

/** A cluster in an existing network, with its plan and apply tasks. */
interface TestCluster {
  readonly entity: TestEntity;
  plan(spec: JsonObject, nodePools?: Pools): Promise<StoredPlan & { readonly uid: string }>;
  apply(uid: string, spec: JsonObject, nodePools?: Pools): Promise<JsonObject>;
  build(spec: JsonObject, nodePools?: Pools): Promise<JsonObject>;
}

const actionsOf = ({ changes }: Pick<StoredPlan, "changes">): Record<string, unknown> =>
  Object.fromEntries(changes.map(({ address, action }) => [address as string, action]));

const renderPreview = ({ items }: JsonObject): string =>
  (items as { part: string; name: string; action: string; message: string }[])
    .map(({ part, name, action, message }) => `${part}: ${action} ${name}${message === "" ? "" : ` (${message})`}`)
    .join("\n");

describe.skipIf(!terraform.found)("the life of a cluster with real Terraform", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  async function openCluster(): Promise<TestCluster> {
    const entity = platform.openEntity({ warm: createWarmDirectories({ directory: join(platform.directory, "warm") }) });
    await addNetwork(platform.inventory, entity.account.uid);
    const common = { kind: "Cluster", name: "shop", parents: inNetwork } as const;
    const plan: TestCluster["plan"] = async (spec, nodePools = []) => {
      const uid = (await entity.run("cluster.plan", { ...common, spec, nodePools }))["plan"] as string;
      const stored = platform.endpoint.plans.get(uid);
      if (stored === undefined) throw new Error("the plan was not stored");
      return { ...stored, uid };
    };
    const apply: TestCluster["apply"] = (planUid, spec, nodePools = []) =>
      entity.run("cluster.apply", { ...common, spec, nodePools, plan: planUid });
    return { entity, plan, apply, build: async (spec, pools) => apply((await plan(spec, pools)).uid, spec, pools) };
  }

  test("M069 M160 a v0.1.0 cluster keeps its version until its spec changes, and is then upgraded to v1.0.0 in place", async () => {
    const cluster = await openCluster();
    const old = { version: "1.33", infra: { version: "v0.1.0" } };
    expect(await cluster.build(old)).toMatchObject({ infra_version: "v0.1.0", version: "1.33" });
    const [before] = await cluster.entity.list("aws_eks_cluster");
    expect((await cluster.plan({ version: "1.33" })).counts).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0 });
    const spec = { version: "1.33", infra: { version: "v1.0.0" } };
    const planned = await cluster.plan(spec);
    await expect(renderGoldenPlan(planned, upgradeAttributes)).toMatchFileSnapshot(
      join(import.meta.dirname, "golden", "cluster-upgrade-of-v0.1.0-to-v1.0.0.json"),
    );
    const actions = actionsOf(planned);
    const made = Object.keys(actions).filter((address) => actions[address] !== "create");
    expect(Object.fromEntries(made.map((address) => [address, actions[address]]))).toEqual({
      "aws_eks_cluster.this": "update",
      'aws_eks_node_group.pool["default"]': "replace",
    });
    expect(await cluster.apply(planned.uid, spec)).toMatchObject({
      infra_version: "v1.0.0",
      region: "eu-west-1",
      vpc_id: "vpc-1",
    });
    const [after] = await cluster.entity.list("aws_eks_cluster");
    expect(after?.attributes["created_at"]).toBe(before?.attributes["created_at"]);
    expect((await cluster.plan({ version: "1.33" })).counts).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0 });
  });

  test("X034 M125 M128 M160 M161 changes are previewed; pools are added, scaled, changed and removed, versions upgraded, and nothing else changes", async () => {
    const cluster = await openCluster();
    const spec = { version: "1.33" };
    await cluster.build({ ...spec, workers: 2 });
    const pool = (change: JsonObject): Pools => [
      { uid: "p", name: "spot", spec: { min: 1, desired: 1, max: 3, capacity: "spot", ...change } },
    ];
    const first = { ...spec, workers: 2 };
    const changed = {
      diskSizeGib: 40,
      desired: 2,
      nodeLabels: { a: "b" },
      taints: [{ key: "k", value: "v", effect: "NoExecute" }],
    };
    const steps: [JsonObject, Pools, Record<string, string>][] = [
      [
        { ...spec, workers: 3 },
        pool({}),
        {
          'aws_eks_node_group.pool["default"]': "update",
          'aws_eks_node_group.pool["spot"]': "create",
          'aws_launch_template.pool["spot"]': "create",
        },
      ],
      [
        { ...spec, workers: 3 },
        pool(changed),
        { 'aws_eks_node_group.pool["spot"]': "update", 'aws_launch_template.pool["spot"]': "update" },
      ],
      [
        { ...spec, workers: 3, addOns: [{ name: "coredns", configuration: '{"replicaCount":3}' }] },
        pool({ ...changed, instanceType: "m5.large" }),
        { 'aws_eks_addon.late["coredns"]': "update", 'aws_eks_node_group.pool["spot"]': "replace" },
      ],
      [
        { ...first, version: "1.34" },
        [],
        {
          "aws_eks_cluster.this": "update",
          'aws_eks_node_group.pool["default"]': "update",
          'aws_eks_node_group.pool["spot"]': "delete",
          'aws_launch_template.pool["spot"]': "delete",
          'aws_eks_addon.early["kube-proxy"]': "update",
        },
      ],
    ];
    const candidate = { version: "1.34", workers: 3, addOns: [{ name: "metrics-server", disabled: true }] };
    const before = await platform.inventory.list(cluster.entity.account.uid);
    const common = { kind: "Cluster", name: "shop", parents: inNetwork, nodePools: pool({}) } as const;
    const preview = await cluster.entity.run("cluster.preview", {
      ...common,
      spec: candidate,
      formerSpec: { ...spec, workers: 2 },
    });
    await expect(`${renderPreview(preview)}\n`).toMatchFileSnapshot(
      join(import.meta.dirname, "golden", "preview-of-upgrade.txt"),
    );
    expect(await platform.inventory.list(cluster.entity.account.uid)).toEqual(before);
    for (const [desired, pools, expected] of steps) {
      const planned = await cluster.plan(desired, pools);
      expect(actionsOf(planned)).toEqual(expected);
      await cluster.apply(planned.uid, desired, pools);
    }
    const groups = await cluster.entity.list("aws_eks_node_group");
    expect(groups.map(({ attributes }) => attributes["version"])).toEqual(["1.34"]);
    await cluster.entity.run("cluster.destroy", { kind: "Cluster", name: "shop", parents: inNetwork, spec: first });
    const left = (await cluster.entity.list()).filter(({ type }) => type !== "aws_vpc" && type !== "aws_subnet");
    expect(left).toEqual([]);
  });

  test("M128 M160 add-ons are installed with the first node, keep their versions when EKS's defaults change, and survive the last node", async () => {
    const cluster = await openCluster();
    const addOns = async (): Promise<Record<string, unknown>> => {
      const found = await cluster.entity.list("aws_eks_addon");
      return Object.fromEntries(found.map(({ attributes }) => [attributes["addon_name"], attributes["addon_version"]]));
    };
    const nothing = { create: 0, update: 0, replace: 0, delete: 0 };
    await cluster.build({ version: "1.32", workers: 0 });
    expect(Object.keys(await addOns()).toSorted()).toEqual(["eks-pod-identity-agent", "kube-proxy", "vpc-cni"]);
    // Installs older add-on versions, as if EKS had changed its defaults to newer versions since the cluster was created.
    const older = { coredns: "v1.11.3-eksbuild.1", "vpc-cni": "v1.19.0-eksbuild.1" };
    const asked = Object.entries(older).map(([name, version]) => ({ name, version }));
    await cluster.build({ version: "1.32", workers: 1, addOns: asked });
    expect((await cluster.plan({ version: "1.32", workers: 1 })).counts).toMatchObject(nothing);
    expect(actionsOf(await cluster.plan({ version: "1.32", workers: 0 }))).toEqual({
      'aws_eks_node_group.pool["default"]': "update",
    });
    await cluster.build({ version: "1.32", workers: 0 });
    expect(Object.keys(await addOns())).toHaveLength(5);
    // Without nodes, an add-on that runs on nodes could not become ready after an upgrade, so it keeps its version.
    await cluster.build({ version: "1.33", workers: 0 });
    expect(await addOns()).toMatchObject({ "vpc-cni": "v1.20.4-eksbuild.1", coredns: older.coredns });
    expect((await cluster.plan({ version: "1.33", workers: 0 })).counts).toMatchObject(nothing);
    await cluster.build({ version: "1.33", workers: 1 });
    expect(await addOns()).toMatchObject({ coredns: "v1.12.4-eksbuild.1" });
    expect((await cluster.plan({ version: "1.33", workers: 1 })).counts).toMatchObject(nothing);
  });

  test("X034 a preview of a creation shows its effects and creates or stores nothing", async () => {
    const { entity } = await openCluster();
    const before = await platform.inventory.list(entity.account.uid);
    const spec = { version: "1.34", workers: 2, addOns: [{ name: "coredns", configuration: '{"replicaCount":3}' }] };
    const preview = await entity.run("cluster.preview", { kind: "Cluster", name: "shop", parents: inNetwork, spec });
    const text = renderPreview(preview).replaceAll(/\b\d{12}\b/g, "123456789012");
    await expect(`${text}\n`).toMatchFileSnapshot(join(import.meta.dirname, "golden", "preview-of-creation.txt"));
    expect(await platform.inventory.list(entity.account.uid)).toEqual(before);
    expect(platform.endpoint.state(entity.uid)).toBeUndefined();
  });

  test("X030 X031 a cluster whose state was lost is adopted", async () => {
    const cluster = await openCluster();
    const spec = { version: "1.34", endpoint: { public: true, publicCidrs: ["192.0.2.0/24"] } };
    await cluster.build(spec);
    const { uid } = cluster.entity;
    const state = JSON.parse(platform.endpoint.state(uid) ?? "{}") as { resources: { type: string }[]; serial: number };
    const resources = state.resources.filter(({ type }) => !/^aws_(kms_|eks_cluster$)/.test(type));
    platform.endpoint.putState(uid, JSON.stringify({ ...state, resources, serial: state.serial + 1 }));
    expect((await cluster.plan(spec)).counts).toMatchObject({ create: 0, update: 0, replace: 0, delete: 0 });
    await cluster.build({ version: "1.34", endpoint: { public: true, publicCidrs: [] } });
    const [built] = await cluster.entity.list("aws_eks_cluster");
    // If `publicCidrs` is empty, only the agent's own address can reach the cluster.
    expect(built?.attributes["vpc_config"]).toMatchObject([{ public_access_cidrs: ["198.51.100.1/32"] }]);
  });

  test("M034 M126 the error names a role that is not visible yet, throttling or the failed node group, and a retry succeeds", async () => {
    const cluster = await openCluster();
    const tenant = cluster.entity.account.uid;
    const spec = { version: "1.34" };
    const failed = (call: string): string =>
      `creating EKS ${call} (shop): operation error EKS: Create${call}, https response error StatusCode: 400`;
    const role = "Role with arn: x, could not be assumed because it does not exist or the trusted entity is not correct";
    const troubles: [string, string, string, string][] = [
      ["aws_eks_cluster", `${failed("Cluster")}, InvalidParameterException: ${role}`, "deployer.role_not_ready", "backoff"],
      [
        "aws_eks_node_group",
        `${failed("Nodegroup")}, api error ThrottlingException: Rate exceeded`,
        "deployer.throttled",
        "backoff",
      ],
      [
        "aws_eks_node_group",
        "waiting for EKS Node Group (shop:default) create: unexpected state 'CREATE_FAILED', wanted target 'ACTIVE'. last error: NodeCreationFailure: Instances failed to join the kubernetes cluster",
        "deployer.nodes_failed",
        "backoff",
      ],
    ];
    for (const [type, message, code, retry] of troubles) {
      await platform.faults.add({ kind: "error", operation: "create", type, tenant, message });
      expect(await faultOf(cluster.build(spec))).toMatchObject({ code, retry });
    }
    await cluster.build(spec);
    expect(await cluster.entity.list("aws_eks_cluster")).toHaveLength(1);
    expect(await cluster.entity.list("aws_eks_node_group")).toHaveLength(1);
    // A replacement node group that was created but is missing from the state must not block the next run.
    const [group] = await cluster.entity.list("aws_eks_node_group");
    const attributes = { ...group?.attributes, id: `${group?.id ?? ""}2` };
    await platform.inventory.put(tenant, { type: "aws_eks_node_group", id: attributes.id, attributes });
    expect((await cluster.plan(spec)).counts).toMatchObject({ create: 0, import: 0 });
    await platform.faults.add({
      kind: "error",
      operation: "update",
      type: "aws_eks_node_group",
      tenant,
      message: "AsgInstanceLaunchFailures: Could not launch On-Demand Instances. VcpuLimitExceeded - You have requested more",
    });
    expect(await faultOf(cluster.build({ ...spec, workers: 5 }))).toMatchObject({
      code: "deployer.quota_exhausted",
      retry: "never",
    });
  });
});
