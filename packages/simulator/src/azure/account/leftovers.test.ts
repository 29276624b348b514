import { expect, test } from "vitest";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { openAzureAccount } from "./account.ts";

const groups = "/subscriptions/s/resourceGroups";
const disk = (group: string, name: string): string => `${groups}/${group}/providers/Microsoft.Compute/disks/${name}`;

test("X010 leftover resources of a simulated AKS cluster are found in its node resource group or by tag, and retained disks are moved", async () => {
  const inventory = createMemoryInventory();
  const account = openAzureAccount({ inventory, tenant: "t", region: "westeurope" });
  const put = (type: string, id: string, attributes = {}) => inventory.put("t", { type, id, attributes });
  const cluster = { name: "dev", node_resource_group: "MC_dev", location: "westeurope" };
  await put("azurerm_kubernetes_cluster", `${groups}/main/providers/Microsoft.ContainerService/managedClusters/dev`, cluster);
  await put("azurerm_managed_disk", disk("mc_dev", "pvc-1"));
  await put("azurerm_managed_disk", disk("MC_dev", "pvc-2"));
  await put("azurerm_managed_disk", disk("main", "own"), { tags: { "cloudwright:entity": "uid" } });
  await put("azurerm_managed_disk", disk("MC_other", "pvc-3"));
  await put("azurerm_public_ip", `${groups}/main/providers/Microsoft.Network/publicIPAddresses/svc`, {
    tags: { "k8s-azure-cluster-name": "dev" },
  });
  await put("azurerm_lb", `${groups}/MC_dev/providers/Microsoft.Network/loadBalancers/kubernetes`);
  await account.retainVolume(disk("MC_dev", "pvc-2"));
  const left = await account.listLeftovers("dev");
  expect(left.map(({ type }) => type)).toEqual(["azurerm_lb", "azurerm_public_ip", "azurerm_managed_disk"]);
  expect(left.at(-1)?.id).toBe(disk("mc_dev", "pvc-1"));
  expect(await account.listLeftovers("other")).toEqual([]);
  for (const each of left) await account.removeLeftover(each);
  expect((await inventory.list("t", "azurerm_managed_disk")).map(({ id }) => id)).toEqual([
    disk("MC_other", "pvc-3"),
    disk("cloudwright-retained", "pvc-2"),
    disk("main", "own"),
  ]);
});

test("X010 the blobs of a container are counted by its id and by the name of its storage account", async () => {
  const inventory = createMemoryInventory();
  const account = openAzureAccount({ inventory, tenant: "t", region: "westeurope" });
  const id = `${groups}/main/providers/Microsoft.Storage/storageAccounts/words`;
  const container = `${id}/blobServices/default/containers/a.b`;
  await inventory.put("t", { type: "azurerm_storage_account", id, attributes: { name: "words" } });
  await inventory.put("t", { type: "azurerm_storage_container", id: container, attributes: { name: "a.b", object_count: 3 } });
  await inventory.put("t", { type: "azurerm_storage_blob", id: "x", attributes: { storage_container_id: container } });
  expect(await Promise.all([container, "words", "word", "a.b", "axb"].map((name) => account.countObjects(name)))).toEqual([
    4, 4, 0, 4, 0,
  ]);
});
