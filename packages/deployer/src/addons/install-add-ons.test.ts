import { kubeFaults, type KubeObject } from "@cloudwright/kube";
import { openSimulatedCluster } from "@cloudwright/kube/testing";
import { createManualClock, Fault } from "@cloudwright/platform";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDeployer } from "../create-deployer.ts";
import { openTestCloud, createClusterTask } from "../testing/cluster-task.ts";
import type { DeployerOutcome, JsonObject } from "../task.ts";
import type { AddOn } from "./add-on.ts";

type Cluster = Awaited<ReturnType<typeof openSimulatedCluster>>;
let cluster: Cluster;
beforeEach(async () => {
  cluster = await openSimulatedCluster([{ name: "a" }]);
});
afterEach(() => cluster.close());

const binaries = { get: () => Promise.reject(new Error("no terraform is needed")) };
const patience = { reachMs: 0, addOnMs: 5000 };
async function install(
  spec: JsonObject = {},
  catalogue: readonly AddOn[] = [],
  outputs: JsonObject = {},
): Promise<DeployerOutcome> {
  const openCloud = openTestCloud(cluster.access);
  const deployer = createDeployer({ binaries, openCloud, patience, addOns: { catalogue }, clock: impatient });
  return deployer.handle(createClusterTask("cluster.addons", { spec, outputs }));
}
// Skips the pauses between attempts. Longer sleeps are timeouts, which never expire in these tests.
const impatient = {
  ...createManualClock(),
  sleep: (ms: number, signal?: AbortSignal) => (ms > 4000 ? never(signal) : Promise.resolve()),
};
const never = (signal?: AbortSignal): Promise<void> =>
  new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));

const statusOf = (outcome: DeployerOutcome): Record<string, string> => {
  const outputs = outcome.outcome === "cancelled" ? {} : outcome.outputs;
  const all = (outputs?.["addOns"] ?? []) as { name: string; phase: string }[];
  return Object.fromEntries(all.map(({ name, phase }) => [name, phase]));
};
const map = (name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "kube-system" },
  data,
});
const addOn = (name: string, objects: readonly KubeObject[], order = 200): AddOn => ({
  name,
  order,
  version: "1",
  wanted: "asked",
  install: { by: "manifests", render: () => objects },
});
const asks = (...names: string[]): JsonObject => ({ addOns: names.map((name) => ({ name, version: "", configuration: "" })) });
const findMap = (name: string) => cluster.client.find({ apiVersion: "v1", kind: "ConfigMap", namespace: "kube-system", name });
const classes = async (): Promise<Record<string, string | undefined>> => {
  const { items } = await cluster.client.list({ apiVersion: "storage.k8s.io/v1", kind: "StorageClass" });
  const annotation = "storageclass.kubernetes.io/is-default-class";
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.annotations?.[annotation]]));
};

test("M131 M135 a default cluster gets its add-ons without helm; add-ons that need helm or a newer configuration wait with a reason", async () => {
  const outcome = await install();
  expect(outcome).toMatchObject({ outcome: "done" });
  expect(statusOf(outcome)).toEqual({
    "storage-class": "READY",
    "aws-load-balancer-controller": "WAITING",
    "pod-identities": "WAITING",
    "metrics-server": "READY",
  });
  expect(await classes()).toEqual({ gp2: "false", gp3: "true" });
  const again = await install();
  expect(statusOf(again)).toEqual(statusOf(outcome));
});

test("M135 an add-on is INSTALLING during its installation, and earlier add-ons show their results", async () => {
  const said: string[] = [];
  const openCloud = openTestCloud(cluster.access);
  const deployer = createDeployer({ binaries, openCloud, patience, clock: impatient });
  const task = createClusterTask("cluster.addons", {
    progress: (_percent, _message, outputs) => {
      const all = (outputs?.["addOns"] ?? []) as { name: string; phase: string }[];
      said.push(all.map(({ name, phase }) => `${name} ${phase}`).join(", "));
    },
  });
  await deployer.handle(task);
  expect(said.slice(0, 2)).toEqual(["storage-class INSTALLING", "storage-class READY, aws-load-balancer-controller INSTALLING"]);
});

