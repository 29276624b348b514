import { requireTool } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CloudLibrary } from "../../library/library.ts";
import { refuse } from "../testing/fake-azure.ts";
import { clusterId, startFakeLibrary, subnetId, type FakeLibrary } from "../testing/fake-library.ts";

const openssl = requireTool("openssl");
const request = { name: "my-cluster", version: "1.34", region: "westeurope", nodeCount: 3, nodeType: "Standard_D4s_v5" };

describe.skipIf(!openssl.found)(`AKS through the library${openssl.found ? "" : `: ${openssl.reason}`}`, () => {
  let library: FakeLibrary;
  let azure: CloudLibrary;
  const bodies = (method: string, type: RegExp): Record<string, never>[] =>
    library.fake.seen
      .filter((each) => each.method === method && type.test(each.path))
      .map(({ body }) => JSON.parse(body) as Record<string, never>);
  beforeAll(async () => {
    library = await startFakeLibrary(openssl.found ? openssl.path : "");
    ({ azure } = library);
  });
  beforeEach(() => library.reset());
  afterAll(() => library.close());

  test("M142 creates a cluster with its pool and identity, and reads it again instead of using the create response", async () => {
    const created = await azure.clusters.create({ ...request, tags: { team: "a" }, pool: { zones: ["westeurope-1", "2"] } });
    expect(created).toMatchObject({ id: clusterId("my-cluster"), name: "my-cluster", region: "westeurope", status: "creating" });
    const ready = await azure.clusters.waitReady("my-cluster");
    expect(ready).toMatchObject({
      status: "running",
      nativeStatus: "Succeeded",
      version: "1.34.10",
      endpoint: "https://main-1.hcp.westeurope.azmk8s.io:443",
      resourceGroup: "my-rg",
      tags: { team: "a" },
      createdAt: new Date("2026-01-01T00:00:00Z"),
    });
    expect(ready.nodePools).toMatchObject([
      {
        name: "default",
        count: 3,
        types: ["Standard_D4s_v5"],
        version: "1.34.10",
        status: "running",
        zones: ["westeurope-1", "westeurope-2"],
        nodeSelector: "kubernetes.azure.com/agentpool=default",
      },
    ]);
    const { headers } = library.fake.seen.find(({ method }) => method === "PUT") ?? {};
    expect(headers?.["if-none-match"]).toBe("*");
    expect(bodies("PUT", /my-cluster$/)[0]).toMatchObject({
      identity: { type: "SystemAssigned" },
      properties: { dnsPrefix: "my-cluster", agentPoolProfiles: [{ mode: "System", availabilityZones: ["1", "2"] }] },
    });
  });

  test("M142 native fields reach Azure but do not override the library's own, and subnets and endpoint access are applied", async () => {
    const native = {
      identity: { type: "UserAssigned", userAssignedIdentities: { "/id": {} } },
      properties: { dnsPrefix: "mine", disableLocalAccounts: true, networkProfile: { serviceCidr: "10.9.0.0/16" } },
    };
    const endpointAccess = { cidrs: ["10.0.0.0/8"] };
    await azure.clusters.create({ ...request, native, subnets: [subnetId], endpointAccess, pool: { max: 5, spot: false } });
    expect(bodies("PUT", /my-cluster$/).at(-1)).toMatchObject({
      identity: native.identity,
      properties: {
        dnsPrefix: "my-cluster",
        disableLocalAccounts: true,
        networkProfile: { serviceCidr: "10.9.0.0/16", networkPlugin: "azure", networkPluginMode: "overlay" },
        apiServerAccessProfile: { enablePrivateCluster: false, authorizedIPRanges: ["10.0.0.0/8"] },
        agentPoolProfiles: [{ vnetSubnetID: subnetId, enableAutoScaling: true, minCount: 1, maxCount: 5 }],
      },
    });
  });

  test.each([
    ["a version that is not on offer", { version: "1.29" }, /1\.29 is not available; choose one of 1\.35, 1\.34/],
    ["no nodes", { nodeCount: 0 }, /at least one node/],
    ["a zone", { zone: "1" }, /no zonal clusters/],
    ["several subnets", { subnets: ["a", "b"] }, /one subnet/],
    ["a name with a slash", { name: "a/b" }, /cannot be the name/],
    ["a pool name that AKS does not accept", { pool: { name: "Default-Pool" } }, /12 lower-case/],
    ["spot machines in the first pool", { pool: { spot: true } }, /spot/],
    ["more nodes than max", { pool: { max: 2 } }, /not between min \(0\) and max \(2\)/],
    ["a private and public endpoint", { endpointAccess: { private: true, public: true } }, /either public or private/],
  ])("M149 refuses a request with %s, and changes nothing", async (_title, change, message) => {
    const failed = azure.clusters.create({ ...request, ...change });
    await expect(failed).rejects.toMatchObject({ code: "clouds.invalid", extra: { category: "invalid", cloud: "azure" } });
    await expect(failed).rejects.toThrow(message);
    expect(library.listWrites()).toEqual([]);
  });

  test("M149 never overwrites somebody else's cluster, and recognises its own by the token", async () => {
    const put = () =>
      library.fake.put({ id: clusterId("my-cluster"), name: "my-cluster", type: "", location: "westeurope", tags: { a: "b" } });
    put();
    const before = JSON.stringify(library.cloud().get(clusterId("my-cluster")));
    await expect(azure.clusters.create(request)).rejects.toMatchObject({ code: "clouds.conflict" });
    expect(library.listWrites()).toEqual([]);
    // The cluster appears between the lookup and the request.
    library.reset();
    const { answer } = library.cloud();
    library.fake.answer((asked) => {
      if (asked.method === "PUT") put();
      return answer(asked);
    });
    await expect(azure.clusters.create(request)).rejects.toMatchObject({
      code: "clouds.conflict",
      extra: { category: "conflict" },
    });
    expect(JSON.stringify(library.cloud().get(clusterId("my-cluster")))).toBe(before);
    library.reset();
    const first = await azure.clusters.create(request, { token: "t-1" });
    expect((await azure.clusters.create(request, { token: "t-1" })).id).toBe(first.id);
    await expect(azure.clusters.create(request, { token: "t-2" })).rejects.toMatchObject({ code: "clouds.conflict" });
    expect(library.listWrites()).toEqual(["PUT managedClusters/my-cluster"]);
  });

  test("M149 a lost or truncated response does not create a second cluster", async () => {
    for (const lost of [
      { status: 503, headers: { "retry-after": "0" } },
      { status: 201, body: '{"id": "/sub' },
    ]) {
      library.reset();
      const { answer } = library.cloud();
      let isLost = false;
      library.fake.answer((asked) => {
        const given = answer(asked);
        if (asked.method !== "PUT" || isLost) return given;
        isLost = true;
        return lost;
      });
      expect(await azure.clusters.create(request)).toMatchObject({ name: "my-cluster" });
      expect(library.cloud().list("Microsoft.ContainerService/managedClusters")).toHaveLength(1);
    }
  });

  test("M167 finds a cluster by name, group and name, and ID in any case, even in another resource group", async () => {
    const put = (name: string, group: string, location = "West Europe") =>
      library.fake.put({
        id: clusterId(name, group),
        name,
        type: "Microsoft.ContainerService/managedClusters",
        location,
        properties: {
          provisioningState: "Succeeded",
          powerState: { code: "Stopped" },
          kubernetesVersion: "1.33",
          currentKubernetesVersion: "1.33.5",
        },
      });
    put("near", "my-rg");
    put("far", "other.rg", "East US");
    put("twice", "a");
    put("twice", "b");
    const { clusters } = azure;
    expect(await clusters.get("near")).toMatchObject({
      region: "westeurope",
      status: "stopped",
      nativeStatus: "Stopped",
      version: "1.33.5",
    });
    for (const ref of [
      "far",
      "FAR",
      "other.rg/far",
      clusterId("far", "other.rg").toUpperCase(),
      `https://portal.azure.com/#@t/resource${clusterId("far", "other.rg")}/`,
    ])
      expect((await clusters.get(ref)).id.toLowerCase()).toBe(clusterId("far", "other.rg").toLowerCase());
    await expect(clusters.get("twice")).rejects.toThrow(/pass an ID: .*\/a\/.*\/b\//);
    expect(await clusters.find("nothing")).toBeUndefined();
    await expect(clusters.get("nothing")).rejects.toMatchObject({ code: "clouds.not_found" });
    for (const ref of ["", "../x", "a b", "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/far"])
      await expect(clusters.get(ref)).rejects.toMatchObject({ code: "clouds.invalid" });
    expect((await clusters.list()).map(({ name }) => name).toSorted()).toEqual(["far", "near", "twice", "twice"]);
    expect((await clusters.list({ region: "East US" })).map(({ name }) => name)).toEqual(["far"]);
    const picked = (await clusters.list()).find(({ name }) => name === "far");
    expect(picked?.resourceGroup).toBe("other.rg");
  });

  test("M167 reads clusters whose empty fields are null, as AKS returns them", async () => {
    const nothing = { availabilityZones: null, nodeLabels: null, tags: null, powerState: null, status: null, vnetSubnetID: null };
    library.fake.put({
      id: clusterId("main"),
      name: "main",
      type: "",
      location: "westeurope",
      tags: null,
      systemData: null,
      properties: { agentPoolProfiles: [{ name: "a", count: 1, ...nothing }], powerState: null, status: null, fqdn: null },
    });
    expect(await azure.clusters.get("main")).toMatchObject({
      status: "unknown",
      tags: {},
      subnets: [],
      nodePools: [{ name: "a", labels: {}, zones: [] }],
    });
  });

  test("M167 lists the client's resource group if the credentials cannot list the subscription", async () => {
    await azure.clusters.create(request);
    const { answer } = library.cloud();
    library.fake.answer((asked) =>
      /^\/subscriptions\/[^/]+\/providers/.test(asked.path) ? refuse(403, "AuthorizationFailed", "no") : answer(asked),
    );
    expect((await azure.clusters.list()).map(({ name }) => name)).toEqual(["my-cluster"]);
    await expect(azure.clusters.get("other")).rejects.toMatchObject({ code: "clouds.not_found" });
  });

  test("M142 deletes a cluster after a change in progress, and succeeds if there is none", async () => {
    await azure.clusters.create(request);
    const seen: string[] = [];
    await azure.clusters.delete("my-cluster", { onStatus: (_status, native) => seen.push(native) });
    expect(library.cloud().list("Microsoft.ContainerService/managedClusters")).toEqual([]);
    expect(library.cloud().list("Microsoft.ContainerService/managedClusters/agentPools")).toEqual([]);
    expect(seen).toContain("Deleting");
    await azure.clusters.delete("my-cluster");
    await azure.clusters.delete("gone-group/my-cluster");
  });

  test("M140 the machine type is not checked if the credentials do not allow it", async () => {
    const { answer } = library.cloud();
    const denied = refuse(403, "AuthorizationFailed", "no permission to read SKUs");
    library.fake.answer((asked) => (asked.path.endsWith("/skus") ? denied : answer(asked)));
    expect(await azure.clusters.create({ ...request, nodeType: "Standard_New" }, { wait: "ready" })).toMatchObject({
      status: "running",
    });
  });

  test("M147 a failed creation is reported with Azure's reason, and one that never ends is reported as a timeout", async () => {
    library.cloud().behaviour.aksFailure = { code: "AllocationFailed", message: "no capacity in zone 1" };
    const failed = azure.clusters.create(request, { wait: "ready" });
    await expect(failed).rejects.toMatchObject({
      code: "clouds.quota",
      extra: { nativeCode: "AllocationFailed", isCapacity: true },
    });
    await expect(failed).rejects.toThrow(/my-cluster is Failed \(AllocationFailed: no capacity in zone 1\)/);
    await expect(failed).rejects.toMatchObject({ left: [expect.stringContaining("AKS cluster my-cluster")] });
    await expect(failed).rejects.toThrow(`delete it with clusters.delete("${clusterId("my-cluster")}")`);
    library.reset();
    library.cloud().behaviour.reads = Number.POSITIVE_INFINITY;
    await expect(azure.clusters.create(request, { wait: "ready", timeoutMs: 60_000 })).rejects.toMatchObject({
      code: "clouds.timeout",
    });
  });

  test("M166 returns Azure's kubeconfig, and replaces its command with a token on request", async () => {
    const exec = (args: readonly string[]) =>
      `apiVersion: v1\nkind: Config\nusers:\n  - name: u\n    user:\n      exec:\n        command: kubelogin\n        args: ${JSON.stringify(args)}\n`;
    await azure.clusters.create(request, { wait: "ready" });
    let text = exec(["get-token", "--server-id", "6dae42f8-4368-4678-94ff-3960e28e3630"]);
    const { answer } = library.cloud();
    library.fake.answer((asked) =>
      asked.path.endsWith("/listClusterUserCredential")
        ? { status: 200, body: { kubeconfigs: [{ name: "clusterUser", value: Buffer.from(text).toString("base64") }] } }
        : answer(asked),
    );
    expect(await azure.clusters.kubeconfig("my-cluster")).toBe(text);
    const scopes: string[] = [];
    const renewing = library.open({
      accessToken: async (scope) => {
        scopes.push(scope);
        return { token: `token-for-${scope}` };
      },
    });
    const withToken = await renewing.clusters.kubeconfig("my-cluster", { mode: "token" });
    expect(withToken).toContain("token: token-for-6dae42f8-4368-4678-94ff-3960e28e3630/.default");
    expect(withToken).not.toContain("exec");
    expect(new Set(scopes).size).toBe(2);
    await expect(azure.clusters.kubeconfig("my-cluster", { mode: "token" })).rejects.toMatchObject({
      extra: { category: "auth" },
    });
    text = "";
    await expect(azure.clusters.kubeconfig("my-cluster")).rejects.toMatchObject({ code: "clouds.conflict" });
  });

  test("M162 lists the patch versions of a location, newest first, with their support status", async () => {
    const versions = await azure.availableVersions({ region: "West Europe" });
    expect(versions.map(({ version, support, isDefault }) => `${version} ${support}${isDefault ? " default" : ""}`)).toEqual([
      "1.35.0 preview",
      "1.34.10 standard",
      "1.34.9 standard",
      "1.33.5 standard default",
      "1.33.4 standard",
      "1.31.9 extended",
    ]);
    expect(library.fake.seen.at(-1)?.path).toMatch(/\/locations\/westeurope\/kubernetesVersions$/);
  });
});
