import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeCloud } from "../describe-cloud.ts";
import { findProvider } from "../find-provider.ts";
import { moto, startAwsCloud, type AwsCloud } from "./aws-cloud.ts";
import { kubernetesCases } from "./kubernetes-cases.ts";
import { checkCluster, checkFullBucket, checkMissingSubnets, checkNat } from "./live-changes.ts";
import { networkCases } from "./network-cases.ts";
import { storageCases } from "./storage-cases.ts";

const provider = findProvider("hashicorp/aws");
if (provider.found && !moto.found) throw new Error(`the real provider hashicorp/aws needs moto: ${moto.reason}`);
const start = (): Promise<AwsCloud> => startAwsCloud(moto.found ? moto.path : "");

describeCloud({ cloud: "aws", provider: "hashicorp/aws", cases: [...networkCases, ...storageCases, ...kubernetesCases], start });

describe.skipIf(!provider.found)("changes to live resources with the real provider hashicorp/aws", () => {
  let cloud: AwsCloud;
  beforeAll(async () => void (cloud = await start()));
  afterAll(() => cloud?.close());

  test.each([
    ["M110 M115 a NAT gateway keeps its zone, no route leads to a deleted gateway, and routes that others added stay", checkNat],
    ["M118 a network is rejected if its spec names subnets that the existing VPC does not have", checkMissingSubnets],
    ["M137 a bucket that contains objects is deleted only if its settings allow it", checkFullBucket],
    ["M120 M123 a log group that EKS created is adopted, and changing a tag replaces no node", checkCluster],
  ])("%s", { timeout: 900_000 }, async (_title, check) => {
    expect(provider.found).toBe(true);
    if (provider.found) await check(provider, cloud);
  });
});
