import { waitForObject, type KubeObject } from "@cloudwright/kube";
import { openSimulatedCluster } from "@cloudwright/kube/testing";
import { Secret } from "@cloudwright/platform";
import { createClusterCloud, createMemoryInventory, type Inventory } from "@cloudwright/simulator";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Cloud } from "../cloud.ts";
import { createClusterTask, openTestCloud } from "../testing/cluster-task.ts";
import type { TaskSession } from "../executor/task-session.ts";
import { destroyCluster } from "./destroy-cluster.ts";
import { previewRemoval } from "./preview-removal.ts";
import { sweepCluster } from "./sweep-cluster.ts";

let cluster: Awaited<ReturnType<typeof openSimulatedCluster>>;
let inventory: Inventory;
beforeEach(async () => {
  inventory = createMemoryInventory();
  const vpc = [{ vpc_id: "v", subnet_ids: ["s"] }];
  await inventory.put("t", { type: "aws_eks_cluster", id: "dev-1", attributes: { region: "eu-west-1", vpc_config: vpc } });
  await inventory.put("t", { type: "aws_subnet", id: "s", attributes: { vpc_id: "v", cidr_block: "10.0.0.0/24" } });
  const hooks = createClusterCloud({ inventory }, async () => ({ tenant: "t", name: "dev-1" }));
  cluster = await openSimulatedCluster([{ name: "a" }], hooks);
});
afterEach(() => cluster.close());

const retained: string[] = [];
const openCloud = async (own: Partial<Cloud> = {}): Promise<Cloud> => {
  const leftovers = { list: async () => [], remove: async () => undefined, retain: async (id: string) => void retained.push(id) };
  return openTestCloud(cluster.access, { leftovers, ...own })({} as never, {} as never, {} as never);
};
const listMade = async () => (await inventory.list("t")).filter(({ type }) => !/cluster|subnet/.test(type));
const listTypes = async (): Promise<string[]> => (await listMade()).map(({ type }) => type);
const soon = { deadlineMs: 60_000 };
const options = { reachMs: 0, sweepMs: 60_000 };
const inApp = (kind: string, name: string, more: object, apiVersion = "v1"): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: "app" },
  ...more,
});
const claim = (name: string, storageClassName = "gp2") =>
  inApp("PersistentVolumeClaim", name, {
    spec: { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage: "1Gi" } } },
  });
const podWith = (claimName: string) => ({
  containers: [{ name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/v" }] }],
  volumes: [{ name: "v", persistentVolumeClaim: { claimName } }],
});
const template = (app: string, claimName: string) => ({
  selector: { matchLabels: { app } },
  template: { metadata: { labels: { app } }, spec: podWith(claimName) },
});

async function fill(): Promise<void> {
  const { client } = cluster;
  const retain = {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "kept" },
    provisioner: "ebs.csi.aws.com",
    reclaimPolicy: "Retain",
  };
  for (const object of [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "app" } },
    retain,
    inApp("Service", "web", { spec: { type: "LoadBalancer", selector: { app: "web" }, ports: [{ port: 80 }] } }),
    inApp("Service", "inner", { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
    inApp(
      "Ingress",
      "web",
      { spec: { defaultBackend: { service: { name: "inner", port: { number: 80 } } } } },
      "networking.k8s.io/v1",
    ),
    claim("bare"),
    claim("deployed"),
    claim("kept", "kept"),
    inApp("Pod", "bare", { spec: podWith("bare") }),
    inApp("Deployment", "web", { spec: template("web", "deployed") }, "apps/v1"),
  ]) {
    await client.apply(object);
  }
  for (const name of ["bare", "deployed", "kept"]) {
    const ref = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "app", name };
    await waitForObject(client, ref, (object) => object?.status?.phase === "Bound" || "not bound", soon);
  }
  const service = { apiVersion: "v1", kind: "Service", namespace: "app", name: "web" };
  await waitForObject(client, service, (object) => object?.status?.loadBalancer?.ingress !== undefined || "no address", soon);
}

test("X010 load balancers and volumes are removed before the cluster, and retained volumes are detached", async () => {
  retained.length = 0;
  await fill();
  expect(await listTypes()).toEqual(["aws_ebs_volume", "aws_ebs_volume", "aws_ebs_volume", "aws_lb", "aws_network_interface"]);
  const swept = await sweepCluster(await openCloud(), createClusterTask("cluster.destroy"), options);
  expect(swept).toEqual({ knowsRetained: true });
  const [kept, ...others] = await listMade();
  expect(others).toEqual([]);
  expect(kept?.attributes["tags"]).toMatchObject({ "kubernetes.io/created-for/pvc/name": "kept" });
  expect(retained).toEqual([kept?.id]);
  const { items } = await cluster.client.list({ apiVersion: "v1", kind: "Service" }, { namespace: "app" });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["inner"]);
});

