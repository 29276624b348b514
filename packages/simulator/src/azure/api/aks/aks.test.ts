import { objectOf, textOf } from "@cloudwright/platform";
import { afterEach, beforeEach, expect, test } from "vitest";
import { callProvider } from "../../../testing/call-provider.ts";
import { azureProvider } from "../../provider.ts";
import { clusterBody, location, openAzure, type AzureUnderTest, type Reply, type SendRequest } from "../testing/open-azure.ts";

let azure: AzureUnderTest;
let send: SendRequest;
beforeEach(async () => {
  azure = await openAzure();
  send = await azure.connect("a");
});
afterEach(() => azure.close());

const path = "~/providers/Microsoft.ContainerService/managedClusters/dev";
const waitMs = 600_000;

async function createCluster(): Promise<void> {
  expect((await send("PUT", path, { body: clusterBody })).status).toBe(201);
  azure.advance(waitMs);
}

function stateOf({ body }: Reply): string {
  return textOf(objectOf(body["properties"])["provisioningState"]);
}

const pool = { count: 1, vmSize: "Standard_D4s_v5", mode: "User", nodeLabels: { tier: "b" }, nodeTaints: ["a=b:NoSchedule"] };

test("M145 a cluster shows its pools, its version and, once it is running, its address", async () => {
  const made = await send("PUT", path, { body: clusterBody });
  expect(objectOf(made.body["properties"])["fqdn"]).toBeUndefined();
  azure.advance(waitMs);
  const { body } = await send("GET", path);
  expect(body).toMatchObject({
    name: "dev",
    type: "Microsoft.ContainerService/managedClusters",
    location,
    tags: { team: "a" },
    identity: { type: "SystemAssigned" },
    properties: {
      provisioningState: "Succeeded",
      powerState: { code: "Running" },
      kubernetesVersion: "1.33",
      currentKubernetesVersion: "1.33.6",
      dnsPrefix: "dev",
      agentPoolProfiles: [
        { name: "system", mode: "System", count: 2, vmSize: "Standard_D4s_v5", provisioningState: "Succeeded" },
      ],
    },
  });
  expect(textOf(objectOf(body["properties"])["fqdn"])).toMatch(/^dev-\w+\.hcp\.westeurope\.azmk8s\.io$/);
});

test("M145 a cluster needs a system pool, an offered version and a machine type that exists", async () => {
  const refused = async (change: object): Promise<string> => {
    const properties = { ...clusterBody.properties, ...change };
    return (await send("PUT", path, { body: { ...clusterBody, properties } })).code;
  };
  const [profile] = clusterBody.properties.agentPoolProfiles;
  expect(await refused({ agentPoolProfiles: [] })).toBe("InvalidParameter");
  expect(await refused({ agentPoolProfiles: [{ ...profile, mode: "User" }] })).toBe("InvalidParameter");
  expect(await refused({ kubernetesVersion: "1.12" })).toBe("K8sVersionNotSupported");
  expect(await refused({ agentPoolProfiles: [{ ...profile, vmSize: "Standard_Z9" }] })).toBe("BadRequest");
  expect(await refused({ agentPoolProfiles: [{ ...profile, name: "UPPER" }] })).toBe("BadRequest");
  expect(await azure.inventory.list("a", "azurerm_kubernetes_cluster")).toEqual([]);
});

test("M160 pools are created, scaled and deleted, and AKS works on one change at a time", async () => {
  await createCluster();
  const more = `${path}/agentPools/more`;
  const made = await send("PUT", more, { body: { properties: pool } });
  expect(made).toMatchObject({ status: 201, body: { properties: { provisioningState: "Creating", nodeLabels: { tier: "b" } } } });
  expect(await send("PUT", more, { body: { properties: pool } })).toMatchObject({ status: 409, code: "OperationNotAllowed" });
  azure.advance(waitMs);
  expect(stateOf(await send("PUT", more, { body: { properties: { ...pool, count: 3 } } }))).toBe("Scaling");
  azure.advance(waitMs);
  const { body } = await send("GET", `${path}/agentPools`);
  expect(body["value"]).toMatchObject([{ name: "more", properties: { count: 3 } }, { name: "system" }]);
  expect((await send("DELETE", `${path}/agentPools/system`)).status).toBe(400);
  expect((await send("DELETE", more)).status).toBe(202);
  expect(stateOf(await send("GET", more))).toBe("Deleting");
  azure.advance(waitMs);
  expect(await send("GET", more)).toMatchObject({ status: 404, code: "NotFound" });
  expect((await send("DELETE", more)).status).toBe(204);
});

