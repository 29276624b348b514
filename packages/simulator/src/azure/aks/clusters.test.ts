import { beforeEach, describe, expect, test } from "vitest";
import { callProvider, type ProviderCalls } from "../../testing/call-provider.ts";
import { textOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { azureProvider } from "../provider.ts";

const group = { resource_group_name: "main", location: "westeurope" };

/** Creates a resource group, a subnet, and an identity with the roles that a cluster needs. */
async function open(conditions = {}): Promise<{ azure: ProviderCalls; subnet: string; cluster: ValueMap; principal: string }> {
  const azure = callProvider(azureProvider, { conditions });
  const make = async (type: string, config: ValueMap): Promise<ValueMap> => {
    const { state, said } = await azure.create(type, config);
    expect(said).toEqual([]);
    return state ?? {};
  };
  await make("azurerm_resource_group", { name: "main", location: "westeurope" });
  await make("azurerm_virtual_network", { name: "net", ...group, address_space: ["10.0.0.0/16"] });
  const subnet = textOf(
    (
      await make("azurerm_subnet", {
        name: "nodes",
        resource_group_name: "main",
        virtual_network_name: "net",
        address_prefixes: ["10.0.0.0/20"],
      })
    )["id"],
  );
  const identity = await make("azurerm_user_assigned_identity", { name: "control", ...group });
  const principal = textOf(identity["principal_id"]);
  await make("azurerm_role_assignment", { scope: subnet, role_definition_name: "Network Contributor", principal_id: principal });
  const cluster = {
    name: "dev",
    ...group,
    dns_prefix: "dev",
    kubernetes_version: "1.33",
    default_node_pool: [{ name: "default", vm_size: "Standard_D2s_v5", node_count: 2, vnet_subnet_id: subnet }],
    node_provisioning_profile: [{}],
    identity: [{ type: "UserAssigned", identity_ids: [textOf(identity["id"])] }],
    network_profile: [{ network_plugin: "azure", service_cidr: "172.16.0.0/16", dns_service_ip: "172.16.0.10" }],
  };
  return { azure, subnet, cluster, principal };
}

const type = "azurerm_kubernetes_cluster";
const poolType = "azurerm_kubernetes_cluster_node_pool";

describe("simulated AKS", () => {
  let site: Awaited<ReturnType<typeof open>>;
  beforeEach(async () => void (site = await open()));
  const defaultPool = (change: ValueMap): ValueMap => ({
    ...site.cluster,
    default_node_pool: [{ name: "default", vm_size: "Standard_D2s_v5", node_count: 2, vnet_subnet_id: site.subnet, ...change }],
  });

  test("M136 a cluster reports what AKS reports, and its node resource group and all contents are deleted with it", async () => {
    const { azure, cluster } = site;
    const { state, said } = await azure.create(type, cluster);
    expect(said).toEqual([]);
    expect(state).toMatchObject({
      current_kubernetes_version: "1.33.6",
      fqdn: expect.stringMatching(/^dev-[0-9a-f]{8}\.hcp\.westeurope\.azmk8s\.io$/),
      node_resource_group: "MC_main_dev_westeurope",
      oidc_issuer_url: expect.stringMatching(/^https:\/\/westeurope\.oic\.prod-aks\.azure\.com\/[0-9a-f-]{36}\/[0-9a-f-]{36}\/$/),
      kube_config: [{ host: expect.stringMatching(/^https:\/\//), username: "clusterUser_dev" }],
    });
    const nodeGroup = textOf(state?.["node_resource_group_id"]);
    const disk = `${nodeGroup}/providers/Microsoft.Compute/disks/pvc-1`;
    await azure.inventory.put("a", { type: "azurerm_managed_disk", id: disk, attributes: { id: disk } });
    expect((await azure.remove(type, state ?? {})).said).toEqual([]);
    expect((await azure.inventory.list("a")).filter(({ id }) => id.startsWith(nodeGroup))).toEqual([]);
  });

  test.each(["172.30.0.0/16", "172.31.0.0/16", "192.0.2.0/24"])(
    "M136 AKS refuses nodes in the reserved range %s",
    async (range) => {
      const { azure } = site;
      await azure.create("azurerm_virtual_network", { name: "odd", ...group, address_space: [range] });
      const { state } = await azure.create("azurerm_subnet", {
        name: "nodes",
        resource_group_name: "main",
        virtual_network_name: "odd",
        address_prefixes: [range],
      });
      const { said } = await azure.create(type, defaultPool({ vnet_subnet_id: textOf(state?.["id"]) }));
      expect(said.join()).toContain(`overlaps the range ${range}, which AKS reserves`);
    },
  );

  test.each<[string, (cluster: ValueMap, subnet: string) => ValueMap]>([
    ["K8sVersionNotSupported", (cluster) => ({ ...cluster, kubernetes_version: "1.20" })],
    ["ResourceGroupNotFound", (cluster) => ({ ...cluster, resource_group_name: "other" })],
    ["LocationNotAvailable", (cluster) => ({ ...cluster, location: "eu-west-1" })],
    ["resourceName", (cluster) => ({ ...cluster, name: "-dev" })],
    [
      "which AKS reserves",
      (cluster) => ({ ...cluster, network_profile: [{ network_plugin: "azure", service_cidr: "172.31.0.0/16" }] }),
    ],
    [
      "ServiceCidrOverlap",
      (cluster) => ({ ...cluster, network_profile: [{ network_plugin: "azure", service_cidr: "10.0.0.0/16" }] }),
    ],
    [
      "not within the service CIDR",
      (cluster) => ({
        ...cluster,
        network_profile: [{ network_plugin: "azure", service_cidr: "172.16.0.0/16", dns_service_ip: "10.0.0.10" }],
      }),
    ],
    [
      "UserAssignedNATGateway",
      (cluster) => ({ ...cluster, network_profile: [{ network_plugin: "azure", outbound_type: "userAssignedNATGateway" }] }),
    ],
    [
      "KeyVaultKeyNotFound",
      (cluster) => ({ ...cluster, key_management_service: [{ key_vault_key_id: "https://a.vault.azure.net/keys/b/c" }] }),
    ],
    ["agent pool name", () => defaultPool({ name: "Web-Front" })],
    ["VM size of Standard_X99", () => defaultPool({ vm_size: "Standard_X99" })],
    ["AvailabilityZoneNotSupported", () => defaultPool({ zones: ["9"] })],
    ["vnetSubnetID", () => defaultPool({ vnet_subnet_id: `${site.subnet}-gone` })],
  ])("M136 AKS rejects a cluster with %s", async (word, change) => {
    const { azure, cluster, subnet } = site;
    const { said } = await azure.create(type, change(cluster, subnet));
    expect(said).toEqual([expect.stringContaining(word)]);
    expect(await azure.inventory.list("a", type)).toEqual([]);
  });

  test("M126 a cluster needs an identity that may use the subnet, and nodes an identity that the cluster may assign", async () => {
    const { azure, cluster } = site;
    const stranger = (await azure.create("azurerm_user_assigned_identity", { name: "stranger", ...group })).state;
    const other = { ...cluster, identity: [{ type: "UserAssigned", identity_ids: [textOf(stranger?.["id"])] }] };
    expect((await azure.create(type, other)).said).toEqual([expect.stringContaining("LinkedAuthorizationFailed")]);
    const kubelet = [
      {
        client_id: textOf(stranger?.["client_id"]),
        object_id: textOf(stranger?.["principal_id"]),
        user_assigned_identity_id: textOf(stranger?.["id"]),
      },
    ];
    const withKubelet = { ...cluster, kubelet_identity: kubelet };
    expect((await azure.create(type, withKubelet)).said).toEqual([
      expect.stringContaining("CustomKubeletIdentityMissingPermissionError"),
    ]);
    const operator = { role_definition_name: "Managed Identity Operator", principal_id: site.principal };
    await azure.create("azurerm_role_assignment", { scope: textOf(stranger?.["id"]), ...operator });
    expect((await azure.create(type, withKubelet)).said).toEqual([]);
  });

  test("M161 control planes move up one minor version at a time, and pools never move ahead of them or back", async () => {
    const { azure, cluster, subnet } = site;
    const built = (await azure.create(type, cluster)).state ?? {};
    const upgrade = (version: string) => azure.update(type, built, { ...cluster, kubernetes_version: version });
    expect((await upgrade("1.35")).said).toEqual([expect.stringContaining("must not skip a minor version")]);
    expect((await upgrade("1.32")).said).toEqual([expect.stringContaining("downgrading is not supported")]);
    const pool = {
      name: "web",
      kubernetes_cluster_id: textOf(built["id"]),
      vm_size: "Standard_D2s_v5",
      node_count: 1,
      vnet_subnet_id: subnet,
    };
    const early = await azure.create(poolType, { ...pool, orchestrator_version: "1.34" });
    expect(early.said).toEqual([expect.stringContaining("NodePoolMcVersionIncompatible")]);
    const made = (await azure.create(poolType, { ...pool, orchestrator_version: "1.33" })).state ?? {};
    expect((await azure.update(poolType, made, { ...pool, orchestrator_version: "1.32" })).said).toEqual([
      expect.stringContaining("Downgrading the node pool"),
    ]);
    expect((await upgrade("1.34")).state).toMatchObject({ current_kubernetes_version: "1.34.2" });
  });

  test("M160 pools follow their cluster, spot pools have no surge, and the subnet of nodes cannot be deleted", async () => {
    const { azure, cluster, subnet } = site;
    const built = (await azure.create(type, cluster)).state ?? {};
    const pool = { name: "web", kubernetes_cluster_id: textOf(built["id"]), node_count: 1, vnet_subnet_id: subnet };
    expect((await azure.create(poolType, { ...pool, name: "default" })).said).toEqual([
      expect.stringContaining("already in use"),
    ]);
    expect((await azure.create(poolType, { ...pool, priority: "Spot", mode: "System" })).said).toEqual([
      expect.stringContaining("can't be a system node pool"),
    ]);
    for (const [wrong, words] of [
      [{ os_disk_size_gb: 29 }, "between 30 and 2048"],
      [{ os_disk_size_gb: 2049 }, "between 30 and 2048"],
      [{ max_pods: 9 }, "between 10 and 250"],
    ] as const)
      expect((await azure.create(poolType, { ...pool, ...wrong })).said.join()).toContain(words);
    expect((await azure.create(poolType, { ...pool, kubernetes_cluster_id: `${textOf(built["id"])}x` })).said).toEqual([
      expect.stringContaining("ResourceNotFound"),
    ]);
    expect((await azure.create(poolType, { ...pool, auto_scaling_enabled: true, min_count: 2, max_count: 3 })).said).toEqual([
      expect.stringContaining("between the minimum 2 and the maximum 3"),
    ]);
    const made = (await azure.create(poolType, pool)).state ?? {};
    expect((await azure.update(poolType, made, { ...pool, priority: "Spot" })).replaced).toEqual(["priority"]);
    expect((await azure.update(poolType, made, { ...pool, vm_size: "Standard_D4s_v5" })).replaced).toEqual([]);
    const [record] = await azure.inventory.list("a", "azurerm_subnet");
    expect((await azure.remove("azurerm_subnet", record?.attributes ?? {})).said).toEqual([
      expect.stringContaining("InUseSubnetCannotBeDeleted"),
    ]);
    await azure.remove(type, built);
    expect(await azure.inventory.list("a", poolType)).toEqual([]);
  });

  test("X013 a cluster is refused if the quota is zero vCPUs or zero clusters", async () => {
    for (const [quota, word] of [
      ["vcpus-per-region", "ErrCode_InsufficientVCPUQuota"],
      ["managed-clusters-per-region", "QuotaExceeded"],
    ] as const) {
      const { azure, cluster } = await open({ quotas: { [quota]: 0 } });
      expect((await azure.create(type, cluster)).said).toEqual([expect.stringContaining(word)]);
    }
  });
});
