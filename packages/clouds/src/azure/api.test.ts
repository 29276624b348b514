import { createManualClock, requireTool, Secret } from "@cloudwright/platform";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAzureApi, type AzureApi } from "./api.ts";
import type { CredentialSource } from "./credentials.ts";
import { operations, type Operation } from "./operations.ts";
import { readApiModels } from "./testing/api-models.ts";
import { createAccessToken, fakeSubscription, refuse, startFakeAzure, type FakeAzure } from "./testing/fake-azure.ts";

const models = readApiModels();
const missing = models === undefined ? ": Azure's API models are not on this machine" : "";

describe.skipIf(models === undefined)(`M020 the calls of Azure Resource Manager${missing}`, () => {
  test("have the methods, paths and versions of Azure's API models of AKS and Compute", () => {
    const all = Object.values(operations) as readonly Operation[];
    const covered = all.filter(({ path }) => /Microsoft\.(Compute|ContainerService)\//.test(path));
    expect(covered.length).toBeGreaterThan(8);
    const plain = (path: string): string => path.replaceAll(/\{\w+\}/g, "{}").toLowerCase();
    const known = models?.operations.map(({ method, path, apiVersion }) => `${method} ${plain(path)} ${apiVersion}`) ?? [];
    expect(covered.filter(({ method, path, apiVersion }) => !known.includes(`${method} ${plain(path)} ${apiVersion}`))).toEqual(
      [],
    );
  });

  test("use models whose fields exist in Azure's API models", () => {
    // These models belong to services that the reference data does not contain.
    const elsewhere =
      /^(Subscription|Location|AvailabilityZoneMappings|Provider|Permission|GenericResource|ResourceGroup|VirtualNetwork\w*|AddressSpace|Subnet\w*|SubResource|NetworkSecurityGroup\w*|RouteTable\w*|PublicIPAddress|NatGateway\w*|RoleAssignment\w*|StorageAccount|CheckNameAvailabilityResult|EventData|LocalizableString)$/;
    const text = readFileSync(join(import.meta.dirname, "models.ts"), "utf8");
    const interfaces = [...text.matchAll(/export interface (\w+) \{\n(.*?)\n\}/gs)];
    expect(interfaces.length).toBeGreaterThan(30);
    const strangers = interfaces.flatMap(([, model = "", body = ""]) => {
      if (elsewhere.test(model)) return [];
      const own = [...body.matchAll(/readonly (\w+)\?:/g)].map(([, field = ""]) => field);
      return own.filter((field) => models?.fields.get(model)?.has(field) !== true).map((field) => `${model}.${field}`);
    });
    expect(strangers).toEqual([]);
  });
});

const openssl = requireTool("openssl");
describe.skipIf(!openssl.found)(`M020 Azure Resource Manager over HTTPS${openssl.found ? "" : `: ${openssl.reason}`}`, () => {
  let fake: FakeAzure;
  let api: AzureApi;
  const source: CredentialSource = {
    get: async () => ({ token: new Secret(createAccessToken("a")), expiresAtMs: Number.MAX_SAFE_INTEGER }),
    trouble: () => undefined,
  };
  const clock = { ...createManualClock(), sleep: async () => undefined };
  beforeAll(async () => {
    fake = await startFakeAzure(openssl.found ? openssl.path : "");
    const getSubscription = async () => fakeSubscription;
    api = createAzureApi(source, { region: "westeurope", endpoints: fake.endpoints, getSubscription, retryDelayMs: 1, clock });
  });
  afterEach(() => fake.answer(undefined));
  afterAll(async () => {
    await fake.close();
  });

  test.each([
    [429, "TooManyRequests", "clouds.throttled"],
    [503, "ServerBusy", "clouds.throttled"],
    [500, "InternalServerError", "clouds.failed"],
  ])("a response %i is retried; if Azure does not recover, the fault has its own code", async (status, code, fault) => {
    let failures = 2;
    const headers = { "retry-after": "0" };
    fake.answer(() => ((failures -= 1) >= 0 ? { ...refuse(status, code, "later"), headers } : undefined));
    expect(await api.list("list", operations.listLocations)).toHaveLength(2);
    failures = Number.POSITIVE_INFINITY;
    await expect(api.list("list", operations.listLocations)).rejects.toMatchObject({ code: fault });
  });

  test.each([
    [401, "InvalidAuthenticationToken", "clouds.credentials_refused"],
    [403, "AuthorizationFailed", "clouds.not_allowed"],
    [409, "MissingSubscriptionRegistration", "clouds.service_disabled"],
    [400, "LocationNotAvailableForResourceType", "clouds.failed"],
  ])("a response %i %s has a fault of its own and names the code", async (status, code, fault) => {
    fake.answer(() => refuse(status, code, "no"));
    const failed = api.call("list the regions", operations.listLocations);
    await expect(failed).rejects.toMatchObject({ code: fault });
    await expect(failed).rejects.toThrow(`Azure could not list the regions: ${code}: no`);
  });

  test("an unreachable endpoint is a fault that is retried later", async () => {
    const endpoints = { AZURE_RESOURCE_MANAGER_ENDPOINT: "https://localhost:1" };
    const getSubscription = async () => fakeSubscription;
    const nowhere = createAzureApi(source, { region: "r", endpoints, getSubscription, retryDelayMs: 1 });
    await expect(nowhere.call("list", operations.listLocations)).rejects.toMatchObject({ code: "clouds.unreachable" });
  });

  test("tokens never follow a link or a redirect to another host", async () => {
    const links = ["https://evil.example/steal", "//evil.example/steal", "http://localhost/steal"];
    for (const nextLink of links) {
      fake.answer(({ path }) => (path.endsWith("/locations") ? { status: 200, body: { value: [], nextLink } } : undefined));
      await expect(api.list("list", operations.listLocations)).rejects.toThrow(/another host/);
    }
    fake.answer(() => ({ status: 307, headers: { location: "https://evil.example/steal" } }));
    await expect(api.call("list", operations.listLocations)).rejects.toMatchObject({ code: "clouds.failed" });
    fake.answer(() => ({ status: 202, headers: { "azure-asyncoperation": "https://evil.example/steal" } }));
    const path = { resourceGroupName: "g", diskName: "d" };
    await expect(api.complete("delete", operations.deleteDisk, { path })).rejects.toThrow(/another host/);
  });

  test("parameters cannot leave their place in the path", async () => {
    const before = fake.seen.length;
    const path = { resourceGroupName: "../../x", diskName: "a/b?c#d" };
    expect(await api.find("find", operations.getDisk, { path })).toBeUndefined();
    expect(fake.seen.at(-1)?.path).toBe(
      `/subscriptions/${fakeSubscription}/resourceGroups/..%2F..%2Fx/providers/Microsoft.Compute/disks/a%2Fb%3Fc%23d`,
    );
    for (const resourceId of ["https://evil.example/", "/subscriptions/../x", "/a?b", "/a b", ""]) {
      await expect(api.find("find", operations.getNetworkResource, { path: { resourceId } })).rejects.toThrow(
        /resourceId is missing|not the id/,
      );
    }
    expect(fake.seen).toHaveLength(before + 1);
  });

  test("a long operation is awaited by its own address until it has succeeded, and its failure is reported", async () => {
    const link = `${fake.endpoints["AZURE_RESOURCE_MANAGER_ENDPOINT"]}/subscriptions/operations/1?api-version=2025-01-02`;
    let polls = 0;
    let last: object = { status: "Succeeded" };
    fake.answer(({ method }) => {
      if (method === "DELETE") return { status: 202, headers: { "azure-asyncoperation": link, "retry-after": "0" } };
      polls += 1;
      return { status: 200, body: polls < 3 ? { status: "InProgress" } : last };
    });
    const path = { resourceGroupName: "g", diskName: "d" };
    await api.complete("delete", operations.deleteDisk, { path });
    expect(polls).toBe(3);
    last = { status: "Failed", error: { code: "OperationNotAllowed", message: "the disk is attached" } };
    await expect(api.complete("delete", operations.deleteDisk, { path })).rejects.toThrow(
      /OperationNotAllowed: the disk is attached/,
    );
  });
});