test("M160 the first pool is changed like any other, but keeps its mode and its name", async () => {
  await createCluster();
  const first = `${path}/agentPools/system`;
  const { body } = await send("GET", first);
  const properties = objectOf(body["properties"]);
  const change = (more: object) => send("PUT", first, { body: { properties: { ...properties, ...more } } });
  expect((await change({ mode: "User" })).status).toBe(400);
  expect((await change({ nodeTaints: ["a=b:NoSchedule"] })).code).toBe("InvalidParameter");
  const scaled = await change({
    enableAutoScaling: true,
    minCount: 1,
    maxCount: 5,
    nodeTaints: ["CriticalAddonsOnly=true:NoSchedule"],
  });
  expect(scaled).toMatchObject({ status: 200, body: { properties: { provisioningState: "Updating", maxCount: 5 } } });
  expect(stateOf(await send("GET", path))).toBe("Succeeded");
  azure.advance(waitMs);
  const fixed = await change({ enableAutoScaling: false, count: 4 });
  expect(objectOf(fixed.body["properties"])).toMatchObject({ count: 4, enableAutoScaling: false });
  expect(objectOf(fixed.body["properties"])["maxCount"]).toBeUndefined();
});

test("M161 the control plane is upgraded by one minor version, and the pools follow on request", async () => {
  await createCluster();
  const version = (kubernetesVersion: string) =>
    send("PUT", path, { body: { ...clusterBody, properties: { ...clusterBody.properties, kubernetesVersion } } });
  expect((await version("1.35")).code).toBe("BadRequest");
  expect((await version("1.32")).code).toBe("BadRequest");
  expect(stateOf(await version("1.34"))).toBe("Upgrading");
  azure.advance(waitMs);
  const { body } = await send("GET", path);
  expect(body).toMatchObject({
    properties: {
      currentKubernetesVersion: "1.34.2",
      agentPoolProfiles: [{ currentOrchestratorVersion: "1.33.6", provisioningState: "Succeeded" }],
    },
  });
  const properties = { ...clusterBody.properties.agentPoolProfiles[0], orchestratorVersion: "1.34.2" };
  expect(stateOf(await send("PUT", `${path}/agentPools/system`, { body: { properties } }))).toBe("Upgrading");
  azure.advance(waitMs);
  expect((await send("GET", path)).body).toMatchObject({
    properties: { agentPoolProfiles: [{ currentOrchestratorVersion: "1.34.2" }] },
  });
});

test("M145 one request creates a cluster with several pools", async () => {
  const profiles = [...clusterBody.properties.agentPoolProfiles, { ...pool, name: "more" }];
  const body = { ...clusterBody, properties: { ...clusterBody.properties, agentPoolProfiles: profiles } };
  expect((await send("PUT", path, { body })).body).toMatchObject({
    properties: { agentPoolProfiles: [{ name: "system" }, { name: "more", provisioningState: "Creating" }] },
  });
  azure.advance(waitMs);
  await send("DELETE", path);
  azure.advance(waitMs);
  await send("GET", path);
  expect(await azure.inventory.list("a", "azurerm_kubernetes_cluster_node_pool")).toEqual([]);
});

test("M163 Terraform and the API share one cloud: each sees what the other created", async () => {
  const terraform = callProvider(azureProvider, { inventory: azure.inventory });
  const { state, said } = await terraform.create("azurerm_kubernetes_cluster", {
    name: "dev",
    location,
    resource_group_name: "rg",
    dns_prefix: "dev",
    tags: { by: "terraform" },
    identity: [{ type: "SystemAssigned" }],
    default_node_pool: [{ name: "main", vm_size: "Standard_D4s_v5", node_count: 1 }],
    node_provisioning_profile: [{}],
  });
  expect(said).toEqual([]);
  const listed = await send("GET", path.replace(/\/dev$/, ""));
  expect(listed.body["value"]).toMatchObject([{ name: "dev", tags: { by: "terraform" } }]);
  const { body } = await send("GET", `${path}/agentPools/main`);
  const properties = { ...objectOf(body["properties"]), count: 3 };
  expect((await send("PUT", `${path}/agentPools/main`, { body: { properties } })).status).toBe(200);
  const read = await terraform.read("azurerm_kubernetes_cluster", state ?? {});
  expect(read.state?.["default_node_pool"]).toMatchObject([{ node_count: 3 }]);
});

test("M156 a kubeconfig has a credential for local accounts, and a command for Entra ID", async () => {
  await createCluster();
  const read = async (at: string): Promise<string> => {
    const { body } = await send("POST", `${at}/listClusterUserCredential`);
    const [first] = body["kubeconfigs"] as unknown as { value: string }[];
    return Buffer.from(first?.value ?? "", "base64").toString();
  };
  expect(await read(path)).toMatch(/token: "\w{64}"/);
  const properties = { ...clusterBody.properties, aadProfile: { managed: true }, disableLocalAccounts: true };
  const other = path.replace(/dev$/, "entra");
  await send("PUT", other, { body: { ...clusterBody, properties } });
  azure.advance(waitMs);
  expect(await read(other)).toContain('command: "kubelogin"');
  expect((await send("POST", `${other}/listClusterAdminCredential`)).status).toBe(400);
});
