import { createKubeClient, type KubeClient } from "@cloudwright/kube";
import { openSimulatedCluster } from "@cloudwright/kube/testing";
import { expect, test } from "vitest";
import { createDeployer } from "../create-deployer.ts";
import { openTestCloud, createClusterTask } from "../testing/cluster-task.ts";
import type { TestTaskOptions } from "../testing/test-task.ts";
import { findRemovedInUse, listRemovedApis } from "./removed-apis.ts";

const binaries = { get: () => Promise.resolve({ product: "terraform" as const, version: "1.11.4", path: "/nowhere" }) };
const network = {
  kind: "Network",
  uid: "n",
  name: "net",
  spec: { region: "eu-west-1" },
  outputs: { private_subnet_ids: ["subnet-1", "subnet-2"] },
};
const look = (from: string, to: string, more: TestTaskOptions = {}) =>
  createClusterTask("cluster.preflight", {
    spec: { version: to },
    outputs: { version: from, infra_version: "v1.0.0" },
    parents: [network],
    ...more,
  });

const old = "flowcontrol.apiserver.k8s.io/v1beta3";

// Current Kubernetes versions no longer serve this API, so the test adds it as a custom resource.
async function defineOld(client: KubeClient): Promise<void> {
  const names = { plural: "flowschemas", singular: "flowschema", kind: "FlowSchema", listKind: "FlowSchemaList" };
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await client.apply({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: "flowschemas.flowcontrol.apiserver.k8s.io",
      annotations: { "api-approved.kubernetes.io": "unapproved, for a test" },
    },
    spec: {
      group: "flowcontrol.apiserver.k8s.io",
      names,
      scope: "Cluster",
      versions: [{ name: "v1beta3", served: true, storage: true, schema }],
    },
  });
  await expect.poll(() => client.isServed({ apiVersion: old, kind: "FlowSchema" })).toBe(true);
  await client.apply({ apiVersion: old, kind: "FlowSchema", metadata: { name: "mine", labels: { a: "b" } } });
}

test("M161 an upgrade that removes APIs in use is rejected with the objects' names, unless it is allowed", async () => {
  const cluster = await openSimulatedCluster();
  const deployer = createDeployer({ binaries, openCloud: openTestCloud(cluster.access) });
  await expect(deployer.handle(look("1.31", "1.32"))).resolves.toEqual({ outcome: "done", outputs: {} });
  const client = createKubeClient(cluster.access);
  await defineOld(client);
  await expect(deployer.handle(look("1.31", "1.32"))).rejects.toMatchObject({
    code: "deployer.removed_apis",
    retry: "never",
    message: expect.stringContaining(`FlowSchema mine (${old}, written by`),
  });
  await expect(deployer.handle(look("1.31", "1.32", { allow: ["removed-apis"] }))).resolves.toMatchObject({ outcome: "done" });
  await expect(deployer.handle(look("1.32", "1.33"))).resolves.toMatchObject({ outcome: "done" });
  client.close();
  await cluster.close();
});

test("M161 a version below the running one is rejected without opening the cluster", async () => {
  const never = (): never => {
    throw new Error("nothing is to be opened");
  };
  const deployer = createDeployer({ binaries, openCloud: never });
  await expect(deployer.handle(look("1.34", "v1.33.2"))).rejects.toMatchObject({ code: "deployer.downgrade", retry: "never" });
  for (const version of ["1.34", "v1.34.1", ""]) {
    await expect(deployer.handle(look("1.34", version))).resolves.toMatchObject({ outcome: "done" });
  }
});

test("M161 only APIs removed between the two minor versions count, and only for their kinds", () => {
  expect(listRemovedApis(28, 31).map(({ apiVersion }) => apiVersion)).toEqual(["flowcontrol.apiserver.k8s.io/v1beta2"]);
  expect(listRemovedApis(32, 35)).toEqual([]);
  const removed = listRemovedApis(24, 25);
  const use = { name: "a", writer: "kubectl" };
  expect(
    findRemovedInUse(removed, [
      { apiVersion: "batch/v1beta1", kind: "CronJob", namespace: "apps", ...use },
      { apiVersion: "batch/v1", kind: "CronJob", namespace: "apps", ...use },
      { apiVersion: "batch/v1beta1", kind: "Job", ...use },
    ]),
  ).toEqual(["CronJob apps/a (batch/v1beta1, written by kubectl)"]);
});
