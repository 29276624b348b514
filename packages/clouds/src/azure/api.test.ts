import { createManualClock, requireTool, Secret } from "@cloudwright/platform";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAzureApi, type AzureApi } from "./api.ts";
import type { CredentialSource } from "./credentials.ts";
import { libraryOperations } from "./library/operations.ts";
import { operations, type Operation } from "./operations.ts";
import { readApiModels } from "./testing/api-models.ts";
import otherModels from "./testing/other-models.json" with { type: "json" };
import { createAccessToken, fakeSubscription, refuse, startFakeAzure, type FakeAzure } from "./testing/fake-azure.ts";

const models = readApiModels();
const missing = models === undefined ? ": Azure's API models are not on this machine" : "";

const plain = (path: string): string => path.replaceAll(/\{\w+\}/g, "{}").toLowerCase();
const describeCall = ({ method, path, apiVersion }: Operation): string => `${method} ${plain(path)} ${apiVersion}`;
const all: readonly Operation[] = [...Object.values(operations), ...Object.values(libraryOperations)];
const isCovered = ({ path }: Operation): boolean => /Microsoft\.(Compute|ContainerService)\//.test(path);

describe.skipIf(models === undefined)(`M020 the calls of Azure Resource Manager${missing}`, () => {
  test("have the methods, paths and versions of Azure's API models of AKS and Compute", () => {
    const covered = all.filter(isCovered);
    expect(covered.length).toBeGreaterThan(8);
    const known = models?.operations.map((operation) => describeCall(operation as Operation)) ?? [];
    expect(covered.filter((operation) => !known.includes(describeCall(operation)))).toEqual([]);
  });

  test("use models whose fields exist in Azure's API models", () => {
    const interfaces = readInterfaces();
    expect(interfaces.length).toBeGreaterThan(30);
    const strangers = interfaces.flatMap(([model, own]) => {
      const known = Object.hasOwn(otherModels.fields, model) ? [] : own;
      return known.filter((field) => models?.fields.get(model)?.has(field) !== true).map((field) => `${model}.${field}`);
    });
    expect(strangers).toEqual([]);
  });
});

test.skipIf(models === undefined)(`M020 the fake API notices bodies that differ from Azure's API models${missing}`, () => {
  const path = operations.listPools.path.replace("/agentPools", "");
  const put = models?.operations.find((each) => each.method === "PUT" && plain(each.path) === plain(path));
  const pool = { name: "a", count: "3", provisioningState: "x", cuont: 3 };
  expect(put?.findBodyProblems?.({ location: "a", properties: { agentPoolProfiles: [pool], dnsPrefix: "a" }, sku: 1 })).toEqual([
    '/properties/agentPoolProfiles/0/count is not a Number: "3"',
    "/properties/agentPoolProfiles/0/provisioningState is read-only",
    "/properties/agentPoolProfiles/0/cuont is unknown",
    "/sku is not an object",
  ]);
  expect(put?.headerNames).toContain("if-none-match");
});

describe("M020 calls to Azure services whose API models are not part of the reference data", () => {
  // Calls that Azure's descriptions do not contain. Azure describes the permissions call only for resource groups and resources, but it
  // also works for subscriptions. The other two calls accept the id of any Microsoft.Network resource.
  const undescribed = [
    "GET /subscriptions/{}/providers/microsoft.authorization/permissions 2022-04-01",
    "GET {} 2024-05-01",
    "DELETE {} 2024-05-01",
  ];

  test("have the methods, paths and versions of Azure's own descriptions", () => {
    const known = otherModels.operations.map((operation) => describeCall(operation as Operation));
    const isKnown = (call: string): boolean =>
      // Where a call takes a resource id, Azure's description contains the full path of the resource, so only the rest of the path is
      // compared.
      known.includes(call) || known.some((each) => /^\w+ \{\}\//.test(call) && each.endsWith(call.slice(call.indexOf("{}") + 2)));
    expect(
      all
        .filter((operation) => !isCovered(operation))
        .map(describeCall)
        .filter((call) => !isKnown(call)),
    ).toEqual(undescribed);
  });

  test("read only fields that Azure describes", () => {
    const described = otherModels.fields as Readonly<Record<string, readonly string[]>>;
    const own = readInterfaces().filter(([model]) => Object.hasOwn(described, model));
    expect(own.length).toBe(Object.keys(described).length);
    expect(
      own.flatMap(([model, names]) =>
        names.filter((name) => described[model]?.includes(name) !== true).map((name) => `${model}.${name}`),
      ),
    ).toEqual([]);
  });
});

/** Returns the name and the field names of each interface in `models.ts`. */
function readInterfaces(): (readonly [model: string, fields: readonly string[]])[] {
  const text = ["models.ts", "machine-models.ts"].map((file) => readFileSync(join(import.meta.dirname, file), "utf8")).join("\n");
  return [...text.matchAll(/export interface (\w+) \{\n(.*?)\n\}/gs)].map(([, model = "", body = ""]) => [
    model,
    [...body.matchAll(/readonly (\w+)\?:/g)].map(([, field = ""]) => field),
  ]);
}

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
  ])("a response %i %s becomes a specific fault that names the code", async (status, code, fault) => {
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

  test("parameters cannot escape their segment of the path", async () => {
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

  test("a long-running operation is polled at its own address until it succeeds, and a failure is reported", async () => {
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
