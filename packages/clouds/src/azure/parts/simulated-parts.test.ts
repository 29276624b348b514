import type { JsonObject } from "@cloudwright/platform/json";
import type { CloudPart, PartOwner } from "../../library/parts.ts";
import { contractUid, describeCloudPart, type PartFixture } from "../../testing/part-contract.ts";
import { simulatedGroup, simulatedLocation, startSimulatedAzure, type SimulatedAzure } from "../testing/simulated-azure.ts";
import { createAzureParts } from "./parts.ts";

const place = { resource_group_name: simulatedGroup, location: simulatedLocation };
const suffix = (uid: string): string => uid.slice(-8);
const [from, to] = ["1.33.6", "1.34.2"];

const pool = (change: JsonObject = {}): JsonObject => ({
  name: "default",
  vm_size: "Standard_D4s_v5",
  auto_scaling_enabled: false,
  node_count: 2,
  os_disk_size_gb: 64,
  os_sku: "AzureLinux",
  max_pods: 110,
  vnet_subnet_id: "",
  zones: ["1", "2"],
  node_labels: { tier: "a" },
  ...change,
});

const { node_count: _fixed, ...scaledPool } = pool({ auto_scaling_enabled: true, min_count: 1, max_count: 3, zones: [] });

const cluster = (uid: string): JsonObject => ({
  ...place,
  name: `c-${suffix(uid)}`,
  kubernetes_version: from,
  orchestrator_version: from,
  dns_prefix: "main",
  default_node_pool: [pool()],
  identity: [{ type: "SystemAssigned", identity_ids: [] }],
  sku_tier: "Standard",
  network_profile: [
    {
      network_plugin: "azure",
      network_plugin_mode: "overlay",
      network_data_plane: "cilium",
      network_policy: "cilium",
      pod_cidr: "192.168.0.0/16",
      service_cidr: "10.96.0.0/12",
      dns_service_ip: "10.96.0.10",
      load_balancer_sku: "standard",
      outbound_type: "loadBalancer",
    },
  ],
  run_command_enabled: false,
  oidc_issuer_enabled: true,
  workload_identity_enabled: true,
  private_cluster_enabled: false,
  authorized_ip_ranges: ["203.0.113.0/24"],
  local_account_disabled: false,
  tags: { team: "a" },
});

interface Case {
  readonly attributes: (azure: SimulatedAzure, uid: string) => JsonObject;
  readonly change: JsonObject;
  /** Resources that must exist before the tested resource is created. */
  readonly before?: (
    azure: SimulatedAzure,
    uid: string,
  ) => readonly (readonly [type: string, attributes: JsonObject, owner?: PartOwner])[];
}

const card = ({ subnetId }: SimulatedAzure, name: string): JsonObject => ({
  ...place,
  name,
  ip_configuration: [{ subnet_id: subnetId, public_ip_address_id: "" }],
  network_security_group_id: "",
  application_security_group_ids: [],
  tags: { team: "a" },
});

const machine = ({ groupId }: SimulatedAzure, name: string): JsonObject => ({
  ...place,
  name,
  zone: "2",
  size: "Standard_B1s",
  source_image_id: "ubuntu-24.04",
  admin_username: "me",
  admin_ssh_key: [{ public_key: "ssh-ed25519 AAAA me@here" }],
  network_interface_ids: [`${groupId}/providers/Microsoft.Network/networkInterfaces/host-nic`],
  user_data: "IyEvYmluL3NoCg==",
  os_disk: [{ disk_size_gb: 40, disk_encryption_set_id: "" }],
  secure_boot_enabled: true,
  vtpm_enabled: true,
  encryption_at_host_enabled: false,
  power_state: "running",
  tags: { team: "a" },
});

const disk = (name: string): JsonObject => ({
  ...place,
  name,
  zone: "2",
  storage_account_type: "StandardSSD_LRS",
  disk_size_gb: 10,
  network_access_policy: "DenyAll",
  tags: { team: "a" },
});

const groupIn = ({ groupId }: SimulatedAzure, name: string): string =>
  `${groupId}/providers/Microsoft.Network/applicationSecurityGroups/${name}`;

const rule = (name: string, change: JsonObject): JsonObject => ({
  name,
  direction: "Inbound",
  access: "Allow",
  protocol: "Tcp",
  source_port_range: "*",
  destination_port_range: "22",
  source_address_prefix: "10.0.0.0/8",
  source_application_security_group_ids: [],
  destination_address_prefix: "",
  destination_application_security_group_ids: [],
  ...change,
});

const identity = (name: string): JsonObject => ({ ...place, name, tags: { team: "a" } });

