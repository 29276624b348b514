import { requireTool } from "@cloudwright/platform";
import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CallFacts } from "../../library/call-options.ts";
import { isCloudFault } from "../../library/errors.ts";
import { createAzure } from "../create-azure.ts";
import { fakeClient, fakeSecret, fakeSubscription, fakeTenant, refuse } from "../testing/fake-azure.ts";
import { startFakeLibrary, type FakeLibrary } from "../testing/fake-library.ts";

const openssl = requireTool("openssl");

describe.skipIf(!openssl.found)(`calls of the Azure library${openssl.found ? "" : `: ${openssl.reason}`}`, () => {
  let library: FakeLibrary;
  beforeAll(async () => {
    library = await startFakeLibrary(openssl.found ? openssl.path : "");
  });
  beforeEach(() => library.reset());
  afterAll(() => library.close());

  test.each([
    [401, "ExpiredAuthenticationToken", "auth"],
    [403, "AuthorizationFailed", "denied"],
    [409, "MissingSubscriptionRegistration", "denied"],
    [409, "ScopeLocked", "denied"],
    [404, "ResourceGroupNotFound", "not_found"],
    [409, "AnotherOperationInProgress", "conflict"],
    [412, "PreconditionFailed", "conflict"],
    [400, "InvalidParameter", "invalid"],
    [403, "QuotaExceeded", "quota"],
    [409, "SkuNotAvailable", "quota"],
    [429, "TooManyRequests", "throttled"],
    [503, "ServerBusy", "throttled"],
    [503, "Whatever", "unavailable"],
  ] as const)(
    "M148 a response %i %s becomes a fault with the category and Azure's request id",
    async (status, code, category) => {
      const headers = { "x-ms-request-id": "request-7", "retry-after": "0" };
      library.fake.answer(() => ({ ...refuse(status, code, "because Bearer abc.def of https://x/y?sig=1"), headers }));
      const fault = await library.azure.availableVersions().catch((error: unknown) => error);
      expect(isCloudFault(fault, category)).toBe(true);
      expect(fault).toMatchObject({ extra: { cloud: "azure", category, nativeCode: code, status, requestId: "request-7" } });
      expect((fault as Error).message).toContain(`${code}: because Bearer [secret] of https://x/y?[secret]`);
    },
  );

  test("M148 an exceeded quota that Azure reports with a general code is recognised", async () => {
    const message = "Operation could not be completed as it results in exceeding approved standardBSFamily Cores quota";
    library.fake.answer(() => refuse(409, "OperationNotAllowed", message));
    await expect(library.azure.availableVersions()).rejects.toMatchObject({ code: "clouds.quota" });
  });

  test("X021 each attempt counts against the budget, attempts are limited, and the budget can refuse", async () => {
    const taken: CallFacts[] = [];
    let open = 0;
    const azure = library.open({
      maxAttempts: 3,
      budget: {
        async take(facts) {
          taken.push(facts);
          open += 1;
          return () => void (open -= 1);
        },
      },
    });
    library.fake.answer(() => ({ ...refuse(503, "ServerBusy", "later"), headers: { "retry-after": "0" } }));
    await expect(azure.clusters.get("main")).rejects.toMatchObject({ code: "clouds.throttled" });
    const call = { service: "Microsoft.ContainerService", action: "managedClusters.get", isMutating: false };
    expect(taken).toEqual([1, 2, 3].map((attempt) => ({ ...call, attempt })));
    expect(open).toBe(0);
    library.reset();
    taken.length = 0;
    await azure.clusters.create({ name: "main", version: "1.34" });
    expect(taken.map(({ action, isMutating }) => `${action}${isMutating ? "!" : ""}`)).toEqual([
      "managedClusters.get",
      "kubernetesVersions.list",
      "managedClusters.createOrUpdate!",
      "managedClusters.get",
    ]);
    const refusal = new Error("the account's budget is used up");
    const refusing = library.open({ budget: { take: async () => Promise.reject(refusal) } });
    const fault = (await refusing.clusters.list().catch((error: unknown) => error)) as Error;
    expect(fault.cause ?? fault).toBe(refusal);
  });

  test("M150 a signal cancels a request, a retry and a wait, which reject with its reason", async () => {
    const reason = new Error("enough");
    const { answer } = library.cloud();
    for (const given of [{ status: 503, headers: { "retry-after": "60" } }, undefined]) {
      const abort = new AbortController();
      library.fake.answer((asked) => {
        setImmediate(() => abort.abort(reason));
        return given ?? answer(asked);
      });
      await expect(library.azure.clusters.list({ signal: abort.signal })).rejects.toBe(reason);
    }
    library.reset();
    library.cloud().behaviour.reads = Number.POSITIVE_INFINITY;
    await library.azure.clusters.create({ name: "main" });
    const abort = new AbortController();
    const onStatus = (): void => abort.abort(reason);
    await expect(library.azure.clusters.waitReady("main", { signal: abort.signal, onStatus })).rejects.toBe(reason);
  });

  test("M148 truncated and malformed responses are read again, and reported if they persist", async () => {
    let failures = 2;
    const { answer } = library.cloud();
    library.fake.answer((asked) => ((failures -= 1) >= 0 ? { status: 200, body: '{"values": [{"ver' } : answer(asked)));
    expect(await library.azure.availableVersions()).toHaveLength(6);
    failures = Number.POSITIVE_INFINITY;
    const fault = await library.azure.availableVersions().catch((error: unknown) => error);
    expect(isCloudFault(fault, "unavailable")).toBe(true);
    library.fake.answer(() => ({ status: 200, body: "null" }));
    await expect(library.azure.availableVersions()).rejects.toMatchObject({ extra: { category: "unavailable" } });
  });

  test("M151 a plain token that expires during a wait is reported, and a function is asked for a new one", async () => {
    await library.azure.clusters.create({ name: "main" });
    const { answer } = library.cloud();
    const expired = refuse(401, "ExpiredAuthenticationToken", "the access token has expired");
    library.fake.answer((asked) => (asked.headers.authorization?.includes("old") === true ? expired : answer(asked)));
    const plain = library.open({ accessToken: "old" });
    await expect(plain.clusters.waitReady("main")).rejects.toMatchObject({ code: "clouds.credentials_refused" });
    const tokens = ["new-1", "new-2"];
    const renewing = library.open({
      accessToken: async () => ({ token: tokens.shift() ?? "new-3", expiresAt: new Date(Date.now() + 3_600_000) }),
    });
    expect(await renewing.clusters.waitReady("main")).toMatchObject({ status: "running" });
  });

  test("M151 signs in with a client secret, and reports a wrong one as an authentication error", async () => {
    const open = (clientSecret: string) => {
      const application = { tenantId: fakeTenant, clientId: fakeClient, clientSecret };
      const { accessToken: _none, ...rest } = { accessToken: undefined, ...application };
      const azure = createAzure({
        subscriptionId: fakeSubscription,
        resourceGroup: "my-rg",
        location: "westeurope",
        endpoints: {
          resourceManager: library.fake.endpoints["AZURE_RESOURCE_MANAGER_ENDPOINT"] ?? "",
          authority: library.fake.endpoints["AZURE_AUTHORITY_HOST"] ?? "",
        },
        ...rest,
      });
      return azure;
    };
    const azure = open(fakeSecret);
    expect(await azure.clusters.list()).toEqual([]);
    expect(inspect(azure, { depth: 10, showHidden: true })).not.toContain(fakeSecret);
    const fault = await open("wrong")
      .clusters.list()
      .catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: "clouds.credentials_refused", extra: { category: "auth", cloud: "azure" } });
  });

  test.each([
    [{ subscriptionId: "" }, /subscriptionId is required; pass it to createAzure/],
    [{ location: undefined }, /location is required; pass it to createAzure/],
    [{ resourceGroup: undefined }, /resourceGroup is required; pass it to createAzure/],
    [{ accessToken: "t", clientSecret: "s" }, /set only one of accessToken, clientSecret/],
    [{ accessToken: undefined, clientSecret: "s" }, /needs tenantId and clientId/],
    [{ accessToken: undefined, clientId: "c" }, /clientId needs/],
    [{ accessToken: " " }, /accessToken is empty/],
  ])("M151 refuses contradictory or incomplete options %#", (options, message) => {
    const base = { subscriptionId: "s", resourceGroup: "g", location: "eastus", accessToken: "t" };
    expect(() => createAzure({ ...base, ...options } as typeof base)).toThrow(message);
  });
});
