import { expect, test } from "vitest";
import type { Inventory } from "../../inventory/inventory.ts";
import { createMemoryInventory } from "../../inventory/memory-inventory.ts";
import { createClusterCloud, getContents, listClusters } from "../../managed-kubernetes.ts";
import { createLeftovers } from "../account/leftovers.ts";

const subscription = "/subscriptions/00000000-0000-0000-0000-000000000000";
const id = `${subscription}/resourceGroups/dev/providers/Microsoft.ContainerService/managedClusters/dev`;
const group = `${subscription}/resourceGroups/MC_dev_dev_westeurope`;

async function openCluster(count: number, version = "1.33"): Promise<Inventory> {
  const inventory = createMemoryInventory();
  const attributes = {
    name: "dev",
    location: "westeurope",
    kubernetes_version: "1.34",
    current_kubernetes_version: "1.34.2",
    node_resource_group: "MC_dev_dev_westeurope",
    default_node_pool: [
      {
        name: "default",
        vm_size: "Standard_D2s_v5",
        node_count: 1,
        orchestrator_version: "1.34",
        only_critical_addons_enabled: true,
      },
    ],
  };
  await inventory.put("a", { type: "azurerm_kubernetes_cluster", id, attributes });
  const pool = {
    kubernetes_cluster_id: id,
    name: "spot",
    mode: "User",
    vm_size: "Standard_D4ps_v5",
    node_count: count,
    orchestrator_version: version,
    os_sku: "AzureLinux",
    priority: "Spot",
    zones: ["1", "3"],
    node_labels: { team: "a" },
    node_taints: ["kubernetes.azure.com/scalesetpriority=spot:NoSchedule", "quiet:NoExecute"],
  };
  await inventory.put("a", { type: "azurerm_kubernetes_cluster_node_pool", id: `${id}/agentPools/spot`, attributes: pool });
  return inventory;
}

test("M124 the nodes of an AKS cluster are named and labelled as in AKS; scaling replaces none, an upgrade replaces all", async () => {
  const nodesOf = async (inventory: Inventory) => (await listClusters(inventory, "a"))[0]?.nodes ?? [];
  const small = await nodesOf(await openCluster(2));
  const large = await nodesOf(await openCluster(3));
  const newer = await nodesOf(await openCluster(2, "1.34"));
  expect(large.slice(0, 3)).toEqual(small);
  expect(new Set(large.map(({ name }) => name)).size).toBe(4);
  expect(newer.slice(1).map(({ name }) => name)).not.toEqual(small.slice(1).map(({ name }) => name));
  expect(small[0]).toMatchObject({
    name: expect.stringMatching(/^aks-default-\d{8}-vmss[0-9a-z]{6}$/),
    zone: "0",
    labels: { "kubernetes.azure.com/mode": "system" },
    taints: [{ key: "CriticalAddonsOnly", value: "true", effect: "NoSchedule" }],
  });
  expect(small[1]).toMatchObject({
    name: expect.stringMatching(/^aks-spot-\d{8}-vmss[0-9a-z]{6}$/),
    providerId: expect.stringMatching(
      /^azure:\/\/\/subscriptions\/[0-9-]+\/resourceGroups\/mc_dev_dev_westeurope\/providers\/Microsoft\.Compute\/virtualMachineScaleSets\/aks-spot-\d{8}-vmss\/virtualMachines\/\d+$/,
    ),
    instanceType: "Standard_D4ps_v5",
    zone: "westeurope-1",
    cpu: 4,
    memoryGiB: 16,
    version: "v1.33.6",
    labels: {
      team: "a",
      agentpool: "spot",
      "kubernetes.azure.com/agentpool": "spot",
      "kubernetes.azure.com/cluster": "MC_dev_dev_westeurope",
      "kubernetes.azure.com/scalesetpriority": "spot",
      "kubernetes.azure.com/os-sku": "AzureLinux",
      "kubernetes.io/arch": "arm64",
      "topology.disk.csi.azure.com/zone": "westeurope-1",
    },
    taints: [
      { key: "kubernetes.azure.com/scalesetpriority", value: "spot", effect: "NoSchedule" },
      { key: "quiet", value: "", effect: "NoExecute" },
    ],
  });
  expect(small[2]).toMatchObject({ zone: "westeurope-3" });
});

test("M131 a new AKS cluster has the storage classes and system workloads of AKS", () => {
  const { storageClasses, workloads } = getContents("azure");
  expect(storageClasses.filter(({ isDefault }) => isDefault === true)).toMatchObject([
    { name: "default", provisioner: "disk.csi.azure.com" },
  ]);
  expect(workloads.map(({ name }) => name)).toEqual(expect.arrayContaining(["coredns", "cilium", "metrics-server"]));
  // Cilium replaces kube-proxy.
  expect(workloads.map(({ name }) => name)).not.toContain("kube-proxy");
});

test("X010 services share a load balancer in the node resource group, and leftovers are found, removed or kept", async () => {
  const inventory = await openCluster(1);
  const cloud = createClusterCloud({ inventory }, async () => ({ tenant: "a", name: "dev", cloud: "azure" }));
  const first = await cloud.createLoadBalancer("c", { uid: "one" });
  expect(await cloud.createLoadBalancer("c", { uid: "one" })).toEqual(first);
  await cloud.createLoadBalancer("c", { uid: "two" });
  expect(first.ip).toMatch(/^203\.0\.113\.\d+$/);
  expect(await inventory.list("a", "azurerm_lb")).toHaveLength(1);
  expect(await inventory.list("a", "azurerm_public_ip")).toHaveLength(2);
  await cloud.deleteLoadBalancer("c", "one");
  expect(await inventory.list("a", "azurerm_lb")).toHaveLength(1);
  const request = {
    namespace: "default",
    name: "data",
    sizeGiB: 5,
    zone: "westeurope-3",
    parameters: { skuName: "Premium_LRS" },
  };
  const { volumeId } = await cloud.createVolume("c", { uid: "v1", ...request });
  await cloud.createVolume("c", { uid: "v2", ...request, zone: "0" });
  await cloud.resizeVolume("c", volumeId, 8);
  expect((await inventory.find("a", { type: "azurerm_managed_disk", id: volumeId }))?.attributes).toMatchObject({
    id: `${group}/providers/Microsoft.Compute/disks/pvc-v1`,
    zone: "3",
    disk_size_gb: 8,
    storage_account_type: "Premium_LRS",
  });
  const leftovers = createLeftovers(inventory, "a");
  await leftovers.retainVolume(volumeId);
  const found = await leftovers.listLeftovers("dev");
  expect(found.map(({ type }) => type)).toEqual(["azurerm_lb", "azurerm_public_ip", "azurerm_managed_disk"]);
  for (const leftover of found) await leftovers.removeLeftover(leftover);
  expect(await leftovers.listLeftovers("dev")).toEqual([]);
  expect(await inventory.list("a", "azurerm_managed_disk")).toHaveLength(1);
});

test("X010 the load balancer is deleted with the last service", async () => {
  const inventory = await openCluster(1);
  const cloud = createClusterCloud({ inventory }, async () => ({ tenant: "a", name: "dev", cloud: "azure" }));
  await cloud.createLoadBalancer("c", { uid: "one" });
  await cloud.deleteLoadBalancer("c", "one");
  await cloud.deleteLoadBalancer("c", "one");
  expect(await inventory.list("a", "azurerm_lb")).toEqual([]);
  expect(await inventory.list("a", "azurerm_public_ip")).toEqual([]);
});
