import { getCloud } from "@cloudwright/contract/clouds";
import { expect, test } from "vitest";
import { createEksCluster, listUsualVersions } from "./eks-cluster.ts";

const region = "eu-west-1";

test("M123 the conformance suite's EKS offers exactly the contract's versions", () => {
  const offered = getCloud("aws").kubernetesVersions ?? [];
  for (const version of offered) {
    expect(createEksCluster({ name: "a", version }, region).describe()["version"]).toBe(version);
  }
  expect(() => createEksCluster({ name: "a", version: "1.99" }, region)).toThrow("1.99");
  expect(createEksCluster({ name: "a" }, region).describe()["version"]).toBe(offered.at(-1));
  expect(listUsualVersions(offered).map(({ clusterVersion }) => clusterVersion)).toEqual(offered);
});

test("M123 the conformance suite's EKS accepts standard support only for the versions that it lists as supported", () => {
  const supported = listUsualVersions([]).map(({ clusterVersion }) => clusterVersion);
  const isAccepted = (version: string): boolean => {
    try {
      createEksCluster({ name: "a", version, upgradePolicy: { supportType: "STANDARD" } }, region);
      return true;
    } catch {
      return false;
    }
  };
  expect(supported).not.toEqual([]);
  expect((getCloud("aws").kubernetesVersions ?? []).filter(isAccepted)).toEqual(supported);
});