test("M131 a default storage class that a user chose stays the default, and a user's class named gp3 is not changed", async () => {
  await install();
  const gp2 = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", name: "gp2" };
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  await cluster.client.patch(gp2, { metadata: { annotations } });
  await install();
  expect(await classes()).toEqual({ gp2: "true", gp3: "false" });
  await cluster.client.patch({ ...gp2, name: "gp3" }, { metadata: { labels: { "app.kubernetes.io/managed-by": "gitops" } } });
  expect(statusOf(await install())["storage-class"]).toBe("WAITING");
  expect(statusOf(await install(asks("storage-class")))["storage-class"]).toBe("FAILED");
});

test("M131 the parameters of a storage class can be changed", async () => {
  await install();
  const configuration = JSON.stringify({ parameters: { iops: "4000" }, reclaimPolicy: "Retain" });
  await install({ addOns: [{ name: "storage-class", version: "", configuration }] });
  const found = await cluster.client.get({ apiVersion: "storage.k8s.io/v1", kind: "StorageClass", name: "gp3" });
  expect(found).toMatchObject({ parameters: { type: "gp3", iops: "4000" }, reclaimPolicy: "Retain" });
});

test("M235 an add-on from a user's catalogue is installed in order, and obsolete objects are pruned", async () => {
  await cluster.client.apply(map("others"));
  const [one, two] = [addOn("mine", [map("mine-1"), map("mine-2")]), addOn("mine", [map("mine-2")])];
  expect(Object.keys(statusOf(await install(asks("mine"), [one]))).at(-1)).toBe("mine");
  expect((await findMap("mine-1"))?.metadata.labels).toMatchObject({ "app.kubernetes.io/managed-by": "cloudwright" });
  await install(asks("mine"), [two]);
  expect(await findMap("mine-1")).toBeUndefined();
  expect(await findMap("mine-2")).toBeDefined();
  await install({}, [two]);
  expect([await findMap("mine-2"), (await findMap("others"))?.metadata.name]).toEqual([undefined, "others"]);
  const kept = (await findMap("cloudwright-addons"))?.["data"] as object;
  expect(Object.keys(kept).toSorted()).toEqual(["metrics-server", "storage-class"]);
});

test("M235 an object that is now managed by another tool is not pruned", async () => {
  const mine = addOn("mine", [map("taken")]);
  await install(asks("mine"), [mine]);
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "kube-system", name: "taken" };
  await cluster.client.patch(ref, { metadata: { labels: { "app.kubernetes.io/managed-by": "gitops" } } });
  await install({}, [mine]);
  expect(await findMap("taken")).toBeDefined();
});

test("M135 an add-on that never becomes ready is FAILED, and all others are installed", async () => {
  const labels = { app: "sick" };
  const mishap = { "cloudwright.dev/simulated-mishap": "CrashLoopBackOff" };
  const sick: KubeObject = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "sick", namespace: "kube-system" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations: mishap }, spec: { containers: [{ name: "a", image: "a" }] } },
    },
  };
  const openCloud = openTestCloud(cluster.access);
  const catalogue = [addOn("sick", [sick], 5), addOn("well", [map("well")])];
  const deployer = createDeployer({ binaries, openCloud, patience: { reachMs: 0, addOnMs: 300 }, addOns: { catalogue } });
  const outcome = await deployer.handle(createClusterTask("cluster.addons", { spec: asks("sick", "well") }));
  expect(outcome).toMatchObject({
    outcome: "failed",
    fault: { code: "deployer.add_ons_failed", permanent: false, message: expect.stringContaining("sick") },
  });
  expect(statusOf(outcome)).toMatchObject({ sick: "FAILED", well: "READY", "storage-class": "READY" });
});

