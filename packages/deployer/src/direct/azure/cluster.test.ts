import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../../executor/terraform/configurations.ts";
import type { DeployedAccount, JsonObject } from "../../task.ts";
import { createTestEntity, createTestSurroundings, type TestTaskOptions } from "../../testing/test-task.ts";
import { azureClusterBlueprint as blueprint } from "./cluster.ts";
import { poolNameOf } from "./names.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "azure", simulated: true, spec: {} };
const uid = "0199aaaa-0000-7000-8000-0123456789ab";
const subnet = "/subscriptions/s/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/net/subnets/nodes";
const network = { cidr: "10.0.0.0/16", private_subnet_ids: [subnet], zones: ["westeurope-1", "westeurope-2"] };
const entity = (spec: JsonObject) =>
  createTestEntity("Cluster", { uid, name: "dev", labels: { team: "a" }, spec: { version: "1.34", ...spec } });
const around = (nodePools: TestTaskOptions["nodePools"] = [], outputs: JsonObject = {}, facts: JsonObject = {}) =>
  createTestSurroundings({
    parents: [{ kind: "Network", uid: "n", name: "net", spec: { region: "westeurope" }, outputs: { ...network, ...facts } }],
    nodePools,
    outputs,
  });
const observed = { address: "198.51.100.1" };
const list = (spec: JsonObject = {}, given = around(), from = account) =>
  new Map(
    blueprint.resources(entity(spec), from, { ...given, observed }).map((each) => [`${each.type}.${each.name}`, each.attributes]),
  );
const pool = (spec: JsonObject, name = "extra") => ({
  uid: "p",
  name,
  labels: { cost: "x" },
  spec: { min: 1, desired: 1, max: 2, ...spec },
});

test("M120 M124 a default cluster without Terraform has a group, an identity with one role, and an endpoint that is limited to the agent", () => {
  const resources = list();
  expect([...resources.keys()]).toEqual([
    "azurerm_resource_group.this",
    "azurerm_user_assigned_identity.cluster",
    "azurerm_role_assignment.nodes",
    "azurerm_kubernetes_cluster.this",
  ]);
  expect(resources.get("azurerm_kubernetes_cluster.this")).toMatchObject({
    name: "dev-456789ab",
    location: "westeurope",
    kubernetes_version: "1.34",
    orchestrator_version: "1.34",
    sku_tier: "Standard",
    default_node_pool: [
      {
        name: "default",
        vm_size: "Standard_D2s_v5",
        node_count: 2,
        os_sku: "AzureLinux",
        vnet_subnet_id: subnet,
        zones: ["1", "2"],
      },
    ],
    network_profile: [
      {
        network_plugin_mode: "overlay",
        pod_cidr: "192.168.0.0/16",
        service_cidr: "10.96.0.0/12",
        dns_service_ip: "10.96.0.10",
        outbound_type: "loadBalancer",
      },
    ],
    private_cluster_enabled: false,
    authorized_ip_ranges: ["198.51.100.1/32"],
    run_command_enabled: false,
    oidc_issuer_enabled: true,
    tags: { team: "a" },
  });
  expect(resources.get("azurerm_role_assignment.nodes")).toMatchObject({
    name: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/) as string,
    scope: subnet,
    role_definition_name: "Network Contributor",
  });
});

test("M123 M124 a given identity and group are used, and the NAT gateway may reach a limited endpoint", () => {
  const identity = "/subscriptions/s/resourceGroups/ids/providers/Microsoft.ManagedIdentity/userAssignedIdentities/mine";
  const facts = { nat_public_ips: ["203.0.113.7"], outbound_type: "userAssignedNATGateway" };
  const limited = list({ azure: { clusterIdentityId: identity, resourceGroup: "shop" } }, around([], {}, facts));
  expect([...limited.keys()]).toEqual(["azurerm_kubernetes_cluster.this"]);
  expect(limited.get("azurerm_kubernetes_cluster.this")).toMatchObject({
    resource_group_name: "shop",
    identity: [{ type: "UserAssigned", identity_ids: [identity] }],
    authorized_ip_ranges: ["198.51.100.1/32", "203.0.113.7/32"],
    network_profile: [{ outbound_type: "userAssignedNATGateway" }],
  });
  const open = list({ endpoint: { public: true, publicCidrs: ["0.0.0.0/0"] } }, around([], {}, facts));
  expect(open.get("azurerm_kubernetes_cluster.this")).toMatchObject({ authorized_ip_ranges: [], private_cluster_enabled: false });
  const hidden = list({ endpoint: { public: false } }, around([], {}, facts));
  expect(hidden.get("azurerm_kubernetes_cluster.this")).toMatchObject({
    authorized_ip_ranges: [],
    private_cluster_enabled: true,
  });
  // If the account's permissions are limited to a resource group, new clusters use that group. An existing cluster keeps the group it was
  // built in.
  const bound = { ...account, spec: { azure: { resourceGroup: "team" } } };
  expect(list({}, around(), bound).has("azurerm_resource_group.this")).toBe(false);
  const built = around([], { cluster_name: "dev-1", resource_group_name: "dev-1" });
  expect(list({}, built, bound).get("azurerm_resource_group.this")).toMatchObject({ name: "dev-1" });
});