test("X010 Karpenter's nodes are removed if it is installed", async () => {
  const { client } = cluster;
  for (const [kind, plural] of [
    ["NodePool", "nodepools"],
    ["NodeClaim", "nodeclaims"],
  ] as const) {
    const names = { kind, plural, singular: plural.slice(0, -1) };
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const spec = {
      group: "karpenter.sh",
      names,
      scope: "Cluster",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    };
    const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
    await client.apply({ ...definition, metadata: { name: `${plural}.karpenter.sh` }, spec });
    await waitForObject(
      client,
      { ...definition, name: `${plural}.karpenter.sh` },
      (object) => object?.status !== undefined || "new",
      soon,
    );
    await client.apply({ apiVersion: "karpenter.sh/v1", kind, metadata: { name: "one" }, spec: {} });
  }
  await sweepCluster(await openCloud(), createClusterTask("cluster.destroy"), options);
  for (const kind of ["NodePool", "NodeClaim"]) {
    expect((await client.list({ apiVersion: "karpenter.sh/v1", kind })).items).toEqual([]);
  }
});

test("X010 an object that is not deleted in time is logged and does not stop the deletion of others", async () => {
  await fill();
  const service = { apiVersion: "v1", kind: "Service", namespace: "app", name: "web" };
  const { finalizers = [] } = (await cluster.client.get(service)).metadata;
  await cluster.client.patch(service, { metadata: { finalizers: [...finalizers, "example.org/held"] } });
  const said: string[] = [];
  const task = createClusterTask("cluster.destroy", { log: (line) => void said.push(line) });
  await sweepCluster(await openCloud(), task, { ...options, sweepMs: 2000 });
  expect(said.join("\n")).toContain("example.org/held");
  expect(await listTypes()).toEqual(["aws_ebs_volume"]);
});

test("X010 a cluster that does not respond or cannot be opened is still deleted", async () => {
  const said: string[] = [];
  const task = createClusterTask("cluster.destroy", { log: (line) => void said.push(line) });
  const silent = { server: "https://127.0.0.1:1", caPem: "", token: async () => new Secret("") };
  await sweepCluster(await openCloud({ openCluster: async () => silent }), task, options);
  await sweepCluster(await openCloud({ openCluster: async () => Promise.reject(new Error("no such cluster")) }), task, options);
  await sweepCluster(await openCloud(), createClusterTask("cluster.destroy", { outputs: { cluster_name: "" } }), options);
  expect(said).toHaveLength(2);
});

test("X010 a volume that cannot be retained stops the deletion of its cluster", async () => {
  await fill();
  const leftovers = {
    list: async () => [],
    remove: async () => undefined,
    retain: async () => Promise.reject(new Error("denied")),
  };
  await expect(sweepCluster(await openCloud({ leftovers }), createClusterTask("cluster.destroy"), options)).rejects.toThrow(
    "denied",
  );
});

test.each([
  ["retain", 3],
  ["delete", 0],
])("X082 with claimVolumes %s, %i of 3 volumes are kept, regardless of their reclaim policies", async (claimVolumes, left) => {
  retained.length = 0;
  await fill();
  const lines: string[] = [];
  const task = createClusterTask("cluster.destroy", { spec: { claimVolumes }, log: (line) => void lines.push(line) });
  await sweepCluster(await openCloud(), task, options);
  const volumes = (await listMade()).filter(({ type }) => type === "aws_ebs_volume");
  expect(volumes).toHaveLength(left);
  expect(retained.toSorted()).toEqual(volumes.map(({ id }) => id).toSorted());
  const end = left > 0 ? " is kept in the cloud" : " is deleted";
  expect(lines.filter((line) => line.startsWith("volume ") && line.endsWith(end))).toHaveLength(3);
});

test("X082 a kept volume without a cloud id makes the sweep report that it does not know all volumes to retain", async () => {
  await fill();
  const metadata = { name: "in-tree", annotations: { "pv.kubernetes.io/provisioned-by": "kubernetes.io/aws-ebs" } };
  const spec = {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    hostPath: { path: "/x" },
  };
  await cluster.client.apply({ apiVersion: "v1", kind: "PersistentVolume", metadata, spec });
  const swept = await sweepCluster(await openCloud(), createClusterTask("cluster.destroy"), options);
  expect(swept).toEqual({ knowsRetained: false });
});

