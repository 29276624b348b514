import { expect, test } from "vitest";
import { listSpecProblems } from "../index.ts";

const check = (kind: string, spec: Readonly<Record<string, unknown>>): string[] =>
  listSpecProblems("azure", kind, { name: "data", spec, owner: {}, region: "" }).map(({ field }) => field);
const volume = { account: "a", sizeGib: 10, region: "westeurope" };

test("M206 a volume in Azure needs a region, and its type and size must exist", () => {
  for (const spec of [{}, { zone: "2" }, { zone: "westeurope-3", type: "Premium_LRS" }])
    expect(check("Volume", { ...volume, ...spec })).toEqual([]);
  expect(check("Volume", { account: "a", sizeGib: 10 })).toEqual(["spec.region"]);
  expect(check("Volume", { ...volume, type: "gp3", sizeGib: 40_000 })).toEqual(["spec.type", "spec.sizeGib"]);
});

test("M206 the zone of a volume in Azure is a number, with or without the region", () => {
  for (const zone of ["northeurope-1", "b", "12"]) expect(check("Volume", { ...volume, zone })).toEqual(["spec.zone"]);
});

test("M180 an instance in Azure has security groups or a network security group of the user, but not both", () => {
  const azure = {
    networkSecurityGroupId: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/networkSecurityGroups/n",
  };
  expect(check("Instance", { securityGroups: ["web"], azure: {} })).toEqual([]);
  expect(check("Instance", { securityGroups: [], azure })).toEqual([]);
  expect(check("Instance", { securityGroups: ["web"], azure })).toEqual(["spec.azure.networkSecurityGroupId"]);
});