test("M125 a pool's type, taints, labels, disk, zones, scaling and purchase option reach its agent pool", () => {
  const taints = [
    { key: "b", effect: "NoExecute" },
    { key: "a", value: "1", effect: "NoSchedule" },
  ];
  const spec = {
    instanceType: "Standard_E4s_v5",
    capacity: "spot",
    diskSizeGib: 64,
    nodeLabels: { tier: "x" },
    zones: ["2"],
    taints,
  };
  const scaled = { autoscaling: true, min: 0, max: 5, azure: { system: false, maxPods: 60, os: "ubuntu" } };
  const resources = list({ workers: 1 }, around([pool(spec), pool(scaled, "a-long-pool-name")]));
  expect(resources.get("azurerm_kubernetes_cluster_node_pool.extra")).toMatchObject({
    name: "extra",
    vm_size: "Standard_E4s_v5",
    auto_scaling_enabled: false,
    node_count: 1,
    os_disk_size_gb: 64,
    zones: ["2"],
    mode: "User",
    priority: "Spot",
    node_labels: { tier: "x", "kubernetes.azure.com/scalesetpriority": "spot" },
    node_taints: ["a=1:NoSchedule", "b:NoExecute", "kubernetes.azure.com/scalesetpriority=spot:NoSchedule"],
    tags: { team: "a", cost: "x" },
  });
  const other = resources.get("azurerm_kubernetes_cluster_node_pool.a-long-pool-name") ?? {};
  expect(other).toMatchObject({ auto_scaling_enabled: true, min_count: 0, max_count: 5, max_pods: 60, os_sku: "Ubuntu" });
  expect(other).not.toHaveProperty("node_count");
  expect(other["name"]).toBe(poolNameOf("a-long-pool-name"));
  expect(other["name"]).toMatch(/^alongpo[\da-f]{5}$/);
});

test("M120 every setting that only the Terraform configuration implements is rejected by name, and disabling it is allowed", () => {
  const refused: readonly (readonly [JsonObject, string])[] = [
    [{ azure: { upgradeChannel: "patch" } }, "spec.azure.upgradeChannel"],
    [{ azure: { entra: { adminGroupIds: [] } } }, "spec.azure.entra"],
    [{ azure: { managedPrometheus: true } }, "spec.azure.managedPrometheus"],
    [{ azure: { hostEncryption: true } }, "spec.azure.hostEncryption"],
    [{ azure: { podNetwork: "subnet" } }, "spec.azure.podNetwork"],
    [{ azure: { imageCleaner: true } }, "spec.azure.imageCleaner"],
    [{ addOns: [{ name: "keda" }] }, "keda"],
  ];
  for (const [spec, name] of refused) {
    expect(() => list(spec)).toThrow(
      expect.objectContaining({ code: "deployer.not_supported", message: expect.stringContaining(name) as string }),
    );
  }
  for (const spec of [{ azure: { maxSurge: "50%" } }, { azure: { osDisk: "ephemeral" } }]) {
    expect(() => list({}, around([pool(spec)]))).toThrow(
      expect.objectContaining({ message: expect.stringContaining('node pool "extra"') as string }),
    );
  }
  const allowed = { azure: { upgradeChannel: "none", podNetwork: "overlay" }, addOns: [{ name: "keda", disabled: true }] };
  expect(list(allowed).size).toBe(4);
});