test("X082 the preview of a deletion lists infrastructure, load balancers and volumes, and changes nothing", async () => {
  await fill();
  const before = await listMade();
  const volume = before.find(({ type }) => type === "aws_ebs_volume");
  const leftovers = {
    list: async () => before.map(({ type, id }) => ({ type, id })),
    remove: async () => expect.unreachable(),
    retain: async () => expect.unreachable(),
  };
  const listOwned = async () => [{ type: "aws_eks_cluster", id: "dev-1", names: [] }];
  const cloud = await openCloud({ leftovers, listOwned });
  const list = async (claimVolumes: string) =>
    (await previewRemoval(cloud, createClusterTask("cluster.preview", { spec: { claimVolumes } }))).items.map(
      ({ part, action, name }) => `${action} ${part} ${name}`,
    );
  const byPolicy = await list("");
  expect(byPolicy).toEqual(
    expect.arrayContaining([
      "delete infrastructure aws_eks_cluster dev-1",
      "delete load-balancers Service app/web",
      "delete load-balancers Ingress app/web",
    ]),
  );
  expect(byPolicy.filter((line) => line.startsWith("delete leftovers aws_lb "))).toHaveLength(1);
  const count = (lines: readonly string[], action: string) =>
    lines.filter((line) => line.startsWith(`${action} volumes `)).length;
  expect([count(byPolicy, "delete"), count(byPolicy, "keep")]).toEqual([2, 1]);
  expect(byPolicy.filter((line) => line.includes(volume?.id ?? "none"))).toHaveLength(1);
  expect([count(await list("retain"), "keep"), count(await list("delete"), "delete")]).toEqual([3, 3]);
  expect(await listMade()).toEqual(before);
  // The resources of an unreachable cluster are listed by their tags, and its volumes are kept.
  const silent = { server: "https://127.0.0.1:1", caPem: "", token: async () => new Secret("") };
  const unreachable = await openCloud({ leftovers, openCluster: async () => silent });
  let nowMs = 0;
  const clock = { now: () => (nowMs += 20_000), sleep: async () => undefined };
  const { items, findings } = await previewRemoval(unreachable, createClusterTask("cluster.preview"), { clock });
  expect(items.filter(({ part }) => part === "volumes").map(({ action }) => action)).toEqual(["keep", "keep", "keep"]);
  expect(findings).toMatchObject([{ severity: "should" }]);
});

test("X082 the log and the progress of a deletion list infrastructure, load balancers, addresses and volumes, and which volumes are kept", async () => {
  retained.length = 0;
  await fill();
  const address = { type: "aws_eip", id: "eipalloc-1" };
  const volumes = (await listMade()).filter(({ type }) => type === "aws_ebs_volume").map(({ id }) => id);
  const left = [...(await listMade()).map(({ type, id }) => ({ type, id })), address];
  const leftovers = {
    list: async () => left.splice(0),
    remove: async () => undefined,
    retain: async (id: string) => void retained.push(id),
  };
  const lines: string[] = [];
  const progress: string[] = [];
  const cloud = await openCloud({ leftovers });
  const task = createClusterTask("cluster.destroy", {
    log: (line) => void lines.push(line),
    progress: (_, message) => void progress.push(message),
  });
  const session = { openCloud: async () => cloud, openEndpoint: async () => ({}) } as unknown as TaskSession;
  const stored = [{ address: "aws_eks_cluster.this", type: "aws_eks_cluster", id: "dev-1" }];
  const executor = {
    listResources: async () => stored,
    async destroy(beforeRemoval: () => Promise<void> = async () => undefined) {
      expect(lines).toEqual([]);
      await beforeRemoval();
    },
  };
  const account = { uid: "a", name: "a", cloud: "aws", simulated: true, spec: {} };
  await destroyCluster({ patience: options }, { task, account, session, executor });
  const announced = lines.filter((line) => line.startsWith("to be "));
  const [kept] = retained;
  expect(volumes).toContain(kept);
  const named = (name: string) => announced.filter((line) => line.includes(name));
  expect(named("aws_eks_cluster dev-1")).toHaveLength(1);
  for (const name of ["Service app/web", "Ingress app/web", "aws_lb ", "aws_eip eipalloc-1"])
    expect(named(name)).toEqual([expect.stringMatching(/^to be deleted: /)]);
  const verbs = volumes.map((id) => [id, ...named(id).map((line) => line.split(":")[0])]);
  expect(verbs).toEqual(volumes.map((id) => [id, id === kept ? "to be kept" : "to be deleted"]));
  // Everything is announced before anything is deleted.
  expect(lines.indexOf(announced.at(-1) ?? "")).toBeLessThan(lines.findIndex((line) => line.startsWith("deleted ")));
  expect(progress[0]).toMatch(/1 resource, 2 load balancers, 2 volumes, .*; keeping 1 volume$/);
});

test("X010 X082 the preview of a deletion lists the state and lost resources, and keeps forgotten ones", async () => {
  const vpc = { type: "aws_vpc", id: "vpc-1" };
  const lost = { type: "aws_subnet", id: "subnet-2" };
  const forgotten = { type: "aws_eip", id: "eip-3" };
  const untagged = { type: "aws_route", id: "r-4" };
  const cloud = await openCloud({ listOwned: async () => [vpc, lost, forgotten].map((each) => ({ ...each, names: [] })) });
  const stored = [
    { ...vpc, address: "aws_vpc.this" },
    { ...untagged, address: "aws_route.out" },
  ];
  // A resource in the state is deleted, even if a record says that it was forgotten.
  const context = { stored, forgotten: [forgotten, vpc] };
  const { items } = await previewRemoval(cloud, createClusterTask("cluster.preview"), context);
  expect(items.filter(({ part }) => part === "infrastructure").map(({ action, name }) => `${action} ${name}`)).toEqual([
    "delete aws_vpc vpc-1",
    "delete aws_route r-4",
    "delete aws_subnet subnet-2",
    "keep aws_eip eip-3",
  ]);
});
