import { requireTool } from "@cloudwright/platform";
import type { JsonObject } from "@cloudwright/platform/json";
import { expect, test } from "vitest";
import type { CloudPart } from "../../library/parts.ts";
import { shortWaits } from "../../testing/library-contract.ts";
import { describeCloudPart, type PartFixture } from "../../testing/part-contract.ts";
import { createAccessToken, fakeRegion, fakeSubscription } from "../testing/fake-azure.ts";
import { clusterId, fakeGroup, groupId, startFakeLibrary, subnetId, type FakeLibrary } from "../testing/fake-library.ts";
import { createAzureParts } from "./parts.ts";

const openssl = requireTool("openssl");
const skipped = openssl.found ? "" : openssl.reason;
const { signal } = new AbortController();
const suffix = (uid: string): string => uid.slice(-8);
const place = { resource_group_name: fakeGroup, location: fakeRegion };

const pool = (change: JsonObject = {}): JsonObject => ({
  name: "default",
  vm_size: "Standard_D4s_v5",
  auto_scaling_enabled: false,
  node_count: 2,
  os_disk_size_gb: 64,
  os_sku: "AzureLinux",
  max_pods: 110,
  vnet_subnet_id: subnetId,
  zones: ["1", "2"],
  node_labels: { tier: "a" },
  ...change,
});

const cluster = (uid: string): JsonObject => ({
  ...place,
  name: `c-${suffix(uid)}`,
  kubernetes_version: "1.33.5",
  orchestrator_version: "1.33.5",
  dns_prefix: "main",
  default_node_pool: [pool()],
  identity: [{ type: "SystemAssigned", identity_ids: [] }],
  private_cluster_enabled: false,
  authorized_ip_ranges: ["203.0.113.0/24"],
  local_account_disabled: false,
  tags: { team: "a" },
});

const agentPool = (uid: string): JsonObject => ({
  name: `p${suffix(uid)}`,
  kubernetes_cluster_id: clusterId("host"),
  mode: "User",
  vm_size: "Standard_D4s_v5",
  auto_scaling_enabled: true,
  min_count: 1,
  max_count: 3,
  os_disk_size_gb: 64,
  vnet_subnet_id: subnetId,
  zones: [],
  node_labels: { tier: "a" },
  node_taints: ["dedicated=db:NoSchedule"],
  priority: "Regular",
  orchestrator_version: "1.33.5",
  tags: { team: "a" },
});

const addressId = `${groupId}/providers/Microsoft.Network/publicIPAddresses/host-ip`;
const card = (uid: string): JsonObject => ({
  ...place,
  name: `n-${suffix(uid)}`,
  ip_configuration: [{ subnet_id: subnetId, public_ip_address_id: addressId }],
  network_security_group_id: "",
  tags: { team: "a" },
});
const hostCard = `${groupId}/providers/Microsoft.Network/networkInterfaces/host-nic`;

const machine = (uid: string): JsonObject => ({
  ...place,
  name: `v-${suffix(uid)}`,
  zone: "2",
  size: "Standard_B1s",
  source_image_id: "ubuntu-24.04",
  admin_username: "me",
  admin_ssh_key: [{ public_key: "ssh-ed25519 AAAA me@here" }],
  network_interface_ids: [hostCard],
  user_data: "IyEvYmluL3NoCg==",
  os_disk: [{ disk_size_gb: 40, disk_encryption_set_id: "" }],
  secure_boot_enabled: true,
  vtpm_enabled: true,
  encryption_at_host_enabled: false,
  power_state: "running",
  tags: { team: "a" },
});

describeCloudPart(
  "azurerm_kubernetes_cluster",
  () =>
    openFake("azurerm_kubernetes_cluster", cluster, {
      kubernetes_version: "1.34.10",
      orchestrator_version: "1.34.10",
      default_node_pool: [pool({ node_count: 4, node_labels: { zone: "b" } })],
      authorized_ip_ranges: [],
      local_account_disabled: true,
      tags: { owner: "b" },
    }),
  skipped,
);

