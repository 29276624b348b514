import { expect, test } from "vitest";
import { AccountSpecSchema } from "../../gen/cloudwright/v1/account_pb.ts";
import { ClusterSpecSchema } from "../../gen/cloudwright/v1/cluster_pb.ts";
import { NetworkSpecSchema } from "../../gen/cloudwright/v1/network_pb.ts";
import { cloudNames, cloudOf, defaultCloud, findCloud, findZones, getCloud, isCloudName, listRegions } from "./index.ts";

test("the `cloud` oneof of every spec contains exactly the known clouds", () => {
  for (const { oneofs } of [AccountSpecSchema, NetworkSpecSchema, ClusterSpecSchema]) {
    const choice = oneofs.find(({ name }) => name === "cloud");
    expect(choice?.fields.map(({ jsonName }) => jsonName)).toEqual(cloudNames);
  }
});

test("the section of a spec names its cloud", () => {
  expect(cloudOf({ simulated: true, gcp: {} })).toBe("gcp");
  expect(cloudOf({ aws: undefined, azure: {} })).toBe("azure");
  expect(cloudOf({})).toBeUndefined();
});

test("a lookup finds only the names of clouds", () => {
  expect(findCloud("aws")?.title).toBe("AWS");
  expect(findCloud("google")).toBeUndefined();
  expect(isCloudName("constructor")).toBe(false);
});

test.each(cloudNames)("%s: known regions have valid region names and full zone names", (cloud) => {
  const { regions } = getCloud(cloud);
  for (const region of listRegions(cloud)) {
    expect({ region, isName: regions.isName(region) }).toEqual({ region, isName: true });
    for (const zone of findZones(cloud, region) ?? []) {
      expect(zone.slice(0, region.length)).toBe(region);
      expect(regions.renderZone(region, zone)).toBe(zone);
    }
  }
  expect(findZones(cloud, "constructor")).toBeUndefined();
});

test.each(cloudNames)("%s: the default region is known and has the default zones", (cloud) => {
  const { regions } = getCloud(cloud);
  const wanted = regions.defaultZones.map((zone) => regions.renderZone(regions.default, zone));
  expect(findZones(cloud, regions.default) ?? []).toEqual(expect.arrayContaining(wanted));
});

test.each(cloudNames)("%s: the default machine type is the first suggestion", (cloud) => {
  const { machines } = getCloud(cloud);
  expect(machines.suggestedTypes[0] ?? "").toBe(machines.defaultType);
});

test.each(cloudNames.filter((name) => getCloud(name).kubeconfig !== undefined))(
  "%s: the cluster is found in the arguments of a kubeconfig's command, or in its context",
  (cloud) => {
    const { kubeconfig } = getCloud(cloud);
    const cluster = { cluster: "dev-1a2b", region: getCloud(cloud).regions.default };
    expect(kubeconfig?.findCluster(kubeconfig.renderArgs(cluster), "dev-1a2b")).toMatchObject({ cluster: "dev-1a2b" });
    expect(kubeconfig?.findCluster(["version"], "dev-1a2b")).toBeUndefined();
  },
);

test("the arguments of the default cloud's command contain the cluster and its region", () => {
  const { kubeconfig } = getCloud(defaultCloud);
  const cluster = { cluster: "dev-1a2b", region: "eu-west-1" };
  expect(kubeconfig?.findCluster(kubeconfig.renderArgs(cluster), "")).toEqual(cluster);
});