test("M135 an unknown name, an invalid configuration and a chart without helm fail permanently", async () => {
  const spec = {
    aws: { karpenter: { enabled: true } },
    addOns: [
      { name: "nobody-knows", version: "1", configuration: "" },
      { name: "metrics-server", version: "", configuration: "[" },
      { name: "storage-class", version: "9", configuration: "" },
      { name: "aws-load-balancer-controller", version: "", configuration: "" },
    ],
  };
  await install();
  const outcome = await install(spec, [], { load_balancer_controller_role_arn: "arn" });
  expect(outcome).toMatchObject({ outcome: "failed", fault: { code: "deployer.add_ons_refused", permanent: true } });
  expect(statusOf(outcome)).toEqual({
    "aws-load-balancer-controller": "FAILED",
    karpenter: "WAITING",
    "karpenter-nodes": "WAITING",
    "pod-identities": "WAITING",
    "nobody-knows": "FAILED",
    "metrics-server": "FAILED",
    "storage-class": "FAILED",
  });
  // An invalid request does not remove an add-on that is already installed.
  expect(await classes()).toMatchObject({ gp3: "true" });
});

test("M135 a single add-on is retried after a transient error", async () => {
  let tries = 0;
  const late: AddOn = {
    ...addOn("late", []),
    install: {
      by: "manifests",
      render: () => {
        tries += 1;
        if (tries < 3) throw new Fault(kubeFaults.unreachable, "not yet");
        return [map("late")];
      },
    },
  };
  expect(statusOf(await install(asks("late"), [late]))["late"]).toBe("READY");
  expect(tries).toBe(3);
});

test("M134 pod identities are READY when EKS has installed their agent, and WAITING in a cluster without nodes", async () => {
  const outputs = { addon_versions: { "eks-pod-identity-agent": "v1.3.0-eksbuild.1" } };
  expect(statusOf(await install({}, [], outputs))["pod-identities"]).toBe("READY");
  await cluster.host.setNodes("one", []);
  const outcome = await install({}, [], outputs);
  expect(outcome).toMatchObject({ outcome: "done" });
  expect(statusOf(outcome)["metrics-server"]).toBe("WAITING");
});

test("M133 Karpenter gets a default pool in the cluster's own subnets once it is installed", async () => {
  for (const [group, kind, plural] of [
    ["karpenter.sh", "NodePool", "nodepools"],
    ["karpenter.k8s.aws", "EC2NodeClass", "ec2nodeclasses"],
  ] as const) {
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const names = { kind, plural, singular: plural.slice(0, -1) };
    await cluster.client.apply({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: { group, names, scope: "Cluster", versions: [{ name: "v1", served: true, storage: true, schema }] },
    });
  }
  const configuration = JSON.stringify({ capacityTypes: ["spot"], cpuLimit: 8 });
  const spec = { aws: { karpenter: { enabled: true } }, addOns: [{ name: "karpenter-nodes", version: "", configuration }] };
  const outputs = { karpenter_node_role_name: "nodes", worker_subnet_ids: ["s-1", "s-2"], security_group_id: "sg-1" };
  expect(statusOf(await install(spec, [], outputs))["karpenter-nodes"]).toBe("READY");
  const nodeClass = await cluster.client.get({ apiVersion: "karpenter.k8s.aws/v1", kind: "EC2NodeClass", name: "default" });
  expect(nodeClass.spec).toMatchObject({ role: "nodes", subnetSelectorTerms: [{ id: "s-1" }, { id: "s-2" }] });
  const pool = await cluster.client.get({ apiVersion: "karpenter.sh/v1", kind: "NodePool", name: "default" });
  expect(pool.spec.limits).toEqual({ cpu: "8" });
  expect(JSON.stringify(pool.spec.template)).toContain('"values":["spot"]');
});

test("M135 a default add-on that the cluster disables is not installed, and an installed one is removed", async () => {
  await install();
  const outcome = await install({ addOns: [{ name: "metrics-server", version: "", configuration: "", disabled: true }] });
  expect(statusOf(outcome)).not.toHaveProperty("metrics-server");
  const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "kube-system", name: "metrics-server" };
  expect(await cluster.client.find(ref)).toBeUndefined();
});