describeCloudPart(
  "azurerm_kubernetes_cluster_node_pool",
  () =>
    openFake("azurerm_kubernetes_cluster_node_pool", agentPool, {
      min_count: 2,
      max_count: 6,
      node_labels: { zone: "b" },
      node_taints: [],
      tags: { owner: "b" },
    }),
  skipped,
);

describeCloudPart(
  "azurerm_public_ip",
  () =>
    openFake("azurerm_public_ip", (uid) => ({ ...place, name: `a-${suffix(uid)}`, zones: ["1"], tags: {} }), {
      tags: { owner: "b" },
    }),
  skipped,
);

describeCloudPart(
  "azurerm_network_interface",
  () =>
    openFake("azurerm_network_interface", card, {
      ip_configuration: [{ subnet_id: subnetId, public_ip_address_id: "" }],
      network_security_group_id: `${groupId}/providers/Microsoft.Network/networkSecurityGroups/web`,
      tags: { owner: "b" },
    }),
  skipped,
);

describeCloudPart(
  "azurerm_linux_virtual_machine",
  () =>
    openFake("azurerm_linux_virtual_machine", machine, { size: "Standard_B2s", power_state: "stopped", tags: { owner: "b" } }),
  skipped,
);

test.skipIf(skipped !== "")(
  "X031 the first pool of a cluster is a part of the cluster, and its machines cannot be changed",
  async () => {
    const uid = "0199aaaa-0000-7000-8000-00000000c0de";
    const library = await startFakeLibrary(openssl.found ? openssl.path : "");
    const clusters = openPart(library, uid, "azurerm_kubernetes_cluster");
    const pools = openPart(library, uid, "azurerm_kubernetes_cluster_node_pool");
    const { id } = await clusters.create(cluster(uid), { entityUid: uid, name: "this", token: "t" }, signal);
    expect(await pools.listOwned(uid, signal)).toEqual([]);
    expect(await pools.findOwner(`${id}/agentPools/default`, signal)).toBe(uid);
    const larger = { ...cluster(uid), default_node_pool: [pool({ vm_size: "Standard_D8s_v5" })] };
    await expect(clusters.update(id, larger, signal)).rejects.toThrow(/vm_size of the first pool/);
    const scaled = pool({ auto_scaling_enabled: true, min_count: 3, max_count: 5 });
    delete scaled["node_count"];
    const changed = await clusters.update(id, { ...cluster(uid), default_node_pool: [scaled] }, signal);
    expect(changed["default_node_pool"]).toEqual([scaled]);
    await library.close();
  },
);

async function openFake(type: string, attributes: PartFixture["attributes"], change: JsonObject): Promise<PartFixture> {
  const library = await startFakeLibrary(openssl.found ? openssl.path : "");
  const owner = { entityUid: "host", name: "host", token: "host" };
  const prepare = async (kind: string, given: JsonObject): Promise<unknown> =>
    openPart(library, "host", kind).create(given, owner, signal);
  if (type === "azurerm_kubernetes_cluster_node_pool")
    await prepare("azurerm_kubernetes_cluster", { ...cluster("host"), name: "host" });
  if (type === "azurerm_network_interface")
    await prepare("azurerm_public_ip", { ...place, name: "host-ip", zones: [], tags: {} });
  if (type === "azurerm_linux_virtual_machine")
    await prepare("azurerm_network_interface", {
      ...card("host"),
      name: "host-nic",
      ip_configuration: [{ subnet_id: subnetId, public_ip_address_id: "" }],
    });
  return { open: (entityUid) => openPart(library, entityUid, type), attributes, change, close: () => library.close() };
}

function openPart({ fake }: FakeLibrary, entityUid: string, type: string): CloudPart {
  const { parts } = createAzureParts({
    entityUid,
    subscriptionId: fakeSubscription,
    resourceGroup: fakeGroup,
    location: fakeRegion,
    accessToken: createAccessToken("arm"),
    endpoints: { resourceManager: fake.endpoints["AZURE_RESOURCE_MANAGER_ENDPOINT"] ?? "" },
    clock: shortWaits,
  });
  return parts.get(type) as CloudPart;
}
