import { createManualClock } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { awsProvider } from "../aws/provider.ts";
import { createMemoryInventory } from "../inventory/memory-inventory.ts";
import { callProvider } from "../testing/call-provider.ts";
import type { ValueMap } from "../values/value.ts";
import { changeConditions, defaultConditions, readConditions, resetConditions } from "./conditions.ts";
import { listQuotas } from "./quotas.ts";
import { findRegion, listRegions } from "./regions.ts";

const config = { region: "eu-west-1" };
const vpc = { cidr_block: "10.0.0.0/16" };
const trust = JSON.stringify({ Statement: [{ Principal: { Service: "eks.amazonaws.com" } }] });

test("conditions set for one tenant affect only that tenant, until they are reset", async () => {
  const inventory = createMemoryInventory();
  await changeConditions(inventory, "a", { timeScale: 0.5, quotas: { buckets: 1 } });
  await changeConditions(inventory, "a", { quotas: { roles: 2 }, throttle: { perSecond: 1, burst: 2 } });
  expect(await readConditions(inventory, "a")).toEqual({
    timeScale: 0.5,
    lagMs: 0,
    quotas: { buckets: 1, roles: 2 },
    throttle: { perSecond: 1, burst: 2 },
  });
  expect(await readConditions(inventory, "b")).toEqual(defaultConditions);
  await changeConditions(inventory, "a", { throttle: null });
  expect((await readConditions(inventory, "a")).throttle).toBeUndefined();
  await resetConditions(inventory, "a");
  expect(await inventory.list("a")).toEqual([]);
});

test.each([
  ["aws_vpc", vpc, "vpcs-per-region", "VpcLimitExceeded"],
  ["aws_eip", {}, "elastic-ips-per-region", "AddressLimitExceeded"],
])("the number of %s is limited by the quota, even when all are requested at once", async (type, wanted, quota, code) => {
  const aws = callProvider(awsProvider, { config });
  const limit = listQuotas({ quotas: {} })[quota] ?? 0;
  expect(limit).toBe(5);
  const results = await Promise.all(Array.from({ length: limit + 2 }, () => aws.create(type, wanted as ValueMap)));
  expect(results.filter(({ state }) => state !== null)).toHaveLength(limit);
  expect(results.flatMap(({ said }) => said)).toEqual([expect.stringContaining(code), expect.stringContaining(code)]);
  // Each region has its own quota, and a quota can be raised.
  expect((await aws.create(type, { ...(wanted as ValueMap), region: "us-east-1" })).state).not.toBeNull();
  await changeConditions(aws.inventory, "a", { quotas: { [quota]: limit + 1 } });
  expect((await aws.create(type, wanted as ValueMap)).state).not.toBeNull();
});

test("creation takes simulated time, the resource exists in the meantime, and it remains when the run is stopped", async () => {
  const clock = createManualClock();
  const aws = callProvider(awsProvider, { config, clock, conditions: { timeScale: 0.5 } });
  const making = aws.create("aws_vpc", vpc);
  await expect.poll(() => aws.inventory.list("a", "aws_vpc")).toHaveLength(1);
  clock.advance(6000);
  const { state } = await making;
  const removing = aws.remove("aws_vpc", state ?? {});
  await new Promise(setImmediate);
  expect(await aws.inventory.list("a", "aws_vpc")).toHaveLength(1);
  clock.advance(1000);
  expect((await removing).state).toBeNull();
  const cut = aws.create("aws_vpc", vpc);
  await expect.poll(() => aws.inventory.list("a", "aws_vpc")).toHaveLength(1);
  aws.stop.abort();
  const { state: left, said } = await cut;
  expect(left).toMatchObject(vpc);
  expect(said).toEqual(["The operation was stopped"]);
});

test("a throttled cloud answers a limited number of calls, and the provider retries the others before it fails", async () => {
  const aws = callProvider(awsProvider, { config: { ...config, max_retries: 2 }, conditions: { timeScale: 0.001 } });
  await changeConditions(aws.inventory, "a", { throttle: { perSecond: 0, burst: 2 } });
  const results = await Promise.all(Array.from({ length: 3 }, () => aws.create("aws_vpc", vpc)));
  expect(results.filter(({ state }) => state !== null)).toHaveLength(2);
  expect(results.flatMap(({ said }) => said)).toEqual([expect.stringContaining("RequestLimitExceeded")]);
  await changeConditions(aws.inventory, "a", { throttle: { perSecond: 100, burst: 1 } });
  expect((await aws.create("aws_vpc", vpc)).state).not.toBeNull();
});

test("a new resource becomes visible late: the provider waits for it, but not indefinitely", async () => {
  const attach = async (lagMs: number): Promise<string> => {
    const aws = callProvider(awsProvider, { config, conditions: { timeScale: 0.001, lagMs } });
    await aws.create("aws_iam_role", { name: "eks", assume_role_policy: trust });
    const policy = { role: "eks", policy_arn: "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy" };
    return (await aws.create("aws_iam_role_policy_attachment", policy)).said.join();
  };
  expect(await attach(60_000)).toBe("");
  expect(await attach(10_000_000)).toContain("NoSuchEntity: The role with name eks cannot be found.");
});

test("every region has its own zones", () => {
  expect(findRegion("aws", "us-west-1")?.zones).toEqual(["us-west-1a", "us-west-1c"]);
  expect(findRegion("gcp", "europe-west1")?.zones).toEqual(["europe-west1-b", "europe-west1-c", "europe-west1-d"]);
  expect(findRegion("azure", "westeurope")?.zones).toEqual(["westeurope-1", "westeurope-2", "westeurope-3"]);
  expect(findRegion("aws", "constructor")).toBeUndefined();
  expect(listRegions("aws")).toContain("eu-west-1");
});

test("an unknown region is rejected before any call reaches it", () => {
  expect(awsProvider.validate?.({ region: "eu-west-9" })).toMatchObject([{ summary: "invalid AWS Region: eu-west-9" }]);
  expect(awsProvider.validate?.({ region: "eu-west-1" })).toEqual([]);
});
