import { expect, test } from "vitest";
import { createMemoryInventory } from "./inventory/memory-inventory.ts";
import { createClusterCloud, getContents, listClusters } from "./managed-kubernetes.ts";

test("M130 a cluster without a known cloud has the contents of the default cloud", () => {
  expect(getContents(undefined)).toBe(getContents("aws"));
  expect(getContents("local")).toBe(getContents("aws"));
});

test("M130 the cloud resources of a cluster are recorded in the cloud of its account", async () => {
  const inventory = createMemoryInventory();
  const cloud = createClusterCloud({ inventory }, async () => ({ tenant: "a", name: "dev", cloud: "aws" }));
  await cloud.createVolume("id", { uid: "u", namespace: "n", name: "data", sizeGiB: 1, zone: "eu-west-1a", parameters: {} });
  expect((await inventory.list("a")).map(({ type }) => type)).toEqual(["aws_ebs_volume"]);
  expect(await listClusters(inventory, "a")).toEqual([]);
});