const cases: Readonly<Record<string, Case>> = {
  azurerm_resource_group: {
    attributes: (_azure, uid) => ({ name: `g-${suffix(uid)}`, location: simulatedLocation, tags: { team: "a" } }),
    change: { tags: { owner: "b" } },
  },
  azurerm_user_assigned_identity: {
    attributes: (_azure, uid) => identity(`i-${suffix(uid)}`),
    change: { tags: { owner: "b" } },
  },
  azurerm_role_assignment: {
    attributes: ({ subnetId }, uid) => ({
      name: uid,
      scope: subnetId,
      role_definition_name: "Network Contributor",
      principal_id: "00000000-0000-4000-8000-000000000001",
    }),
    // A role assignment cannot change.
    change: {},
  },
  azurerm_kubernetes_cluster: {
    attributes: (_azure, uid) => cluster(uid),
    change: {
      kubernetes_version: to,
      orchestrator_version: to,
      default_node_pool: [pool({ node_count: 4, node_labels: { zone: "b" } })],
      sku_tier: "Premium",
      authorized_ip_ranges: [],
      tags: { owner: "b" },
    },
  },
  azurerm_kubernetes_cluster_node_pool: {
    before: () => [["azurerm_kubernetes_cluster", { ...cluster("host"), name: "host" }]],
    attributes: ({ groupId }, uid) => ({
      ...scaledPool,
      orchestrator_version: from,
      name: `p${suffix(uid)}`,
      kubernetes_cluster_id: `${groupId}/providers/Microsoft.ContainerService/managedClusters/host`,
      mode: "User",
      node_taints: ["dedicated=db:NoSchedule"],
      priority: "Regular",
      tags: { team: "a" },
    }),
    change: { min_count: 2, max_count: 6, node_labels: { zone: "b" }, node_taints: [], tags: { owner: "b" } },
  },
  azurerm_public_ip: {
    attributes: (_azure, uid) => ({ ...place, name: `a-${suffix(uid)}`, zones: ["1"], tags: {} }),
    change: { tags: { owner: "b" } },
  },
  azurerm_network_interface: {
    attributes: (azure, uid) => card(azure, `n-${suffix(uid)}`),
    change: { tags: { owner: "b" } },
  },
  azurerm_linux_virtual_machine: {
    before: (azure) => [["azurerm_network_interface", card(azure, "host-nic")]],
    attributes: (azure, uid) => machine(azure, `v-${suffix(uid)}`),
    change: { size: "Standard_B2s", power_state: "stopped", tags: { owner: "b" } },
  },
  azurerm_application_security_group: {
    attributes: (_azure, uid) => ({ ...place, name: `s-${suffix(uid)}`, tags: { team: "a" } }),
    change: { tags: { owner: "b" } },
  },
  azurerm_network_security_group: {
    before: () => [["azurerm_application_security_group", { ...place, name: "host", tags: {} }]],
    attributes: (azure) => ({
      ...place,
      name: "shared",
      ordered: true,
      security_rule: [
        rule("allow-ssh", { destination_application_security_group_ids: [groupIn(azure, "host")] }),
        rule("deny-inbound", {
          access: "Deny",
          protocol: "*",
          destination_application_security_group_ids: [groupIn(azure, "host")],
        }),
      ],
    }),
    change: { security_rule: [rule("deny-inbound", { access: "Deny", protocol: "*", destination_address_prefix: "*" })] },
  },
  azurerm_managed_disk: {
    attributes: (_azure, uid) => disk(`d-${suffix(uid)}`),
    change: { disk_size_gb: 20, tags: { owner: "b" } },
  },
  azurerm_virtual_machine_data_disk_attachment: {
    before: (azure, uid) => [
      ["azurerm_network_interface", card(azure, "host-nic")],
      ["azurerm_linux_virtual_machine", machine(azure, "host")],
      ["azurerm_managed_disk", disk(`d-${suffix(uid)}`), { entityUid: uid, name: "main", token: "main" }],
    ],
    attributes: ({ groupId }, uid) => ({
      managed_disk_id: `${groupId}/providers/Microsoft.Compute/disks/d-${suffix(uid)}`,
      virtual_machine_id: `${groupId}/providers/Microsoft.Compute/virtualMachines/host`,
      lun: 7,
    }),
    // Everything that can change replaces the attachment.
    change: {},
  },
};

for (const [type, given] of Object.entries(cases))
  describeCloudPart(`${type}, the simulated API`, () => openSimulated(type, given));

async function openSimulated(type: string, { attributes, change, before }: Case): Promise<PartFixture> {
  const azure = await startSimulatedAzure();
  const open = (entityUid: string, kind: string): CloudPart =>
    createAzureParts({ ...azure.options, entityUid }).parts.get(kind) as CloudPart;
  const owner = { entityUid: "host", name: "host", token: "host" };
  for (const [kind, wanted, given = owner] of before?.(azure, contractUid) ?? [])
    await open(given.entityUid, kind).create(wanted, given, new AbortController().signal);
  return {
    open: (entityUid) => open(entityUid, type),
    attributes: (uid) => attributes(azure, uid),
    change,
    close: azure.close,
  };
}
