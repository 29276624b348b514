import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readDocuments } from "./documents.ts";
import { createFakeWorld } from "./testing/fake-world.ts";
import { createTemporaryFolder } from "./testing/temporary-folder.ts";

const read = (text: string) => readDocuments(createFakeWorld({ stdin: text }).world, ["-"]);

test("M003 parents come first, whatever the order in the file", async () => {
  const documents = await read(`
kind: Storage
metadata: {name: s}
---
---
kind: NodePool
cluster: c
metadata: {name: p}
---
kind: kubernetes
metadata: {name: c}
---
kind: Account
metadata: {name: a}
---
kind: Network
metadata: {name: n}
`);
  expect(documents.map(({ kind, entity }) => `${kind.kind} ${entity.metadata.name}`)).toEqual([
    "Account a",
    "Network n",
    "Cluster c",
    "NodePool p",
    "Storage s",
  ]);
});

test("M003 a version stays text", async () => {
  const [document] = await read("kind: Cluster\nmetadata: {name: c}\nspec: {version: 1.30, workers: 3}");
  expect(document?.entity.spec).toEqual({ version: "1.30", workers: 3 });
});

test("M003 M063 field names of the first design are translated, and unknown ones are rejected", async () => {
  const [network, cluster] = await read(`
kind: Network
metadata: {name: main}
spec: {account: acme, region: eu-west-1, cidr: 10.0.0.0/16, cloudType: CLOUD_TYPE_AWS}
---
kind: Kubernetes
metadata: {name: dev}
spec:
  region: eu-west-1
  cloudType: CLOUD_TYPE_AWS
  workers: 3
  awsKubernetesSpec: {kubernetesVersion: 1.30, vpcId: vpc-0abc, karpenter: {enabled: true}}
`);
  expect(network?.entity.spec).toEqual({ account: "acme", region: "eu-west-1", cidr: "10.0.0.0/16", aws: {} });
  const aws = { karpenter: { enabled: true } };
  expect(cluster?.entity.spec).toEqual({ version: "1.30", network: "vpc-0abc", workers: 3, aws });
  for (const wrong of ["cloudType: AWS", "awsKubernetesSpec: {vpc: a}"]) {
    await expect(read(`kind: Cluster\nmetadata: {name: c}\nspec: {${wrong}}`)).rejects.toMatchObject({ code: "cli.bad_file" });
  }
});

test("M003 a list document yields its items, and JSON is accepted", async () => {
  const items = ["a", "b"].map((name) => ({ kind: "Environment", metadata: { name, project: "other" }, status: {} }));
  const documents = await read(JSON.stringify({ apiVersion: "cloudwright.v1", kind: "EnvironmentList", items }));
  expect(documents.map(({ entity, project }) => [entity.metadata.name, project])).toEqual([
    ["a", "other"],
    ["b", "other"],
  ]);
});

test("M003 a directory yields its YAML and JSON files", async () => {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, "b.yaml"), "kind: Environment\nmetadata: {name: b}");
  writeFileSync(join(folder, "a.json"), '{"kind":"Environment","metadata":{"name":"a"}}');
  writeFileSync(join(folder, "notes.txt"), "not a document");
  mkdirSync(join(folder, "below"));
  const documents = await readDocuments(createFakeWorld().world, [folder]);
  expect(documents.map(({ entity }) => entity.metadata.name)).toEqual(["a", "b"]);
});

test.each([
  ["no kind", "metadata: {name: a}"],
  ["an unknown kind", "kind: Clutser\nmetadata: {name: a}"],
  ["no name", "kind: Cluster\nmetadata: {}"],
  ["an unknown field", "kind: Cluster\nmetadata: {name: a}\nspecs: {}"],
  ["another version", "apiVersion: v1\nkind: Cluster\nmetadata: {name: a}"],
  ["a node pool without a cluster", "kind: NodePool\nmetadata: {name: a}"],
  ["a cluster on a kind without clusters", "kind: Account\ncluster: c\nmetadata: {name: a}"],
  ["a spec that is no map", "kind: Cluster\nmetadata: {name: a}\nspec: [1]"],
  ["no map at all", "- a"],
  ["no YAML", "kind: [Cluster"],
  ["nothing", "---\n"],
])("M003 a file with %s is rejected", async (_what, text) => {
  await expect(read(text)).rejects.toMatchObject({ code: "cli.bad_file" });
});
