import { objectOf, textOf } from "@cloudwright/platform";
import { changeConditions } from "../../../cloud/conditions.ts";
import { clusterBody, createMachine, location, type AzureUnderTest, type Reply, type SendRequest } from "./open-azure.ts";

/** Calls every operation of the simulated services at least once. */
export async function useEverything(azure: AzureUnderTest): Promise<void> {
  const plain = await azure.connect("a");
  await changeConditions(azure.inventory, "a", { timeScale: 0.0001 });
  const send: SendRequest = async (...request) => check(request, await plain(...request));
  await useSubscription(send);
  await useNetworks(send);
  await useMachines(azure, send);
  await useClusters(send);
  await useIdentities(send);
  await useGroups(send);
}

function check([method, path]: Parameters<SendRequest>, reply: Reply): Reply {
  if (reply.status < 300) return reply;
  throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
}

/** Polls the operation of an accepted request until it is complete. */
async function complete(send: SendRequest, reply: Reply): Promise<void> {
  const [status, results] = [reply.headers.get("azure-asyncoperation"), reply.headers.get("location")];
  for (let tries = 0; tries < 1000; tries++) {
    const isDone =
      (status === null || (await send("GET", status)).body["status"] === "Succeeded") &&
      (results === null || (await send("GET", results)).status !== 202);
    if (isDone) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("the operation did not end");
}

async function useSubscription(send: SendRequest): Promise<void> {
  const subscriptions = await send("GET", "/subscriptions");
  const [first] = subscriptions.body["value"] as unknown as readonly Record<string, string>[];
  const path = first?.["id"] ?? "";
  const inside = ["", "/locations", "/providers", "/resources", "/providers/Microsoft.Authorization/permissions"];
  for (const each of inside) await send("GET", `${path}${each}`);
  await send("GET", "/tenants");
  await send("GET", "~/providers/Microsoft.Authorization/permissions");
  await send("GET", "~/resources");
  const compute = `${path}/providers/Microsoft.Compute`;
  await send("GET", `${compute}/locations/${location}/vmSizes`);
  await send("GET", `${compute}/locations/${location}/usages`);
  await send("GET", `${compute}/skus?$filter=location eq '${location}'`);
  await send("GET", `${path}/providers/Microsoft.Network/locations/${location}/usages`);
  const publishers = `${compute}/locations/${location}/publishers`;
  const offers = `${publishers}/Canonical/artifacttypes/vmimage/offers`;
  const versions = `${offers}/ubuntu-24_04-lts/skus/server/versions`;
  for (const each of [publishers, offers, `${offers}/ubuntu-24_04-lts/skus`, versions, `${versions}/latest`])
    await send("GET", each);
  await send("GET", `${path}/providers/Microsoft.ContainerService/locations/${location}/kubernetesVersions`);
  for (const type of [
    "virtualNetworks",
    "publicIPAddresses",
    "networkInterfaces",
    "networkSecurityGroups",
    "applicationSecurityGroups",
  ])
    await send("GET", `${path}/providers/Microsoft.Network/${type}`);
  for (const type of ["natGateways", "routeTables"]) await send("GET", `${path}/providers/Microsoft.Network/${type}`);
  await send("GET", `${compute}/virtualMachines`);
  await send("GET", `${compute}/disks`);
  await send("GET", `${path}/providers/Microsoft.ContainerService/managedClusters`);
}

async function useNetworks(send: SendRequest): Promise<void> {
  const network = "~/providers/Microsoft.Network";
  const rule = { priority: 100, direction: "Inbound", access: "Allow", protocol: "Tcp", destinationPortRange: "22" };
  const rules = { securityRules: [{ name: "ssh", properties: rule }] };
  await complete(send, await send("PUT", `${network}/networkSecurityGroups/rules`, { body: { location, properties: rules } }));
  const members = `${network}/applicationSecurityGroups/members`;
  await complete(send, await send("PUT", members, { body: { location } }));
  await createMachine(send);
  await send("PUT", `${network}/virtualNetworks/net/subnets/two`, { body: { properties: { addressPrefix: "10.1.1.0/24" } } });
  await send("GET", `${network}/virtualNetworks/net/subnets`);
  for (const type of [
    "virtualNetworks",
    "publicIPAddresses",
    "networkInterfaces",
    "networkSecurityGroups",
    "applicationSecurityGroups",
  ])
    await send("GET", `${network}/${type}`);
  for (const type of ["natGateways", "routeTables"]) await send("GET", `${network}/${type}`);
  for (const path of [
    "networkSecurityGroups/rules",
    "virtualNetworks/net",
    "publicIPAddresses/vm-ip",
    "networkInterfaces/vm-nic",
    "applicationSecurityGroups/members",
  ]) {
    await settle(send, `${network}/${path}`);
    await send("PATCH", `${network}/${path}`, { body: { tags: { team: "b" } } });
  }
  await settle(send, `${network}/virtualNetworks/net/subnets/two`);
  await complete(send, await send("DELETE", `${network}/virtualNetworks/net/subnets/two`));
  await complete(send, await send("DELETE", `${network}/networkSecurityGroups/rules`));
  await settle(send, members);
  await complete(send, await send("DELETE", members));
}

/** Waits until a resource has no change in progress. */
async function settle(send: SendRequest, path: string): Promise<Reply> {
  for (let tries = 0; tries < 1000; tries++) {
    const reply = await send("GET", path);
    if (textOf(objectOf(reply.body["properties"])["provisioningState"]) === "Succeeded") return reply;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${path} did not settle`);
}

async function useMachines({ host }: AzureUnderTest, send: SendRequest): Promise<void> {
  const machine = "~/providers/Microsoft.Compute/virtualMachines/vm";
  await settle(send, `${machine}?$expand=instanceView,userData`);
  await send("GET", `${machine}/instanceView`);
  for (const action of ["powerOff", "deallocate", "start", "restart"])
    await complete(send, await send("POST", `${machine}/${action}`));
  const { body } = await send("POST", `${machine}/retrieveBootDiagnosticsData`);
  const log = await fetch(textOf(body["serialConsoleLogBlobUri"]).replace(host.secureAddress, host.address));
  if (!(await log.text()).includes("login:")) throw new Error("no console log");
  await send("PATCH", machine, { body: { tags: { team: "c" } } });
  await send("GET", "~/providers/Microsoft.Compute/virtualMachines");
  await send("GET", "~/providers/Microsoft.Compute/disks");
  const disk = "~/providers/Microsoft.Compute/disks/data";
  const properties = { creationData: { createOption: "Empty" }, diskSizeGB: 10 };
  await complete(send, await send("PUT", disk, { body: { location, zones: ["1"], properties } }));
  const { body: made } = await send("GET", disk);
  const attach = (change: object): Promise<Reply> => send("POST", `${machine}/attachDetachDataDisks`, { body: change });
  await settle(send, machine);
  await complete(send, await attach({ dataDisksToAttach: [{ diskId: made["id"], lun: 3 }] }));
  await settle(send, machine);
  await complete(send, await attach({ dataDisksToDetach: [{ diskId: made["id"] }] }));
  await complete(send, await send("PATCH", disk, { body: { properties: { diskSizeGB: 20 } } }));
  await complete(send, await send("DELETE", disk));
  await settle(send, machine);
  await complete(send, await send("DELETE", machine));
  await complete(send, await send("DELETE", "~/providers/Microsoft.Network/networkInterfaces/vm-nic"));
  await complete(send, await send("DELETE", "~/providers/Microsoft.Network/publicIPAddresses/vm-ip"));
  await complete(send, await send("DELETE", "~/providers/Microsoft.Network/virtualNetworks/net"));
}

async function useClusters(send: SendRequest): Promise<void> {
  const cluster = "~/providers/Microsoft.ContainerService/managedClusters/dev";
  const spot = { count: 1, vmSize: "Standard_D4s_v5", scaleSetPriority: "Spot", nodeTaints: ["a=b:NoSchedule"] };
  const entra = { aadProfile: { managed: true, adminGroupObjectIDs: ["8d4ba51c-1a1d-4b5c-9d3a-000000000001"] } };
  const body = { ...clusterBody, properties: { ...clusterBody.properties, ...entra } };
  await complete(send, await send("PUT", cluster, { body }));
  await send("GET", "~/providers/Microsoft.ContainerService/managedClusters");
  await settle(send, cluster);
  await complete(send, await send("PATCH", cluster, { body: { tags: { team: "b" } } }));
  await complete(send, await send("PUT", `${cluster}/agentPools/more`, { body: { properties: { ...spot, mode: "User" } } }));
  await settle(send, `${cluster}/agentPools/more`);
  await send("GET", `${cluster}/agentPools`);
  for (const path of ["upgradeProfiles/default", "availableAgentPoolVersions", "agentPools/more/upgradeProfiles/default"])
    await send("GET", `${cluster}/${path}`);
  await send("POST", `${cluster}/listClusterUserCredential`);
  await send("POST", `${cluster}/listClusterAdminCredential`);
  await complete(send, await send("DELETE", `${cluster}/agentPools/more`));
  await complete(send, await send("DELETE", cluster));
}

async function useIdentities(send: SendRequest): Promise<void> {
  const identity = "~/providers/Microsoft.ManagedIdentity/userAssignedIdentities/dev-cluster";
  await complete(send, await send("PUT", identity, { body: { location, tags: { team: "a" } } }));
  const { body } = await send("GET", identity);
  await send("GET", "~/providers/Microsoft.ManagedIdentity/userAssignedIdentities");
  await complete(send, await send("PATCH", identity, { body: { tags: { team: "b" } } }));
  const subscription = textOf(body["id"]).split("/").slice(0, 3).join("/");
  await send("GET", `${subscription}/providers/Microsoft.ManagedIdentity/userAssignedIdentities`);
  const roles = `${subscription}/providers/Microsoft.Authorization`;
  const role = `${identity}/providers/Microsoft.Authorization/roleAssignments/8d4ba51c-1a1d-4b5c-9d3a-000000000002`;
  const properties = {
    roleDefinitionId: `${roles}/roleDefinitions/4d97b98b-1d4f-4787-a291-c67834d212e7`,
    principalId: objectOf(body["properties"])["principalId"],
  };
  await send("PUT", role, { body: { properties } });
  await send("GET", role);
  await send("GET", `${roles}/roleAssignments`);
  await send("DELETE", role);
  await complete(send, await send("DELETE", identity));
}

async function useGroups(send: SendRequest): Promise<void> {
  const path = textOf((await send("GET", "~")).body["id"]).replace(/\/[^/]+$/, "");
  await send("GET", path);
  await send("PUT", `${path}/other`, { body: { location, tags: { a: "b" } } });
  await send("HEAD", `${path}/other`);
  await complete(send, await send("DELETE", `${path}/other`));
}
