import { requireTool, Secret } from "@cloudwright/platform";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { CloudAccount } from "../cloud-provider.ts";
import { createAzureProvider } from "./provider.ts";
import {
  createAccessToken,
  fakeClient,
  fakeObject,
  fakeRegion,
  fakeSecret,
  fakeSubscription,
  fakeTenant,
  refuse,
  startFakeAzure,
  type FakeAzure,
} from "./testing/fake-azure.ts";

const subscription = `/subscriptions/${fakeSubscription}`;
const group = `${subscription}/resourceGroups/main`;
const id = (type: string, name: string, inGroup = "main"): string =>
  `${subscription}/resourceGroups/${inGroup}/providers/${type}/${name}`;
const owned = { "cloudwright:entity": "us" };

const openssl = requireTool("openssl");
describe.skipIf(!openssl.found)(`an Azure subscription${openssl.found ? "" : `: ${openssl.reason}`}`, () => {
  let fake: FakeAzure;
  let account: CloudAccount;
  const put = (type: string, name: string, more: object = {}, inGroup = "main"): string =>
    fake.put({ id: id(type, name, inGroup), name, type, location: fakeRegion, ...more });
  beforeAll(async () => {
    fake = await startFakeAzure(openssl.found ? openssl.path : "");
    account = createAzureProvider({ endpoints: fake.endpoints }).openAccount({
      account: "prod",
      spec: {},
      region: fakeRegion,
      session: "cloudwright-t",
      openCredentials: async () =>
        new Secret({ azure: { tenantId: fakeTenant, clientId: fakeClient, clientSecret: fakeSecret } }),
    });
  });
  test("M143 marketplace images are looked up by system and by URN, and other images are unknown", async () => {
    fake.answer(({ path }) => {
      if (!path.includes("/vmimage/")) return undefined;
      return path.includes("ubuntu-24_04-lts/skus/server/versions")
        ? { status: 200, body: [{ name: "24.04.1", location: fakeRegion }] }
        : refuse(404, "NotFound", "Artifact: VMImage was not found.");
    });
    const has = (image: string) => account.view?.hasImage?.(image, "Standard_D2s_v5");
    expect(await has("ubuntu-24.04")).toBe(true);
    expect(await has("Canonical:ubuntu-24_04-lts:server:24.04.1")).toBe(true);
    expect(await has("Canonical:ubuntu-24_04-lts:server:24.04.9")).toBe(false);
    expect(await has("Canonical:no-such-offer:server:latest")).toBe(false);
    expect(await has(`${group}/providers/Microsoft.Compute/images/own`)).toBeUndefined();
    fake.answer(() => refuse(403, "AuthorizationFailed", "no"));
    expect(await has("ubuntu-24.04")).toBeUndefined();
    fake.answer(() => undefined);
  });

  afterEach(() => {
    fake.resources.clear();
    fake.answer(undefined);
  });
  afterAll(async () => {
    await account.close();
    await fake.close();
  });

  test("X013 provides zones, quotas, machine types, versions and names for preflight checks", async () => {
    const { view } = account;
    put("Microsoft.ContainerService/managedClusters", "main-1", {
      tags: owned,
      properties: {
        agentPoolProfiles: [
          { count: 3, vmSize: "Standard_D2s_v5" },
          { count: 9, vmSize: "Standard_D2s_v5", scaleSetPriority: "Spot" },
        ],
      },
    });
    put("Microsoft.ContainerService/managedClusters", "far", { location: "northeurope" });
    put("Microsoft.Storage/storageAccounts", "words", { tags: owned });
    put("Microsoft.Network/publicIPAddresses", "a", { tags: owned });
    put("Microsoft.Network/publicIPAddresses", "b", { location: "northeurope" });
    put("Microsoft.Network/natGateways", "n", { zones: ["2"], tags: owned });
    expect(await view.listZones()).toEqual(["westeurope-1", "westeurope-2", "westeurope-3"]);
    expect(await view.getLimits()).toEqual({
      networks: 1000,
      publicIps: 20,
      natGatewaysPerZone: 100,
      internetGateways: Number.POSITIVE_INFINITY,
      vcpus: 100,
    });
    expect(await view.findUsage?.("securityGroups")).toEqual({ limit: 3000, used: 7 });
    expect(await view.findUsage?.("routers")).toBeUndefined();
    expect(await view.listPublicIps()).toEqual([{ owner: "us" }]);
    expect(await view.listNatGateways()).toEqual([{ zone: "westeurope-2", owner: "us" }]);
    expect(await view.listMachines()).toEqual([{ vcpus: 6, owner: "us" }, { vcpus: 4 }]);
    expect(await view.listOffered(["Standard_D2s_v5", "Standard_M8ms", "Standard_D2s_v5"])).toEqual([
      {
        name: "Standard_D2s_v5",
        vcpus: 2,
        zones: ["westeurope-1", "westeurope-2"],
        isCommon: true,
        quota: { name: "standardDSv5Family quota", limit: 20, used: [{ vcpus: 6, owner: "us" }, { vcpus: 2 }] },
      },
    ]);
    expect(await view.listVersions()).toEqual(["1.34", "1.35"]);
    expect([await view.findCluster("main-1"), await view.findCluster("far")]).toEqual([{ owner: "us" }, undefined]);
    expect([await view.findBucket("words"), await view.findBucket("free"), await view.findBucket("Not-Valid")]).toEqual([
      { owner: "us" },
      undefined,
      undefined,
    ]);
  });

  test("X013 lists denied actions by the effective permissions, and resource providers that are not registered", async () => {
    const { view } = account;
    const denied = (await view.listDenied("cluster")) ?? [];
    expect(denied).toContain("Microsoft.Authorization/roleAssignments/write");
    expect(denied).toContain("Microsoft.KeyVault/vaults/keys/read");
    expect(denied).not.toContain("Microsoft.Authorization/roleAssignments/read");
    expect(denied).not.toContain("Microsoft.ContainerService/managedClusters/write");
    expect(await view.listDisabledServices?.("cluster")).toContain("Microsoft.KeyVault");
    expect(await view.listDisabledServices?.("network")).toEqual(["Microsoft.Insights"]);
    expect([await view.listDenied("castle"), await view.listDisabledServices?.("castle")]).toEqual([undefined, undefined]);
  });

  test("X013 knows whether the route table of a subnet has a default route", async () => {
    const { view } = account;
    const table = put("Microsoft.Network/routeTables", "t", {
      properties: { routes: [{ properties: { addressPrefix: "0.0.0.0/0" } }] },
    });
    const other = put("Microsoft.Network/routeTables", "o", {
      properties: { routes: [{ properties: { addressPrefix: "10.0.0.0/8" } }] },
    });
    const vnet = id("Microsoft.Network/virtualNetworks", "v");
    const subnets = { routed: { routeTable: { id: table } }, other: { routeTable: { id: other } }, plain: {} };
    for (const [name, properties] of Object.entries(subnets))
      fake.put({ id: `${vnet}/subnets/${name}`, type: "inside", properties });
    const answers = ["routed", "other", "plain", "none"].map(async (name) => view.hasDefaultRoute?.(`${vnet}/subnets/${name}`));
    expect(await Promise.all(answers)).toEqual([true, false, false, undefined]);
  });

  test("M032 finds an entity's resources in Terraform's spelling, including untagged ones inside, but not those that AKS manages", async () => {
    const part = { tags: { ...owned, "cloudwright:part": "this" } };
    const description = "cloudwright:entity=us cloudwright:part=network/nodes";
    const vnet = id("Microsoft.Network/virtualNetworks", "v");
    const nat = id("Microsoft.Network/natGateways", "n");
    const address = id("Microsoft.Network/publicIPAddresses", "p");
    fake.put({ id: group.replace("resourceGroups", "resourcegroups"), name: "main", type: "group", ...part });
    fake.put({ id: `${subscription}/resourceGroups/MC_x`, name: "MC_x", type: "group", managedBy: "aks", ...part });
    const nsg = put("Microsoft.Network/networkSecurityGroups", "s", {
      ...part,
      properties: { securityRules: [{ id: "x/securityRules/deny" }] },
    });
    const subnets = [{ id: `${vnet}/subnets/nodes`, properties: { networkSecurityGroup: { id: nsg }, natGateway: { id: nat } } }];
    const spelled = vnet.replace("resourceGroups", "resourcegroups").replace("virtualNetworks", "virtualnetworks");
    fake.put({ id: spelled, type: "microsoft.network/VirtualNetworks", ...part, properties: { subnets } });
    put("Microsoft.Network/natGateways", "n", { ...part, properties: { publicIpAddresses: [{ id: address.toLowerCase() }] } });
    put("Microsoft.Network/publicIPAddresses", "kubernetes-1", part, "MC_x");
    const identity = put("Microsoft.ManagedIdentity/userAssignedIdentities", "i", { ...part, properties: { principalId: "pp" } });
    fake.put({ id: `${identity}/federatedIdentityCredentials/f`, type: "inside" });
    fake.put({
      id: `${subscription}/providers/Microsoft.Authorization/roleAssignments/r`,
      type: "Microsoft.Authorization/roleAssignments",
      properties: { scope: group, principalId: "pp", roleDefinitionId: "d", description },
    });
    const cluster = put("Microsoft.ContainerService/managedClusters", "c", {
      ...part,
      properties: { nodeResourceGroup: "MC_x" },
    });
    fake.put({
      id: `${cluster}/agentPools/p1`,
      name: "p1",
      type: "inside",
      properties: { tags: { "cloudwright:part": "pool/a" } },
    });
    put("Microsoft.Web/sites", "unknown", part);
    const found = await account.listOwned("us");
    const subnet = `${vnet}/subnets/nodes`;
    expect(found).toEqual(
      expect.arrayContaining([
        { type: "azurerm_resource_group", id: group, names: ["main"], part: "this" },
        { type: "azurerm_virtual_network", id: vnet, names: [], part: "this" },
        { type: "azurerm_subnet", id: subnet, names: [subnet, vnet] },
        { type: "azurerm_subnet_nat_gateway_association", id: subnet, names: [subnet, nat] },
        { type: "azurerm_subnet_network_security_group_association", id: subnet, names: [subnet, nsg] },
        { type: "azurerm_network_security_rule", id: `${nsg}/securityRules/deny`, names: [`${nsg}/securityRules/deny`, nsg] },
        expect.objectContaining({ type: "azurerm_nat_gateway_public_ip_association" }),
        expect.objectContaining({
          type: "azurerm_federated_identity_credential",
          id: `${identity}/federatedIdentityCredentials/f`,
        }),
        expect.objectContaining({ type: "azurerm_role_assignment", names: [description, group, "pp", "d"] }),
        expect.objectContaining({ type: "azurerm_kubernetes_cluster_node_pool", id: `${cluster}/agentPools/p1`, part: "pool/a" }),
      ]),
    );
    expect(found.filter(({ id: each }) => each.includes("MC_x") || each.includes("sites"))).toEqual([]);
    expect(found.some(({ type }) => type === "azurerm_subnet_route_table_association")).toBe(false);
  });

  test("M032 M206 finds machines, attached volumes, and the rules of a group in the security group that it shares", async () => {
    const uid = "0199aaaa-0000-7000-8000-00000000c0de";
    const part = { tags: { "cloudwright:entity": uid, "cloudwright:part": "this/this" } };
    const vm = put("Microsoft.Compute/virtualMachines", "web", part);
    const card = put("Microsoft.Network/networkInterfaces", "web-nic", part);
    const disk = put("Microsoft.Compute/disks", "data", { ...part, managedBy: vm.toLowerCase().replace("/web", "/WEB") });
    put("Microsoft.Compute/disks", "claim", {
      ...part,
      managedBy: `${group}/providers/Microsoft.Compute/virtualMachineScaleSets/s`,
    });
    const members = put("Microsoft.Network/applicationSecurityGroups", "db", part);
    const rules = [uid, uid.replace("c0de", "beef")].map((each) => ({
      id: `x/securityRules/cloudwright-${each}-this-deny-inbound`,
    }));
    const tags = { "cloudwright:security-groups": "shared" };
    const shared = put("Microsoft.Network/networkSecurityGroups", "shared", { tags, properties: { securityRules: rules } });
    const found = (await account.listOwned(uid)).map(({ type, id: each }) => [type, each]);
    expect(found).toEqual(
      expect.arrayContaining([
        ["azurerm_linux_virtual_machine", vm],
        ["azurerm_network_interface", card],
        ["azurerm_managed_disk", disk],
        ["azurerm_application_security_group", members],
        ["azurerm_network_security_group", `${shared}/securityRules/cloudwright-${uid}-this-deny-inbound`],
      ]),
    );
    const attachments = found.filter(([type]) => type === "azurerm_virtual_machine_data_disk_attachment");
    expect(attachments.map(([, each]) => each?.toLowerCase())).toEqual([`${vm}/dataDisks/data`.toLowerCase()]);
  });

  test("M032 finds a vault's key with its versioned id, and the policies of a storage account", async () => {
    const part = { tags: { ...owned, "cloudwright:part": "this" } };
    const vault = put("Microsoft.KeyVault/vaults", "v", part);
    const version = "https://v.vault.azure.net/keys/k/0123";
    fake.put({
      id: `${vault}/keys/k`,
      type: "inside",
      tags: { ...owned, "cloudwright:part": "secrets/made" },
      properties: { keyUri: "https://v.vault.azure.net/keys/k", keyUriWithVersion: version },
    });
    const store = put("Microsoft.Storage/storageAccounts", "s", part);
    const container = `${store}/blobServices/default/containers/objects`;
    fake.put({ id: container, type: "inside", properties: { hasImmutabilityPolicy: true } });
    const bare = put("Microsoft.Storage/storageAccounts", "bare", part);
    fake.put({ id: `${bare}/blobServices/default/containers/objects`, type: "inside", properties: {} });
    fake.put({ id: `${store}/managementPolicies/default`, type: "inside" });
    const found = await account.listOwned("us");
    expect(found.filter(({ type }) => type !== "azurerm_key_vault" && type !== "azurerm_storage_account")).toEqual(
      expect.arrayContaining([
        { type: "azurerm_key_vault_key", id: version, names: [vault], part: "secrets/made" },
        expect.objectContaining({ type: "azurerm_storage_container", id: container }),
        expect.objectContaining({
          type: "azurerm_storage_container_immutability_policy",
          id: `${container}/immutabilityPolicies/default`,
        }),
        expect.objectContaining({ type: "azurerm_storage_management_policy", id: `${store}/managementPolicies/default` }),
      ]),
    );
    expect(found.filter(({ type, id: each }) => type.endsWith("_policy") && each.startsWith(`${bare}/`))).toEqual([]);
  });

  test("X010 a cluster's addresses and disks are leftovers; a retained disk is moved out of the group that AKS deletes", async () => {
    put("Microsoft.ContainerService/managedClusters", "dev", { properties: { nodeResourceGroup: "MC_dev" } });
    const disk = put(
      "Microsoft.Compute/disks",
      "pvc-1",
      { tags: { "k8s-azure-created-by": "dd", ...owned, team: "a" } },
      "MC_dev",
    );
    put("Microsoft.Network/publicIPAddresses", "svc", { tags: { "k8s-azure-service": "ns/web" } }, "MC_dev");
    put("Microsoft.Network/publicIPAddresses", "outbound", { tags: { "aks-managed-type": "x" } }, "MC_dev");
    put("Microsoft.Network/publicIPAddresses", "ours", { tags: { "k8s-azure-cluster-name": "dev", ...owned } });
    const found = await account.leftovers.list("dev");
    expect(found.map(({ type, id: each }) => `${type} ${each.split("/").at(-1)}`)).toEqual([
      "azurerm_public_ip svc",
      "azurerm_managed_disk pvc-1",
    ]);
    await account.leftovers.retain(disk);
    const moved = fake.seen.findLast(({ path }) => path.endsWith("/moveResources"));
    expect(moved?.path).toMatch(/\/resourceGroups\/mc_dev\/moveResources$/i);
    expect(JSON.parse(moved?.body ?? "{}")).toEqual({
      resources: [disk],
      targetResourceGroup: `${subscription}/resourceGroups/cloudwright-retained`,
    });
    expect(fake.resources.get(disk.toLowerCase())?.["tags"]).toEqual({ ...owned, team: "a" });
    for (const each of found) await account.leftovers.remove(each);
    expect(await account.leftovers.list("dev")).toEqual([]);
    await account.leftovers.retain(id("Microsoft.Compute/disks", "gone"));
    await expect(account.leftovers.remove({ type: "azurerm_key_vault", id: "/x" })).rejects.toThrow(/not implemented/);
  });

  test("M125 the sizes of node pools are found by tag, and the creator by its object id", async () => {
    const cluster = put("Microsoft.ContainerService/managedClusters", "dev");
    const pool = (name: string, part: string, count: number) =>
      fake.put({
        id: `${cluster}/agentPools/${name}`,
        name,
        type: "inside",
        properties: { count, tags: { "cloudwright:part": part } },
      });
    pool("p1", "pool/spot", 4);
    pool("p2", "", 2);
    expect(await account.clusters.countNodes("dev")).toEqual({ spot: 4 });
    expect(await account.clusters.countNodes("gone")).toEqual({});
    expect(await account.clusters.findPrincipal("dev")).toBe(fakeObject);
    expect(await account.clusters.unprotect("dev")).toBeUndefined();
  });

  test("M129 a cluster's token comes from its kubeconfig, or from the account's identity if Entra ID is on", async () => {
    put("Microsoft.ContainerService/managedClusters", "dev");
    let user: object = { "client-certificate-data": "x", token: "static-token" };
    fake.answer(({ path }) => {
      if (!path.endsWith("/listClusterUserCredential")) return undefined;
      const value = Buffer.from(JSON.stringify({ kind: "Config", users: [{ name: "u", user }] })).toString("base64");
      return { status: 200, body: { kubeconfigs: [{ name: "clusterUser", value }] } };
    });
    const address = { name: "dev", region: fakeRegion, endpoint: "https://dev.example", caPem: "ca" };
    const access = await account.openCluster(address);
    expect((await access.token()).reveal()).toBe("static-token");
    const server = "6dae42f8-4368-4678-94ff-3960e28e3630";
    user = { exec: { command: "kubelogin", args: ["get-token", "--server-id", server, "--login", "devicecode"] } };
    expect((await access.token()).reveal()).toBe(createAccessToken(`${server}/.default`));
    expect(fake.seen.findLast(({ path }) => path.endsWith("Credential"))?.query.get("format")).toBe("exec");
    const missing = (await account.openCluster({ ...address, name: "gone" })).token();
    await expect(missing).rejects.toThrow(/no AKS cluster named gone/);
  });

  test("X080 the activity log names who changed a resource last, unless the platform did", async () => {
    const event = (caller: string, minute: number, action = "write", status = "Succeeded") => ({
      caller,
      claims: {},
      eventTimestamp: `2026-01-01T00:0${minute}:00Z`,
      operationName: { value: `Microsoft.Network/virtualNetworks/${action}` },
      status: { value: status },
    });
    const events: Record<string, object[]> = {
      v1: [event("us", 0), event("ada@example.com", 3), event("bob@example.com", 4, "write", "Failed"), event("c", 5, "read")],
      v2: [event("ada@example.com", 1), { ...event("someone", 2), claims: { appid: fakeClient } }],
      v3: [event("ada@example.com", 1), event(fakeObject, 2)],
    };
    fake.answer(({ path, query }) => {
      if (!path.includes("/Microsoft.Insights/")) return undefined;
      const name = /virtualNetworks\/(\w+)'/.exec(query.get("$filter") ?? "")?.[1] ?? "";
      return { status: 200, body: { value: events[name] ?? [] } };
    });
    const resources = ["v1", "v2", "v3", "v4"].map((name) => ({
      type: "azurerm_virtual_network",
      id: id("Microsoft.Network/virtualNetworks", name),
    }));
    expect(await account.findAuthors([...resources, { type: "azurerm_x", id: "no-arm-id" }])).toEqual([
      {
        ...resources[0],
        author: "ada@example.com",
        action: "Microsoft.Network/virtualNetworks/write",
        at: new Date("2026-01-01T00:03:00Z"),
      },
    ]);
  });

  test("X010 blobs and their versions are counted across all pages, but only in the subscription's own accounts", async () => {
    put("Microsoft.Storage/storageAccounts", "words");
    const asked: string[] = [];
    fake.answer(({ path, query, headers }) => {
      if (!path.startsWith("/blobs/")) return undefined;
      asked.push(path);
      expect(headers["x-ms-version"]).toBe("2023-11-03");
      expect(headers.authorization).toMatch(/^Bearer /);
      if (path.endsWith("/gone")) return { status: 404, headers: { "x-ms-error-code": "ContainerNotFound" } };
      if (query.get("restype") !== "container")
        return { status: 200, body: "<Containers><Container><Name>c</Name></Container></Containers>" };
      const blobs = "<Blob><Name>a</Name></Blob><Blob><Name>b&amp;c</Name></Blob>";
      const marker = query.get("marker") === null ? "2!76!a&amp;b" : "";
      return {
        status: 200,
        body: `<EnumerationResults><Blobs>${blobs}</Blobs><NextMarker>${marker}</NextMarker></EnumerationResults>`,
      };
    });
    const container = `${id("Microsoft.Storage/storageAccounts", "words")}/blobServices/default/containers/c`;
    expect(
      await Promise.all([container, "words/c", "words", "words/gone", "strangers/c"].map((each) => account.countObjects(each))),
    ).toEqual([4, 4, 4, 0, 0]);
    expect(asked.some((path) => path.includes("strangers"))).toBe(false);
  });

  test("M020 Terraform gets the subscription and an endpoint for tokens, but no credential", async () => {
    const access = await account.openTerraform();
    expect(access.environment).toMatchObject({
      ARM_SUBSCRIPTION_ID: fakeSubscription,
      ARM_TENANT_ID: fakeTenant,
      ARM_USE_MSI: "true",
      ARM_USE_CLI: "false",
    });
    const revealed = Object.values(access.secretEnvironment).map((secret) => secret.reveal());
    expect(JSON.stringify([access, revealed])).not.toContain(fakeSecret);
    await access.close();
  });
});