test("M032 another machine type for the workers of an existing cluster is rejected before anything is planned", () => {
  const built = around([], { cluster_name: "dev-1", choices: { instance_type: "Standard_D2s_v5" } });
  expect(list({ instanceType: "Standard_D2s_v5" }, built).size).toBe(4);
  expect(() => list({ instanceType: "Standard_D8s_v5" }, built)).toThrow(
    expect.objectContaining({ code: "deployer.not_supported", message: expect.stringContaining("add a node pool") as string }),
  );
});

const attributes: Record<string, JsonObject> = {
  "azurerm_kubernetes_cluster.this": {
    id: "/c",
    name: "dev-1",
    resource_group_name: "dev-1",
    host: "https://e",
    current_kubernetes_version: "1.34.2",
    authorized_ip_ranges: ["198.51.100.1/32", "203.0.113.7/32"],
    default_node_count: 2,
    default_node_pool: [{ vm_size: "Standard_D2s_v5", vnet_subnet_id: subnet }],
    network_profile: [{ pod_cidr: "192.168.0.0/16", service_cidr: "172.16.0.0/16" }],
  },
  "azurerm_kubernetes_cluster_node_pool.extra": { current_node_count: 3 },
};

test("M072 the outputs have the names of the Terraform configuration's outputs, so that whatever uses a cluster works for both", () => {
  const text = readFileSync(join(ownConfigurations, "kubernetes/azure/v1.1.0/outputs.tf"), "utf8");
  const declared = [...text.matchAll(/^output "(\w+)"/gm)].map(([, name]) => name ?? "");
  const facts = { nat_public_ips: ["203.0.113.7"] };
  const given = around([pool({})], {}, facts);
  const outputs = blueprint.outputs((address) => attributes[address] ?? {}, entity({}), given);
  expect(Object.keys(outputs).toSorted()).toEqual(declared.toSorted());
  expect(outputs).toMatchObject({
    cluster_name: "dev-1",
    version: "1.34",
    ready_nodes: 5,
    node_group_names: ["default", "extra"],
    worker_subnet_ids: [subnet],
    choices: { since: "v1.1.0", public_access_cidrs: ["198.51.100.1/32"], zones: { default: ["1", "2"] } },
  });

  // Running on an agent with a different address does not change who can reach the cluster.
  const later = { ...around([], outputs, facts), observed: { address: "203.0.113.9" } };
  const [cluster] = blueprint.resources(entity({}), account, later).filter(({ type }) => type === "azurerm_kubernetes_cluster");
  expect(cluster?.attributes["authorized_ip_ranges"]).toEqual(["198.51.100.1/32", "203.0.113.7/32"]);
});

test("M042 X033 an autoscaler's size and a patch version that AKS installs are no drift, other changes are", () => {
  const given = around([pool({ autoscaling: true })]);
  const isExpected = (...path: (string | number)[]) =>
    blueprint.isChangedByOthers?.({ resourceType: "azurerm_kubernetes_cluster_node_pool", address: "" }, path, given);
  for (const name of ["ready", "current_node_count", "default_node_count", "current_kubernetes_version"])
    expect(isExpected(name)).toBe(true);
  for (const name of ["node_count", "max_count", "kubernetes_version", "node_labels"]) expect(isExpected(name)).toBe(false);
});

test("M030 a preview describes the pools of a cluster without Terraform", () => {
  const change = {
    address: "azurerm_kubernetes_cluster_node_pool.spot",
    mode: "managed" as const,
    resourceType: "azurerm_kubernetes_cluster_node_pool",
    name: "spot",
    action: "create" as const,
    replacePaths: [],
    before: null,
    after: { node_count: 3 },
    changedPaths: [],
  };
  expect(blueprint.describeChange?.(change)).toEqual([{ part: "nodes", name: "spot", action: "create", message: "3 nodes" }]);
  const pools = (count: number) => ({ default_node_pool: [{ node_count: count }] });
  const upgrade = {
    ...change,
    address: "azurerm_kubernetes_cluster.this",
    resourceType: "azurerm_kubernetes_cluster",
    name: "this",
    action: "update" as const,
    before: pools(2),
    after: pools(2),
    changedPaths: ["kubernetes_version", "orchestrator_version"].map((name) => ({
      path: [name],
      before: "1.33",
      after: "1.34",
      isSensitive: false,
      isUnknown: false,
    })),
  };
  const nodes = blueprint.describeChange?.(upgrade)?.find(({ part }) => part === "nodes");
  expect(nodes).toMatchObject({ name: "default", message: "2 nodes replaced, a few at a time" });
});
